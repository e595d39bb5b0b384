"""Convert files and folders from one format to another, and count losses on the way."""

from __future__ import annotations

import os
import shutil
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from corefmill.corpora import manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import ensure_folder, refuse_taken, sync_folder
from corefmill.corpora.formats import bad_mentions, conll2012, native, registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.masked_conll import cut_words, list_spans
from corefmill.corpora.records import (
    UNCLEAR,
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Record,
    Sentence,
    Source,
    Span,
    Token,
)
from corefmill.corpora.words import cut_or_tokens

Placed = tuple[Path, int, Any]
"""A record with the file and the line it was read from."""

Bridge = Callable[[Iterable[Placed]], Iterator[Any]]


def to_documents(examples: Iterable[Placed]) -> Iterator[Document]:
    """Convert masked examples to documents, with a cluster for each candidate.

    A target without a label is a cluster of its own. Raises `DataError` for a mention that splits
    a token of `meta["tokens"]` or reaches over the end of a sentence.
    """
    for path, line, example in examples:
        try:
            yield _convert_example(example)
        except ValueError as error:
            raise DataError(f"example {example.id}: {error}", path=path, line=line) from None


def _convert_example(example: MaskedExample) -> Document:
    """Convert a masked example to a document with a cluster for each candidate."""
    tokens = cut_words(example)
    ends = [end for _, end in example.sentences]
    groups: dict[int, list[Span]] = defaultdict(list)
    for token in tokens:
        groups[bisect_right(ends, token[0])].append(token)
    grouped = list(groups.values())
    place = _index_borders(grouped)
    clusters: dict[int, list[Mention]] = defaultdict(list)
    for cluster, span in sorted(list_spans(example)):
        clusters[cluster].append(_locate_mention(span, place))
    return Document(
        doc_id=example.id,
        part=0,
        lang=example.lang,
        sentences=tuple(_make_sentence(example.text, group) for group in grouped),
        clusters=tuple(tuple(clusters[number]) for number in sorted(clusters)),
        meta={"source": example.source.as_json(), "candidates": list(example.candidates)},
    )


def to_one_document(mentions: Iterable[Placed]) -> Iterator[Document]:
    """Join all event mentions of a file to one document, as clusters reach across paragraphs.

    A paragraph is a sentence of it, in the order in which they are first seen. `meta["sentences"]`
    names each one's source.
    """
    paragraphs: dict[tuple[Source, str], list[Placed]] = {}
    for placed in mentions:
        paragraphs.setdefault((placed[2].source, placed[2].text), []).append(placed)
    yield from _join_paragraphs([list(group) for group in paragraphs.values()])


def to_mention_sentences(mentions: Iterable[Placed]) -> Iterator[Document]:
    """Join event mentions to one document, each with a sentence of its own."""
    yield from _join_paragraphs([[placed] for placed in mentions])


def _join_paragraphs(paragraphs: list[list[Placed]]) -> Iterator[Document]:
    """Join groups of event mentions to one document, with a sentence for each group."""
    if not paragraphs:
        return
    sentences = []
    clusters: dict[str, list[Mention]] = defaultdict(list)
    for number, group in enumerate(paragraphs):
        first: EventMention = group[0][2]
        borders = [
            border
            for *_, mention in group
            for span in ((mention.start, mention.end), *mention.parts)
            for border in span
        ]
        try:
            # Those that the reader kept, since they cannot be found in the text alone.
            tokens = list(first.tokens) or cut_or_tokens(first.text, borders)
        except ValueError as error:
            raise DataError(f"mention {first.id}: {error}") from None
        place = _index_borders([tokens], number)
        sentences.append(_make_sentence(first.text, tokens))
        for path, line, mention in group:
            try:
                made = _locate_mention((mention.start, mention.end), place, mention.parts)
            except ValueError as error:
                raise DataError(f"mention {mention.id}: {error}", path=path, line=line) from None
            clusters[mention.cluster].append(made)
    path, _, first = paragraphs[0][0]
    yield Document(
        doc_id=disk.show_name(path.stem),
        part=0,
        lang=first.lang,
        sentences=tuple(sentences),
        clusters=tuple(map(tuple, clusters.values())),
        meta={"sentences": [group[0][2].source.as_json() for group in paragraphs]},
    )


Places = tuple[dict[int, tuple[int, int]], dict[int, tuple[int, int]]]
"""Where each character offset that begins, and that ends, a token lies: (sentence, token)."""


def _index_borders(groups: list[list[Span]], first: int = 0) -> Places:
    starts = {s: (g, n) for g, spans in enumerate(groups, first) for n, (s, _) in enumerate(spans)}
    ends = {e: (g, n) for g, spans in enumerate(groups, first) for n, (_, e) in enumerate(spans)}
    return starts, ends


def _locate_mention(span: Span, place: Places, parts: tuple[Span, ...] = ()) -> Mention:
    """Convert spans of characters to a mention in tokens. Raises `ValueError` for a split token."""
    starts, ends = place
    found = []
    for start, end in (span, *parts):
        if start not in starts or end not in ends:
            raise ValueError(f"mention [{start}, {end}) splits a token")
        (sentence, left), (other, right) = starts[start], ends[end]
        if sentence != other:
            raise ValueError(f"mention [{start}, {end}) reaches over the end of a sentence")
        found.append((left, right + 1))
    return Mention(sentence, *found[0], parts=tuple(found[1:]))


def _make_sentence(text: str, tokens: list[Span]) -> Sentence:
    """Make a sentence of a text's tokens, given as spans."""
    return Sentence(
        tuple(
            Token(text[start:end], space_after=not text[end : end + 1].strip())
            for start, end in tokens
        )
    )


_BRIDGES: dict[tuple[str, str], Bridge] = {
    ("masked-example/1", "document/1"): to_documents,
    ("event-mention/1", "document/1"): to_one_document,
    ("event-mention/1", conll2012.KEY.name): to_mention_sentences,
}
"""By schema, or, where a format wants more of a record, by its name."""

_NONE = {
    ("document/1", "masked-example/1"): "a document does not say which mention is the target",
    ("event-mention/1", "masked-example/1"): "an event mention has no candidates",
    ("document/1", "event-mention/1"): "nothing in a document says which mentions are events",
    ("masked-example/1", "event-mention/1"): "a masked name is no event",
}


def find_bridge(have: Format, want: Format) -> Bridge | str:
    """Find the function converting one format's records to another's, or why there is none."""
    if have.schema == want.schema:
        return lambda placed: (record for _, _, record in placed)
    return (
        _BRIDGES.get((have.schema, want.name))
        or _BRIDGES.get((have.schema, want.schema))
        or _NONE[have.schema, want.schema]
    )


def find_losses(before: Any, after: Any) -> set[str]:
    """Find the fields of a record changed or lost by a conversion.

    Named as a user knows them: `text`, `source.title`, `sentences.tokens.lemma`, `meta.tokens`.
    Clusters and the mentions in them are compared without their order, which says nothing.
    """
    return {name.removeprefix(".") for name in _compare(before, after, "")}


def _compare(before: Any, after: Any, name: str) -> Iterator[str]:
    """Yield the names of the fields with different values in two versions of a record."""
    if before == after or before is None or before in ("", (), [], {}):
        return
    if is_dataclass(before) and type(before) is type(after):
        for field in fields(before):
            old, new = getattr(before, field.name), getattr(after, field.name)
            yield from _compare(old, new, f"{name}.{field.name}")
    elif isinstance(before, dict) and isinstance(after, dict):
        # What the way added to meta is no loss.
        for key, value in before.items():
            yield from _compare(value, after.get(key), f"{name}.{key}")
    elif name.endswith(".clusters"):
        if {frozenset(cluster) for cluster in before} != {frozenset(c) for c in after or ()}:
            yield name
    # Sentence by sentence and token by token, where there are as many.
    elif (
        isinstance(before, tuple)
        and isinstance(after, tuple)
        and len(before) == len(after)
        and is_dataclass(before[0])
    ):
        for old, new in zip(before, after, strict=True):
            yield from _compare(old, new, name)
    else:
        yield name


Watch = Callable[[Iterable[Any]], Iterable[Any]]
"""What records pass through on their way, to show progress."""


_BATCH = 256
"""Records that are tried at once whether a format carries them."""


@dataclass(frozen=True)
class ConvertedFile:
    """Sources of one file of the output, all in the format `form`."""

    sources: tuple[Path, ...]
    target: Path
    form: Format


@dataclass(frozen=True)
class ConversionPlan:
    """Plan of a conversion; `left_out` are the folder's files of no format."""

    pieces: tuple[ConvertedFile, ...]
    target: Path
    writer: Format
    left_out: tuple[Path, ...] = ()


@dataclass
class ConversionReport:
    """Count of a conversion: records written, and losses by field.

    `left_out` counts records that the format cannot carry, `why` says what the first one lacks.
    `unclear` counts those whose answer is not clear; with `lenient` they are among the former.
    """

    records: int = 0
    files: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    why: str = ""
    unclear: int = 0
    unclear_why: str = ""


def plan(
    source: Path,
    target: Path,
    reader: Format | None = None,
    writer: Format | None = None,
    layer: str | None = None,
) -> ConversionPlan:
    """Plan a conversion: its formats, its input files and its output files.

    `layer` joins the spans of an annotation project; it is guessed where None is given.
    `target` is a file where its name has a suffix, or where `source` is a file. Raises `UsageError`
    where a format cannot be detected or written, or there is not one right way to it.
    """
    disk.require_path(source)
    forms, left_out = _find_files(source, reader)
    if layer:
        layered = {form.name: form.with_layer(layer) for form in forms.values()}
        forms = {path: layered[form.name] for path, form in forms.items()}
    first = next(iter(forms.values()))
    wanted = writer or choose_format(target, first)
    for path, form in forms.items():
        refuse_impossible(form, wanted, path)
    return ConversionPlan(
        tuple(_plan_files(source, target, forms, wanted)), target, wanted, tuple(left_out)
    )


def write(target: Path, records: Iterable[Record], own: Format, writer: Format) -> int:
    """Write records in a format and return the writer's count; `own` is their native format.

    Raises as `plan` and the format's writer do.
    """
    refuse_impossible(own, writer, target)
    assert writer.write is not None
    placed = ((target, number, record) for number, record in enumerate(records, 1))
    return writer.write(target, _bridge(placed, own, writer))


def refuse_impossible(form: Format, writer: Format, path: Path) -> None:
    """Raise `UsageError` where records of one format cannot be written in the other."""
    if writer.write is None:
        raise UsageError(f"the format {writer.name} can be read, but not written")
    way = find_bridge(form, writer)
    if isinstance(way, str):
        raise UsageError(f"{form.name} cannot be converted to {writer.name}: {way}", path=path)


def sources(source: Path, reader: Format | None = None) -> dict[Path, Format]:
    """Find the files to read at a path, each with its format.

    Raises `UsageError` where a format cannot be detected, or there is no file of one.
    """
    return _find_files(source, reader)[0]


def _find_files(source: Path, reader: Format | None) -> tuple[dict[Path, Format], list[Path]]:
    """Find the files to read, each with its format, and those of none."""
    if not source.is_dir():
        return {source: reader or registry.detect_format(source)}, []
    if (source / manifest.NAME).exists():
        made = manifest.read(source)
        form = native.BY_SCHEMA[made.schema]
        return {source / f"{split}.jsonl": form for split in made.splits}, []
    forms, left_out = registry.files_below(source, reader)
    if not forms:
        raise registry.make_format_error(source)
    return forms, left_out


def choose_format(target: Path, reader: Format) -> Format:
    """Choose the output format by the output's suffix. Raises `UsageError` unless one fits."""
    if target.suffix == ".jsonl":
        return native.BY_SCHEMA[reader.schema]
    # Formats with this ending that the records can be written in; `a.parquet` names three, of
    # which those of the records' own kind count.
    written = [form for form in registry.FORMATS.values() if form.write]
    fit = [
        form
        for form in written
        if target.name.endswith(form.suffix) and not isinstance(find_bridge(reader, form), str)
    ]
    if not fit and target.suffix:
        own = [form for form in written if form.schema == reader.schema]
        fit = [form for form in own if form.suffix.endswith(target.suffix)]
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
        f"the name of the output does not show which format to convert {reader.name} to",
        path=target,
        remedy=f"name the format with --to: {names}",
    )


def _plan_files(
    source: Path, target: Path, forms: dict[Path, Format], writer: Format
) -> Iterator[ConvertedFile]:
    """Yield each file of the output with its sources."""
    if not source.is_dir() or source in forms:
        yield ConvertedFile(tuple(forms), target, next(iter(forms.values())))
        return
    if target.suffix:
        if len(set(forms.values())) > 1:
            names = ", ".join(sorted({form.name for form in forms.values()}))
            said = f"the folder holds files of several formats: {names}"
            raise UsageError(said, path=source, remedy="name one of them with --from")
        yield ConvertedFile(tuple(forms), target, next(iter(forms.values())))
        return
    seen: dict[Path, Path] = {}
    for path, form in forms.items():
        own = path.relative_to(source)
        own = own.with_name(own.name.removesuffix(own.suffix) + writer.suffix)
        if own in seen:
            raise UsageError(f"{path.name} and {seen[own].name} both become {own}", path=source)
        seen[own] = path
        yield ConvertedFile((path,), target / own, form)


def _refuse_target(work: ConversionPlan, *, overwrite: bool) -> None:
    """Raise `UsageError` where the output cannot go to where the plan says."""
    target, read = work.target, [source for piece in work.pieces for source in piece.sources]
    if target.exists() and any(source.samefile(target) for source in read):
        raise UsageError("the output is the same file as the input", path=target)
    if target.is_dir() and any(target.iterdir()):
        raise UsageError("the output folder is not empty", path=target, remedy="name another")
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
    lenient: bool = False,
    watch: Watch = iter,
) -> ConversionReport:
    """Run a planned conversion whole or not at all, and report its losses.

    With `compare` the output is read again beside the input, to count losses. With `lenient` bad
    mentions are left out, then records that the format still cannot carry or whose answer is not
    clear, and all are counted; else the first that cannot be carried is an error, and what is
    unclear is counted. A file at the target is replaced with `overwrite` only, a folder that holds
    something never.
    """
    with bad_mentions.lenient(lenient):
        return _run(work, lang, overwrite, compare, lenient, watch)


def _run(
    work: ConversionPlan, lang: str, overwrite: bool, compare: bool, lenient: bool, watch: Watch
) -> ConversionReport:
    """Run a planned conversion within the scope of `lenient`."""
    target = work.target
    _refuse_target(work, overwrite=overwrite)
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    report = ConversionReport()
    try:
        for piece in work.pieces:
            # The name stays: some formats make ids of it.
            made = draft / target.name / piece.target.relative_to(target)
            ensure_folder(made.parent)
            records = _stream(piece, work.writer, lang, watch)
            skipped: set[int] = set()
            if lenient:
                records = _leave_out(
                    records, work.writer, draft / "one" / target.name, report, skipped
                )
            _write_draft(piece, made, work.writer, _count_records(records, report))
            report.files += 1
            if compare:
                given = enumerate(_stream(piece, work.writer, lang))
                before = (record for place, record in given if place not in skipped)
                again = (record for _, record in work.writer.read(made, lang))
                for old, new in zip_longest(before, again):
                    lost = sorted(find_losses(old, new)) if old and new else ["records"]
                    report.lost.update(lost)
        if target.is_dir():
            target.rmdir()
        refuse_taken(target, overwrite=overwrite)  # what came there meanwhile stays, too
        (draft / target.name).replace(target)
        sync_folder(target.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return report


def _stream(piece: ConvertedFile, writer: Format, lang: str, watch: Watch = iter) -> Iterator[Any]:
    """Stream the records of an output file's sources, converted to the writer's kind."""
    placed = (
        (path, line, record)
        for path in piece.sources
        for line, record in watch(piece.form.read(path, lang))
    )
    records = _bridge(placed, piece.form, writer)
    return (bad_mentions.keep_carried(record, writer.name) for record in records)


def _bridge(placed: Iterable[Placed], form: Format, writer: Format) -> Iterator[Any]:
    way = find_bridge(form, writer)
    assert not isinstance(way, str)  # `refuse_impossible` has made sure
    return way(placed)


def _unclear(record: Any) -> str:
    return str(record.meta.get(UNCLEAR, "")) if isinstance(record, MaskedExample) else ""


def _count_records(records: Iterable[Any], report: ConversionReport) -> Iterator[Any]:
    """Pass records on, counting them and those with an unclear answer in the report."""
    for record in records:
        report.records += 1
        if why := _unclear(record):
            report.unclear += 1
            report.unclear_why = report.unclear_why or f"{record.id}: {why}"
        yield record


def _leave_out(
    records: Iterable[Any],
    writer: Format,
    draft: Path,
    report: ConversionReport,
    skipped: set[int],
) -> Iterator[Any]:
    """Pass on the writable records; count unclear and refused ones, and collect their places.

    Records are written to `draft` in batches, which are halved until the refused one is alone.
    """
    write = writer.write
    assert write is not None  # the plan has made sure
    draft.parent.mkdir(parents=True, exist_ok=True)

    def skip(place: int, why: str) -> None:
        skipped.add(place)
        report.left_out += 1
        report.why = report.why or why

    def select_writable(batch: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
        """Select the records of a batch that can be written, by halving refused batches."""
        try:
            write(draft, [record for _, record in batch])
            return batch
        except DataError as error:
            if len(batch) > 1:
                half = len(batch) // 2
                return select_writable(batch[:half]) + select_writable(batch[half:])
            skip(batch[0][0], error.message)
            return []

    def skip_unclear() -> Iterator[tuple[int, Any]]:
        """Yield the records with a clear answer, and count the others."""
        for place, record in enumerate(records):
            if why := _unclear(record):
                skip(place, f"{record.id}: {why}")
            else:
                yield place, record

    source = skip_unclear()
    while batch := list(islice(source, _BATCH)):
        yield from (record for _, record in select_writable(batch))


def _write_draft(piece: ConvertedFile, made: Path, writer: Format, records: Iterable[Any]) -> None:
    """Write records to a draft, naming the final output file in errors."""
    assert writer.write is not None  # the plan has made sure
    try:
        writer.write(made, records)
    except DataError as error:
        if error.path != str(made):
            raise
        # The file that the user knows, not the draft that will be gone.
        remedy = "; ".join(
            filter(None, (error.remedy, "--lenient leaves out such a mention, or the record"))
        )
        raise DataError(error.message, path=piece.target, line=error.line, remedy=remedy) from None
