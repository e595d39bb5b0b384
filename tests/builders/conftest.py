from __future__ import annotations

from tests.pipelines import kept_pipelines  # noqa: F401
