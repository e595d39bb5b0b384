from __future__ import annotations

from tests.corefmill.annotate.asked import server  # noqa: F401
from tests.object_server import store  # noqa: F401
from tests.pipelines import kept_pipelines  # noqa: F401
