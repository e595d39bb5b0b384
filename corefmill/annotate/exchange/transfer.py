"""Exports a corpus to an annotation tool, and imports what the tool gives back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.annotate import judgements, questions
from corefmill.annotate.exchange import chains
from corefmill.annotate.exchange.chains import PlainDocument, ReadChains
from corefmill.annotate.exchange.table import ChainExchange, Exchange
from corefmill.annotate.questions import AnnotationItem
from corefmill.annotate.rounds import drawn
from corefmill.builders.runner.stages import seeded
from corefmill.corpora import disk, jsonl
from corefmill.corpora.atomic import make_way
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.ownership import together
from corefmill.corpora.records import Document
from corefmill.corpora.splits import NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSelection:
    """Which items or documents are exported: of a split, at most so many, drawn by the seed.

    Without a split they are all, but of event mentions those of train.
    """

    split: str | None = None
    limit: int | None = None
    seed: int = 0


@dataclass(slots=True)
class TransferReport:
    """How much of what was exported or imported, and what was not read, by its kind."""

    what: str
    count: int
    left_out: Counter[str] = field(default_factory=Counter)


def export(
    corpus: Path,
    out: Path,
    tool: Exchange,
    selection: TaskSelection,
    *,
    as_chains: bool,
    overwrite: bool,
) -> TransferReport:
    """Writes into the folder `out` what the tool reads.

    Raises `UsageError` where the tool cannot carry what is asked, `DataError` for a record that it
    cannot hold.
    """
    if as_chains or tool.questions is None:
        documents = _documents(corpus, selection)
        chain_tool = _chains_of(tool)
        with together(out, chain_tool.names(documents), overwrite=overwrite):
            chain_tool.write(out, documents)
        return TransferReport("documents", len(documents))
    items = chosen(corpus, selection)
    with together(out, tool.questions.names(items), overwrite=overwrite):
        tool.questions.write(out, items)
    return TransferReport("items", len(items))


def _chains_of(tool: Exchange) -> ChainExchange:
    if tool.chains is None:
        raise UsageError(f"{tool.name} carries no chains", remedy="leave out --chains")
    return tool.chains


def chosen(corpus: Path, selection: TaskSelection) -> list[AnnotationItem]:
    """The items that are selected; raises `UsageError` for a split that is not there, `DataError`
    where there is nothing to be judged."""
    found = list(questions.items(corpus))
    splits = list(dict.fromkeys(item.split for item in found))
    if selection.split is not None:
        wanted = NAMES.get(selection.split, selection.split)
        if wanted not in splits:
            raise _no_split(selection.split, splits, corpus)
        splits = [wanted]
    elif any(item.kind == questions.EVENT for item in found):
        splits = [name for name in splits if name != "train"] or splits
    taken, _ = drawn(found, seed=selection.seed, splits=splits, limit=selection.limit)
    if not taken:
        raise DataError("there is nothing in it to be judged", path=corpus)
    return taken


def _documents(corpus: Path, selection: TaskSelection) -> list[PlainDocument]:
    found = list(chains.documents(corpus))
    splits = list(dict.fromkeys(one.split for one in found))
    if selection.split is not None:
        wanted = NAMES.get(selection.split, selection.split)
        if wanted not in splits:
            raise _no_split(selection.split, splits, corpus)
        found = [one for one in found if one.split == wanted]
    order = sorted(found, key=lambda one: seeded(selection.seed, "drawn", one.number).random())
    return sorted(order[: selection.limit], key=lambda one: one.number)


def _no_split(name: str, splits: Sequence[str], corpus: Path) -> UsageError:
    return UsageError(f"no split {name!r}; there are {', '.join(splits)}", path=corpus)


def import_answers(
    corpus: Path,
    files: Sequence[Path],
    out: Path,
    tool: Exchange,
    *,
    as_chains: bool,
    rater: str | None,
    overwrite: bool,
) -> TransferReport:
    """Writes judgements, or documents with the chains that were read, as JSON Lines.

    `rater` takes the answers of one alone. Raises `DataError` that names the file, and the line
    where it has any, for what is not of this corpus.
    """
    make_way(out, overwrite=overwrite)
    paths = [path for file in files for path in _below(file, tool)]
    if as_chains or tool.questions is None:
        return _import_chains(corpus, paths, out, _chains_of(tool), rater)
    items = {item.id: item for item in questions.items(corpus)}
    read = tool.questions.read
    found = [one for path in paths for one in read(path, items) if rater in (None, one.rater)]
    _refuse_none(found, files, rater)
    return TransferReport("judgements", judgements.write(out, found))


def _below(file: Path, tool: Exchange) -> list[Path]:
    disk.need(file)
    if not file.is_dir():
        return [file]
    if found := disk.below(file, (tool.ending,)):
        return found
    raise DataError(f"no file *{tool.ending} here", path=file)


def _refuse_none(found: Sequence[object], files: Sequence[Path], rater: str | None) -> None:
    if not found:
        of = "" if rater is None else f" of {rater!r}"
        raise DataError(f"there is no answer{of} in it", path=files[0])


def _import_chains(
    corpus: Path, paths: Sequence[Path], out: Path, tool: ChainExchange, rater: str | None
) -> TransferReport:
    left_out: Counter[str] = Counter()
    read: dict[int, tuple[Path, ReadChains]] = {}
    for path in paths:
        for one in tool.read(path):
            if rater not in (None, one.rater):
                continue
            if one.number in read:
                before, other = read[one.number]
                whose = f"by {other.rater or before.name} and {one.rater or path.name}"
                raise DataError(
                    f"document {one.number} comes twice, {whose}",
                    path=path,
                    remedy="--rater NAME takes the answers of one",
                )
            read[one.number] = path, one
            left_out += one.left_out
    _refuse_none(list(read), paths, rater)
    made = [_judged(one, read, left_out) for one in chains.documents(corpus) if one.number in read]
    if unknown := sorted(read.keys() - {number for number, _ in made}):
        raise DataError(f"no document {unknown[0]} in the corpus", path=read[unknown[0]][0])
    jsonl.write(out, [document for _, document in made])
    return TransferReport("documents", len(made), left_out=left_out)


def _judged(
    own: PlainDocument, read: dict[int, tuple[Path, ReadChains]], left_out: Counter[str]
) -> tuple[int, Document]:
    path, one = read[own.number]
    document = chains.judged(own, one, path)
    labels = (mention.label for cluster in one.clusters for mention in cluster)
    if own_labels := sum(1 for label in labels if label and not label.startswith("parts")):
        left_out["labels of mentions"] += own_labels
    return own.number, document
