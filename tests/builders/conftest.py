from __future__ import annotations

from tests.builders.services.file_server import server  # noqa: F401
from tests.pipelines import kept_pipelines  # noqa: F401
