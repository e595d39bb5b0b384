from __future__ import annotations

from tests.object_server import store  # noqa: F401
