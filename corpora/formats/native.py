"""The native form of the three kinds, a record a line as JSON; see `corpora/files/jsonl.py`.

1. A line is one record with the keys of `corpora/records.py`, in any order; ours keeps theirs.
2. No line is empty: nothing that wrote the file would have left one.
3. A folder with `manifest.json` is a corpus; it is read split by split, in the manifest's order.
   `{"id": "a", "text": ...}` lines in a folder without a manifest are files, and no corpus.
4. Every record names its language, so the caller's is not asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from corefmill.corpora import manifest
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.form import Format, Located, stop_at_faults
from corefmill.corpora.records import SCHEMAS, Record

_STRING = r'"(?:[^"\\]|\\.)*"'
# How a line begins that is longer than the part which is looked at.
_BEGINNINGS = {
    "masked-example/1": rf'\{{"id":{_STRING},"lang":{_STRING},"text":{_STRING},"sentences":\[',
    "event-mention/1": rf'\{{"id":{_STRING},"lang":{_STRING},"text":{_STRING},"start":\d',
    "document/1": rf'\{{"doc_id":{_STRING},"part":\d+,"lang":{_STRING},"sentences":\[',
}
_KEYS = {
    "masked-example/1": {"id", "lang", "text", "sentences", "target", "candidates", "label"},
    "event-mention/1": {"id", "lang", "text", "start", "end", "cluster", "infobox"},
    "document/1": {"doc_id", "part", "lang", "sentences", "clusters"},
}


def _make_format(name: str, schema: str, what: str) -> Format:
    """Make the native format of a schema, a record a line."""
    kind = SCHEMAS[schema]
    keys, beginning = _KEYS[schema], re.compile(_BEGINNINGS[schema])

    def read_on(path: Path, lang: str) -> Located:
        """Stream the records of a file or a corpus, with an error for each broken line."""
        files = [path]
        if path.is_dir():
            made = manifest.read(path)
            if made.schema != schema:
                raise DataError(f"the corpus is of {made.schema}, not of {schema}", path=path)
            files = [path / f"{split}.jsonl" for split in made.splits]
        for file in files:
            for number, line in disk.read_lines(file):
                found: Any
                try:
                    found = jsonl.loads(line, kind, path=file, number=number)
                except DataError as error:
                    found = error
                yield number, found

    def write(path: Path, records: Iterable[Record]) -> int:
        return jsonl.write(path, check_kind(records, kind, path))

    def suits(name: str, head: str) -> bool:
        """Recognize the format by the keys of the first line; a cut line by its beginning."""
        line, end, _ = head.removeprefix("\ufeff").partition("\n")
        if not line.startswith("{"):
            return False
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return not end and beginning.match(line) is not None
        return isinstance(found, dict) and keys <= found.keys()

    summary = f"{what}, one a line as JSON: corefmill's own form"
    read = stop_at_faults(read_on)
    return Format(name, schema, summary, ".jsonl", read, write, suits, read_on)


def check_kind(records: Iterable[Record], kind: type[Record], path: Path) -> Iterator[Record]:
    """Pass the records on; raise `DataError` for one of another kind."""
    for record in records:
        if not isinstance(record, kind):
            what = f"a {type(record).__name__} among {kind.__name__} records"
            raise DataError(what, path=path)
        yield record


MASKED = _make_format("native-masked", "masked-example/1", "masked examples")
EVENTS = _make_format("native-events", "event-mention/1", "event mentions")
DOCUMENTS = _make_format("native-documents", "document/1", "documents with clusters")

BY_SCHEMA = {form.schema: form for form in (MASKED, EVENTS, DOCUMENTS)}
