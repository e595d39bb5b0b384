"""Attacks corefmill and says what got through: python -m benchmarks.attacks."""

from __future__ import annotations

import sys

from benchmarks.attacks.campaign import main

if __name__ == "__main__":  # workers of a build import it by another name
    sys.exit(main())
