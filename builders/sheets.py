"""Tables that people filled in and saved from a spreadsheet as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from corpora.errors import DataError

LONGEST = 1 << 20
"""Characters of a field."""


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """The file as text for csv's readers; raises `DataError` where it is none, or not UTF-8."""
    before = csv.field_size_limit(LONGEST)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise DataError(
            "not UTF-8", path=path, remedy="save it from the spreadsheet as CSV in UTF-8"
        ) from None
    finally:
        csv.field_size_limit(before)
