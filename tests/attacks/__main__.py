"""Attacks corefmill and says what got through: python -m tests.attacks."""

from __future__ import annotations

import sys

from tests.attacks.campaign import main

if __name__ == "__main__":  # workers of a build import it by another name
    sys.exit(main())
