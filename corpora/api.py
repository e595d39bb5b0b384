"""Read, write, convert and check corpora of any format from Python.

`scoring.score.score` is the fifth. The commands of the same names call what these call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from corefmill.corpora import convert as conversion
from corefmill.corpora.check import Finding
from corefmill.corpora.check.checker import Checker
from corefmill.corpora.check.records import Singletons
from corefmill.corpora.convert import ConversionReport
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats import native, registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import SCHEMAS, Record


def read(path: str | Path, form: str | None = None, *, lang: str = "en") -> Iterator[Record]:
    """Stream the records of a file, a folder of files, or a built corpus.

    Args:
        path: In any format of `registry.FORMATS`.
        form: The format's name; detected from the content if None.
        lang: The language of the records, for formats that do not state the language.

    Raises:
        DataError: Something cannot be read; the message names file and line.
        UsageError: There is no such format, or it cannot be detected.
    """
    for file, own in registry.find_files([Path(path)], _format(form)).items():
        for _, record in own.read(file, lang):
            yield record


def write(path: str | Path, records: Iterable[Record], form: str | None = None) -> int:
    """Write records to one file, whole or not at all, and return their number (or that of blocks).

    The records are of one kind. `form` None takes the format of the path's suffix. Raises
    `DataError` for a record that the format cannot carry, and `UsageError` where the format cannot
    be written, is for another kind of record, or does not follow from the suffix.
    """
    target, found = Path(path), iter(records)
    first = next(found, None)
    if first is None:
        raise UsageError("there are no records to write", path=target)
    (own,) = (made for made in native.BY_SCHEMA.values() if SCHEMAS[made.schema] is type(first))
    chosen = _format(form) or conversion.choose_format(target, own)
    return conversion.write(target, chain([first], found), own, chosen)


def convert(
    source: str | Path,
    target: str | Path,
    *,
    reader: str | None = None,
    writer: str | None = None,
    lang: str = "en",
    overwrite: bool = False,
    lenient: bool = False,
) -> ConversionReport:
    """Convert a file or a folder and report the losses; see `convert.plan` and `convert.run`."""
    work = conversion.plan(Path(source), Path(target), _format(reader), _format(writer))
    return conversion.run(work, lang, overwrite=overwrite, lenient=lenient)


def check(
    *paths: str | Path,
    form: str | None = None,
    lang: str = "en",
    singletons: Singletons | None = None,
) -> list[Finding]:
    """Check files, folders and corpora; paths given together are splits of one corpus.

    `singletons` says whether clusters of one mention are findings; None is the format's own way.
    Raises `DataError` or `UsageError` for a path that cannot be read as anything.
    """
    checker = Checker(form=_format(form), lang=lang, singletons=singletons)
    return list(checker.check([Path(path) for path in paths]))


def _format(name: str | None) -> Format | None:
    return None if name is None else registry.get_format(name)
