"""Run all checks over files, folders and corpora: `Checker(...).check(paths)` streams findings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from corefmill.corpora import manifest
from corefmill.corpora.check import Finding, quote
from corefmill.corpora.check.records import CHECKS, RecordPlace, Singletons, Splits
from corefmill.corpora.check.tolerant import read_past_faults
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.splits import make_relative, split_of

# Formats whose corpora mostly annotate no clusters of one.
_NO_SINGLETONS = {"conll2012"}
_BINARY = {".parquet"}

Watch = Callable[[Iterable[Any]], Iterable[Any]]
"""What records pass through, to show progress."""


@dataclass(frozen=True)
class CheckedFile:
    """A file to check, or a folder for a format to read whole."""

    path: Path
    form: Format
    split: str | None


@dataclass
class Checker:
    """Checks paths; the results of the last check stand in `read`, `skipped` and `notes`.

    `form` is the format of every file, detected for each where None; `singletons` None is what is
    usual in the format. `read` counts the records of each file, `skipped` holds files of a folder
    that are of no format, `notes` what was not compared, and what is empty.
    """

    form: Format | None = None
    lang: str = "en"
    singletons: Singletons | None = None
    watch: Watch = iter
    read: Counter[Path] = field(default_factory=Counter)
    forms: dict[Path, str] = field(default_factory=dict)
    splits: dict[Path, str | None] = field(default_factory=dict)
    skipped: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _listed: set[Path] = field(default_factory=set)
    """Files that a manifest lists."""

    def check(self, paths: Sequence[Path]) -> Iterator[Finding]:
        """Stream the findings of files and folders; files given together are splits of one corpus.

        Raises `UsageError` or `DataError` for a path that cannot be read as anything.
        """
        groups: dict[Path, list[CheckedFile]] = defaultdict(list)
        corpora: list[tuple[Path, manifest.Manifest]] = []
        loose = [path for path in paths if path.is_file()]
        for path in paths:
            disk.require_path(path)
            if path.is_file():
                # Files that are given together are of one corpus.
                form = self.form or registry.detect_format(path)
                groups[Path()].append(self._describe_file(path, form, make_relative(path, loose)))
                continue
            # The corpora within a folder, whose files are known by their manifests.
            inside = disk.list_below(path, (manifest.NAME,))
            homes = {one.parent for one in inside if one.name == manifest.NAME}
            for inner in sorted(homes):
                try:
                    corpora.append((inner, manifest.read(inner)))
                except DataError as error:
                    yield Finding("E704", inner / manifest.NAME, None, error.message)
            forms, skipped = registry.files_below(path, self.form)
            # Files that a manifest lists are checked by their checksums.
            known = {home / name for home, made in corpora for name in made.files}
            self.skipped += [one for one in skipped if one not in known]
            self._listed |= known
            for inner, form in forms.items():
                relative = inner.relative_to(path)
                # The corpus's folder: the parent of its split folders (train/), else of the file.
                above = reversed(relative.parents[:-1])
                splits = (one.parent for one in above if split_of(Path(one.name)))
                home = path / next(splits, relative.parent)
                groups[home].append(self._describe_file(inner, form, relative))
            if not forms and not homes:
                raise registry.make_format_error(path)
        # First what the manifests say of the files, then the records, then their counts.
        for home, made in corpora:
            yield from _compare_files(home, made)
        for group in groups.values():
            yield from self._check_group(group)
        for home, made in corpora:
            found = {path.name: n for path, n in self.read.items() if path.parent == home}
            yield from _compare_counts(home, made, found)

    def _describe_file(self, path: Path, form: Format, said: PurePath) -> CheckedFile:
        """Describe a file to check, with the split named in `said`, a part of its path."""
        try:
            return CheckedFile(path, form, split_of(said))
        except UsageError as error:
            self.notes.append(f"{path}: {error.message}")
            return CheckedFile(path, form, None)

    def _check_group(self, parts: list[CheckedFile]) -> Iterator[Finding]:
        """Check the files of one corpus, split by split, the smaller ones first."""
        # The largest split is streamed past the others, of which alone hashes are kept.
        sizes: Counter[str] = Counter()
        for part in parts:
            if part.split and part.path.is_file():
                sizes[part.split] += part.path.stat().st_size
        order = {split: rank for rank, (split, _) in enumerate(reversed(sizes.most_common()))}
        splits = Splits() if len(sizes) > 1 else None
        last = max(order.values(), default=0)
        for part in sorted(parts, key=lambda part: order.get(part.split or "", -1)):
            keep = order.get(part.split or "", last) < last
            yield from self._check_file(part, splits if part.split else None, keep)
        unsplit = [part.path for part in parts if not part.split and part.path not in self._listed]
        if splits is not None and unsplit:
            self.notes.append(
                f"{len(unsplit):,} of {len(parts):,} files are of no split by their names and were"
                f" not compared: {unsplit[0].name}"
            )

    def _check_file(
        self, part: CheckedFile, splits: Splits | None, keep: bool
    ) -> Iterator[Finding]:
        """Check a file: its bytes, its records, and their overlap with other splits."""
        path = part.path
        self.forms[path], self.splits[path] = part.form.name, part.split
        if path.is_file() and not path.stat().st_size:
            self.notes.append(f"{path}: this file is empty")
        for file in [path] if path.is_file() else disk.list_below(path, (part.form.suffix,)):
            if file.suffix not in _BINARY:
                yield from check_encoding(file)
        own: Singletons = "guess" if part.form.name in _NO_SINGLETONS else "allow"
        check = CHECKS[part.form.schema](path, self.singletons or own)
        self.read[path] = 0
        for item in self.watch(read_past_faults(path, part.form, self.lang)):
            if isinstance(item, Finding):
                yield item
                continue
            line, record = item
            self.read[path] += 1
            yield from check.record(line, record)
            if splits is not None and part.split:
                yield from splits.record(RecordPlace(part.split, path, line), record, keep=keep)
        yield from check.finish()


def _compare_files(folder: Path, made: manifest.Manifest) -> Iterator[Finding]:
    """Compare the files of a corpus with its manifest: the findings E701, E703 and W705."""
    where = folder / manifest.NAME
    named = {*made.files, *(f"{split}.jsonl" for split in made.splits)}
    for name in sorted(named):
        path = folder / name
        if not path.is_file():
            yield Finding("E703", where, None, f"{name} is missing")
        elif name in made.files and manifest.sha256(path) != made.files[name]:
            code = "W705" if name == manifest.CARD else "E701"
            yield Finding(code, where, None, f"{name} has another SHA-256 than the manifest says")


def _compare_counts(
    folder: Path, made: manifest.Manifest, found: Mapping[str, int]
) -> Iterator[Finding]:
    """Compare numbers of records with the manifest (E702); `found` has them by file name."""
    for split, count in made.splits.items():
        there = found.get(f"{split}.jsonl")
        if there is not None and there != count:
            yield Finding(
                "E702",
                folder / manifest.NAME,
                None,
                f"{split}.jsonl has {there:,} records, the manifest says {count:,}",
            )


_BOM = b"\xef\xbb\xbf"
# What one UTF-8 letter becomes in Windows-1252 or Latin-1: its first byte's letter, then those of
# the bytes that follow. Western letters and quotes betray themselves at once; of others there must
# be two in a row, since É… or Ö” may well stand in a text.
_NEXT = "[\u0080-\u00bf\u0152-\u017e\u0192\u02c6\u02dc\u2013-\u2122]"
_LATIN = re.compile(
    f"(?:[\u00c2\u00c3]{_NEXT}|\u00e2{_NEXT}{{2}})"
    f"|(?:[\u00c4-\u00df]{_NEXT}|[\u00e0-\u00ef]{_NEXT}{{2}}|[\u00f0-\u00f4]{_NEXT}{{3}}){{2,}}"
)


def check_encoding(path: Path) -> Iterator[Finding]:
    """Yield the encoding faults of a text file, E101 to E107; raise `DataError` if unreadable."""
    returns = 0
    first = None
    for number, raw in _read_bounded_lines(path):
        if number == 1 and raw.startswith(_BOM):
            yield Finding("W103", path, 1, "the file begins with a byte order mark")
            raw = raw.removeprefix(_BOM)
        if len(raw) > disk.LONGEST_LINE:
            yield Finding("E107", path, number, f"a line of over {disk.LONGEST_LINE // 2**20} MiB")
            return
        if raw.endswith(b"\r\n"):
            returns, first = returns + 1, first or number
        elif number == 1 and b"\r" in raw and not raw.endswith(b"\n"):  # a file without LF
            yield Finding("W104", path, 1, f"{raw.count(13):,} lines end in CR alone")
        if b"\0" in raw:
            yield Finding("E102", path, number, f"{raw.count(0):,} NUL bytes")
        if raw.isascii():
            continue
        try:
            line = raw.decode()
        except UnicodeDecodeError as error:
            yield Finding("E101", path, number, f"not UTF-8 at byte {error.start + 1} of the line")
            continue
        if "\ufffd" in line:
            around = line[max(0, line.index("\ufffd") - 15) :].strip()
            yield Finding("W106", path, number, f"U+FFFD in {quote(around, 30)}")
        if found := _find_mojibake(line):
            wrong, right = map(quote, found)
            yield Finding("W105", path, number, f"{wrong} was {right} once")
    if first:
        yield Finding("W104", path, first, f"{returns:,} lines end in CR LF, this one first")


def _read_bounded_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with disk.open_file(path) as file:
        yield from enumerate(iter(lambda: file.readline(disk.LONGEST_LINE + 1), b""), 1)


def _find_mojibake(line: str) -> tuple[str, str] | None:
    """Find the first wrongly decoded letters of a line, with the right ones."""
    for match in _LATIN.finditer(line):
        # Windows-1252 has no letter for five bytes, which programs pass on as Latin-1 does.
        codes = ((one, "latin-1" if ord(one) < 0xA0 else "cp1252") for one in match[0])
        try:
            return match[0], b"".join(one.encode(code) for one, code in codes).decode()
        except UnicodeError:
            continue
    return None
