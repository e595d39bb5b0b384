"""Records that a command made, written in any format of their kind or one they can become."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corefmill.corpora import convert as conversion
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import make_way
from corefmill.corpora.formats.form import Format


def write(
    records: Iterable[Any], out: Path, wanted: Format | None, native: Format, *, overwrite: bool
) -> int:
    """Writes in the `native` form beside, and converts that: any format and bridge will do.

    Documents in the native form are written compact (`jsonl.dumps`). `wanted` None is the format
    that the name of `out` tells. Returns how many records there are; raises `DataError` for none,
    and `UsageError` for a format before the first is made.
    """
    wanted = wanted or conversion.by_suffix(out, native)
    conversion.refuse_impossible(native, wanted, out)
    make_way(out, overwrite=overwrite)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as folder:
        made = Path(folder) / "made.jsonl"
        count = jsonl.write(made, records, compact=native.schema == "document/1")
        if not count:
            raise DataError("there is no record in the input")
        if wanted == native:
            make_way(out, overwrite=overwrite)  # what came there meanwhile stays
            made.replace(out)
            return count
        plan = conversion.plan(made, out, native, wanted)
        conversion.run(plan, overwrite=overwrite, compare=False)
    return count
