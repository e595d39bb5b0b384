from __future__ import annotations

from tests.object_server import store  # noqa: F401
from tests.pipelines import kept_pipelines  # noqa: F401
