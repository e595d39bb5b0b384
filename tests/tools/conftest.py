from __future__ import annotations

from tests.browsers import browser  # noqa: F401
