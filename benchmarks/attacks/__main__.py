"""Attacks corefmill and says what got through: python -m benchmarks.attacks."""

from __future__ import annotations

import sys

from benchmarks.attacks.campaign import main

sys.exit(main())
