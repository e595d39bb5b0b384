"""Converts files and folders from one format to another, and counts what was lost on the way."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from corefmill.corpora import bridges, disk, manifest
from corefmill.corpora.atomic import ensure_folder, refuse_taken, sync_folder
from corefmill.corpora.bridges import Placed
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.formats import discover, native, registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.losses import lost
from corefmill.corpora.records import UNCLEAR, MaskedExample, Record

Watch = Callable[[Iterable[Any]], Iterable[Any]]
"""What records pass through on their way, to show progress."""


_BATCH = 256
"""Records that are tried at once whether a format carries them."""


@dataclass(frozen=True)
class ConvertedFile:
    """The files that make one file of the output, all in the format `form`."""

    sources: tuple[Path, ...]
    target: Path
    form: Format


@dataclass(frozen=True)
class ConversionPlan:
    """What a conversion will do; `left_out` are files of the folder that are of no format."""

    pieces: tuple[ConvertedFile, ...]
    target: Path
    writer: Format
    left_out: tuple[Path, ...] = ()


@dataclass
class ConversionReport:
    """What a conversion did: records written, and of how many each field was lost.

    `left_out` counts records that the format cannot carry, `why` says what the first one lacks.
    `unclear` counts those whose answer is not clear; with `leave_out` they are among the former.
    """

    records: int = 0
    files: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    why: str = ""
    unclear: int = 0
    unclear_why: str = ""


def plan(
    source: Path, target: Path, reader: Format | None = None, writer: Format | None = None
) -> ConversionPlan:
    """Settles formats and files. A folder becomes a folder, or one file where `target` is named so.

    `target` is a file where its name has a suffix, or where `source` is a file. Raises `UsageError`
    where a format cannot be detected or written, or there is not one right way to it.
    """
    disk.need(source)
    forms, left_out = _files(source, reader)
    first = next(iter(forms.values()))
    wanted = writer or by_suffix(target, first)
    for path, form in forms.items():
        refuse_impossible(form, wanted, path)
    return ConversionPlan(
        tuple(_pieces(source, target, forms, wanted)), target, wanted, tuple(left_out)
    )


def write(target: Path, records: Iterable[Record], own: Format, writer: Format) -> int:
    """Writes records, `own` being the native form of their kind, and returns what `writer` counts.

    Raises as `plan` and the format's writer do.
    """
    refuse_impossible(own, writer, target)
    assert writer.write is not None
    placed = ((target, number, record) for number, record in enumerate(records, 1))
    return writer.write(target, _bridged(placed, own, writer))


def refuse_impossible(form: Format, writer: Format, path: Path) -> None:
    """Raises `UsageError` where records of one format cannot be written in the other."""
    if writer.write is None:
        raise UsageError(f"{writer.name} can be read here, not written")
    way = bridges.between(form, writer)
    if isinstance(way, str):
        raise UsageError(f"{form.name} does not become {writer.name}: {way}", path=path)


def sources(source: Path, reader: Format | None = None) -> dict[Path, Format]:
    """The files to read of a file or folder that is there, each with its format.

    Raises `UsageError` where a format cannot be detected, or there is no file of one.
    """
    return _files(source, reader)[0]


def _files(source: Path, reader: Format | None) -> tuple[dict[Path, Format], list[Path]]:
    """The files to read, each with its format, and those of none."""
    if not source.is_dir():
        return {source: reader or registry.of_file(source)}, []
    if (source / manifest.NAME).exists():
        made = manifest.read(source)
        form = native.BY_SCHEMA[made.schema]
        return {source / f"{split}.jsonl": form for split in made.splits}, []
    forms, left_out = discover.files(source, reader)
    if not forms:
        raise registry.no_format(source)
    return forms, left_out


def by_suffix(target: Path, reader: Format) -> Format:
    """The format that the output's name asks for; raises `UsageError` where that is not one."""
    if target.suffix == ".jsonl":
        return native.BY_SCHEMA[reader.schema]
    written = [form for form in registry.FORMATS.values() if form.write]
    fit = [
        form
        for form in written
        if target.name.endswith(form.suffix) and not isinstance(bridges.between(reader, form), str)
    ]
    if not fit and target.suffix:
        own = [form for form in written if form.schema == reader.schema]
        fit = [form for form in own if form.suffix.endswith(target.suffix)]
    return _best_fit(fit, target, reader)


def _best_fit(fit: Sequence[Format], target: Path, reader: Format) -> Format:
    # First the longest suffix: a.dpr.txt is no a.txt. Then a format of the records' own kind.
    longest = max((len(form.suffix) for form in fit), default=0)
    fit = [form for form in fit if len(form.suffix) == longest]
    own = [form for form in fit if form.schema == reader.schema]
    own = [form for form in own if form.name not in registry.SPECIAL] or own
    if len(own) == 1 or len(fit) == 1:
        return (own or fit)[0]
    every = [form for form in registry.FORMATS.values() if form.write]
    names = ", ".join(form.name for form in fit or every)
    raise UsageError(
        f"its name does not say which format to write from {reader.name}",
        path=target,
        remedy=f"say which with --to: {names}",
    )


def _pieces(
    source: Path, target: Path, forms: dict[Path, Format], writer: Format
) -> Iterator[ConvertedFile]:
    if not source.is_dir() or source in forms:
        yield ConvertedFile(tuple(forms), target, next(iter(forms.values())))
        return
    if target.suffix:
        if len(set(forms.values())) > 1:
            names = ", ".join(sorted({form.name for form in forms.values()}))
            raise UsageError(f"files of several formats: {names}", path=source, remedy="--from")
        yield ConvertedFile(tuple(forms), target, next(iter(forms.values())))
        return
    seen: dict[Path, Path] = {}
    for path, form in forms.items():
        own = path.relative_to(source)
        own = own.with_name(own.name.removesuffix(own.suffix) + writer.suffix)
        if own in seen:
            raise UsageError(f"{path.name} and {seen[own].name} would both be {own}", path=source)
        seen[own] = path
        yield ConvertedFile((path,), target / own, form)


def _refuse(work: ConversionPlan, *, overwrite: bool) -> None:
    """Raises `UsageError` where the output cannot go to where the plan says."""
    target, read = work.target, [source for piece in work.pieces for source in piece.sources]
    if target.exists() and any(source.samefile(target) for source in read):
        raise UsageError("the output is the input", path=target)
    if target.is_dir() and any(target.iterdir()):
        raise UsageError("a folder with something in it", path=target, remedy="name another")
    if not target.parent.is_dir():
        raise UsageError("there is no such folder", path=target.parent)
    if not target.is_dir():
        refuse_taken(target, overwrite=overwrite)


def run(
    work: ConversionPlan,
    lang: str = "en",
    *,
    overwrite: bool = False,
    compare: bool = True,
    leave_out: bool = False,
    watch: Watch = iter,
) -> ConversionReport:
    """Converts, whole or not at all: nothing stands at the target until all of it does.

    With `compare` what was written is read again beside the input, to count what was lost. With
    `leave_out` records that the format cannot carry, or whose answer is not clear, are left out and
    counted; else the first that cannot be carried is an error, and what is unclear is counted. A
    file at the target is replaced with `overwrite` only, a folder that holds something never.
    """
    target = work.target
    _refuse(work, overwrite=overwrite)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    report = ConversionReport()
    try:
        for piece in work.pieces:
            # The name stays: some formats make ids of it.
            inner = piece.target.relative_to(target)
            made = draft / target.name / inner
            ensure_folder(made.parent)
            passed: Watch = partial(_clear, report)
            if leave_out:
                passed = _Carried(work.writer, draft / "one" / target.name, report)
            report.records += _convert(piece, made, work.writer, lang, watch, passed)
            report.files += 1
            if compare:
                passed = iter
                if leave_out:
                    passed = _Carried(work.writer, draft / "one" / target.name, ConversionReport())
                report.lost += _losses(piece, made, work.writer, lang, passed)
        if target.is_dir():
            target.rmdir()
        refuse_taken(target, overwrite=overwrite)  # what came there meanwhile stays, too
        (draft / target.name).replace(target)
        sync_folder(target.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return report


def _records(piece: ConvertedFile, writer: Format, lang: str, watch: Watch = iter) -> Iterator[Any]:
    """The records of a piece as the writer wants them."""
    return _bridged(_placed(piece, lang, watch), piece.form, writer)


def _bridged(placed: Iterator[Placed], form: Format, writer: Format) -> Iterator[Any]:
    way = bridges.between(form, writer)
    assert not isinstance(way, str)  # `refuse_impossible` has made sure
    return way(placed)


def _placed(piece: ConvertedFile, lang: str, watch: Watch) -> Iterator[Placed]:
    for path in piece.sources:
        for line, record in watch(piece.form.read(path, lang)):
            yield path, line, record


def _unclear(record: Any) -> str:
    return str(record.meta.get(UNCLEAR, "")) if isinstance(record, MaskedExample) else ""


def _clear(report: ConversionReport, records: Iterable[Any]) -> Iterator[Any]:
    """Passes on all records, and counts those whose answer is not clear."""
    for record in records:
        if why := _unclear(record):
            report.unclear += 1
            report.unclear_why = report.unclear_why or f"{record.id}: {why}"
        yield record


class _Carried:
    """Passes on the records that the writer can write alone, and whose answer is clear.

    They are tried in batches, halved on error.
    """

    def __init__(self, writer: Format, draft: Path, report: ConversionReport) -> None:
        self._writer, self._draft, self._report = writer, draft, report

    def __call__(self, records: Iterable[Any]) -> Iterator[Any]:
        self._draft.parent.mkdir(parents=True, exist_ok=True)
        source = self._clear(records)
        while batch := list(islice(source, _BATCH)):
            yield from self._of(batch)

    def _clear(self, records: Iterable[Any]) -> Iterator[Any]:
        for record in records:
            if why := _unclear(record):
                self._report.left_out += 1
                self._report.why = self._report.why or f"{record.id}: {why}"
            else:
                yield record

    def _of(self, batch: list[Any]) -> list[Any]:
        assert self._writer.write is not None  # the plan has made sure
        try:
            self._writer.write(self._draft, batch)
            return batch
        except DataError as error:
            if len(batch) > 1:
                half = len(batch) // 2
                return self._of(batch[:half]) + self._of(batch[half:])
            self._report.left_out += 1
            self._report.why = self._report.why or error.message
            return []


def _convert(
    piece: ConvertedFile, made: Path, writer: Format, lang: str, watch: Watch, passed: Watch
) -> int:
    assert writer.write is not None  # the plan has made sure
    count = 0

    def counted() -> Iterator[Any]:
        nonlocal count
        for record in passed(_records(piece, writer, lang, watch)):
            count += 1
            yield record

    try:
        writer.write(made, counted())
    except DataError as error:
        if error.path != str(made):
            raise
        # The file that the user knows, not the draft that will be gone.
        remedy = "; ".join(filter(None, (error.remedy, "--leave-out goes on without such records")))
        raise DataError(error.message, path=piece.target, line=error.line, remedy=remedy) from None
    return count


def _losses(
    piece: ConvertedFile, made: Path, writer: Format, lang: str, passed: Watch
) -> Counter[str]:
    found: Counter[str] = Counter()
    again = (record for _, record in writer.read(made, lang))
    for before, after in zip_longest(passed(_records(piece, writer, lang)), again):
        found.update(sorted(lost(before, after)) if before and after else ("records",))
    return found
