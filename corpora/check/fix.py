"""`corefmill check --fix`: write copies in which faults with one right answer are corrected."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from corefmill.corpora.check import Finding, codes
from corefmill.corpora.check.tolerant import read_blocks, repair_mention
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.ownership import together
from corefmill.corpora.files.writing import make_way, replacing
from corefmill.corpora.formats import json_records, registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import Document, EventMention, MaskedExample

_BOM = b"\xef\xbb\xbf"


@dataclass
class FixedCopy:
    """The fixed copy of a file, and how many findings of each code were fixed in it."""

    source: Path
    target: Path
    fixed: Counter[str] = field(default_factory=Counter)


def fix(
    found: Sequence[Finding],
    forms: Mapping[Path, str],
    lang: str,
    out: Path | None,
    *,
    overwrite: bool = False,
) -> list[FixedCopy]:
    """Write a corrected copy of each file with a fixable finding, in place if `out` is None.

    `forms` is the format of each file that was checked. `out` is the copy's name where one file
    was checked, else a folder. Raises `UsageError` where a copy is there already, and not
    `overwrite`.
    """
    by_file: dict[Path, set[str]] = defaultdict(set)
    for finding in found:
        if codes()[finding.code].mends and finding.path in forms:
            by_file[finding.path].add(finding.code)
    # Each copy stands in place of its source, at `out`, or below it as its source stood.
    targets = {path: path for path in forms}
    if out is not None and len(forms) == 1 and next(iter(forms)).is_file():
        targets = dict.fromkeys(forms, out)
    elif out is not None and forms:
        # The folders below the one that all paths are in stay.
        top = os.path.commonpath([path.parent for path in forms])
        targets = {path: out / path.relative_to(top) for path in forms}
    copies = [FixedCopy(path, targets[path]) for path in by_file]
    with ExitStack() as stack:
        if out in targets.values():
            make_way(*(copy.target for copy in copies), overwrite=overwrite)
        elif out and copies:
            names = [copy.target.relative_to(out).as_posix() for copy in copies]
            stack.enter_context(together(out, names, overwrite=overwrite))
            make_way(*(copy.target for copy in copies), overwrite=True)
        for copy in copies:
            wanted, form = by_file[copy.source], registry.get_format(forms[copy.source])
            with tempfile.TemporaryDirectory() as folder:
                # The name stays: some formats make ids of it.
                draft = Path(folder) / copy.source.name
                shutil.copyfile(copy.source, draft)
                if wanted & {"W103", "W104"}:
                    copy.fixed += _fix_text(draft)
                if "E203" in wanted:
                    copy.fixed += _fix_five_lines(draft)
                if "E302" in wanted:
                    copy.fixed += _fix_wec(draft)
                if "E401" in wanted:
                    copy.fixed += _fix_duplicates(draft, form, lang, copy.source)
                with draft.open("rb") as file, replacing(copy.target) as target:
                    shutil.copyfileobj(file, target)
    return copies


def _fix_text(path: Path) -> Counter[str]:
    """Drop a byte order mark, and write LF for CR LF, and for CR in a file without LF."""
    fixed: Counter[str] = Counter()
    with replacing(path) as out:
        for number, line in disk.read_raw_lines(path):
            if number == 1 and line.startswith(_BOM):
                line = line.removeprefix(_BOM)
                fixed["W103"] += 1
            if line.endswith((b"\r\n", b"\r")):
                line = line.removesuffix(b"\n").removesuffix(b"\r") + b"\n"
                fixed["W104"] += 1
            out.write(line)
    return fixed


def _fix_five_lines(path: Path) -> Counter[str]:
    """Add the missing empty lines after blocks."""
    after = {
        block.first + 3
        for block in read_blocks(path)
        if not isinstance(block, Finding) and not block.fifth
    }
    with replacing(path) as out:
        for number, line in disk.read_raw_lines(path):
            out.write(line)
            if number in after:
                out.write(b"\n" if line.endswith(b"\n") else b"\n\n")
    return Counter({"E203": len(after)})


def _fix_wec(path: Path) -> Counter[str]:
    """Make words and numbers agree, if there is one way."""
    fixed: Counter[str] = Counter()

    def repair_mentions() -> Iterator[dict[str, Any]]:
        """Yield the mentions of the file, with words and numbers in agreement."""
        for _, mention in json_records.read_array(path):
            better = repair_mention(mention) or mention
            fixed["E302"] += better != mention
            yield better

    try:
        json_records.write_array(path, repair_mentions())
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, DataError):
        return Counter()  # what cannot be read stays as it is; its finding says so
    return +fixed


def _fix_duplicates(path: Path, form: Format, lang: str, source: Path) -> Counter[str]:
    """Write each mention once in its cluster. The file is written anew, so it must be readable."""
    if form.write is None:
        return Counter()
    fixed: Counter[str] = Counter()
    try:
        form.write(path, _drop_duplicates((record for _, record in form.read(path, lang)), fixed))
    except DataError as error:
        raise DataError(
            f"duplicates cannot be removed, as the file cannot be read: {error.message}",
            path=source,
            line=error.line,
        ) from None
    return fixed


def _drop_duplicates(records: Iterable[Any], fixed: Counter[str]) -> Iterator[Any]:
    """Yield records with each mention once in its cluster, counting the dropped ones."""
    seen: set[Any] = set()
    for record in records:
        if isinstance(record, EventMention):
            place = (record.source, record.text, record.start, record.end, record.parts)
            if (*place, record.cluster) in seen:
                fixed["E401"] += 1
                continue
            seen.add((*place, record.cluster))
            yield record
        elif isinstance(record, MaskedExample):
            own = (record.label, *record.target)
            mentions = tuple(m for m in dict.fromkeys(record.mentions) if m != own)
            fixed["E401"] += len(record.mentions) - len(mentions)
            yield replace(record, mentions=mentions)
        else:
            assert isinstance(record, Document)
            clusters = tuple(tuple(dict.fromkeys(cluster)) for cluster in record.clusters)
            fixed["E401"] += sum(map(len, record.clusters)) - sum(map(len, clusters))
            yield replace(record, clusters=clusters)
