"""What all tests have in common."""

from __future__ import annotations

import os

# pytest-xdist keeps every core busy as it is; threads of torch would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
