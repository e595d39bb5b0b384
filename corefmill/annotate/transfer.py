"""Export a corpus to an annotation tool, and import its answers.

Label Studio carries questions and, on demand, documents with their chains; INCEpTION documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.annotate import documents, judgements, label_studio, questions, webanno
from corefmill.annotate.documents import ReadChains
from corefmill.annotate.questions import AnnotationItem
from corefmill.annotate.rounds import draw_items
from corefmill.builders.run.stages import seeded
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import together
from corefmill.corpora.files.writing import make_way
from corefmill.corpora.records import Document
from corefmill.corpora.splits import NAMES

LABEL_STUDIO, INCEPTION = "label-studio", "inception"
_CHAINS = {LABEL_STUDIO: label_studio, INCEPTION: webanno}
_ENDINGS = {LABEL_STUDIO: ".json", INCEPTION: ".tsv"}


@dataclass(slots=True)
class TransferReport:
    """The size of an export or import; `left_out` counts by kind the unread annotations."""

    what: str
    count: int
    left_out: Counter[str] = field(default_factory=Counter)


def export(
    corpus: Path,
    out: Path,
    tool: str,
    *,
    split: str | None,
    limit: int | None,
    seed: int,
    as_chains: bool,
    overwrite: bool,
) -> TransferReport:
    """Write the files of the tool into the folder `out`.

    Raises `UsageError` for a split that is not there, `DataError` for a record that the tool cannot
    hold.
    """
    if as_chains or tool == INCEPTION:
        found = list(documents.read_documents(corpus))
        if split is not None:
            split = _find_split(split, [one.split for one in found], corpus)
            found = [one for one in found if one.split == split]
        order = sorted(found, key=lambda one: seeded(seed, "drawn", one.number).random())
        found = sorted(order[:limit], key=lambda one: one.number)
        with together(out, _CHAINS[tool].chain_names(found), overwrite=overwrite):
            _CHAINS[tool].write_chains(out, found)
        return TransferReport("documents", len(found))
    items = choose_items(corpus, split, limit, seed)
    with together(out, label_studio.question_names(items), overwrite=overwrite):
        label_studio.write_questions(out, items)
    return TransferReport("items", len(items))


def choose_items(
    corpus: Path, split: str | None, limit: int | None, seed: int
) -> list[AnnotationItem]:
    """Draw at most `limit` items of a split, by default of all but the training split of events.

    Raises `UsageError` for an unknown split, `DataError` where there is nothing to be judged.
    """
    found = list(questions.items(corpus))
    splits = list(dict.fromkeys(item.split for item in found))
    if split is not None:
        splits = [_find_split(split, splits, corpus)]
    elif any(item.kind == questions.EVENT for item in found):
        splits = [name for name in splits if name != "train"] or splits
    taken, _ = draw_items(found, seed=seed, splits=splits, limit=limit)
    if not taken:
        raise DataError("there is nothing in it to be judged", path=corpus)
    return taken


def _find_split(split: str, splits: Sequence[str], corpus: Path) -> str:
    wanted = NAMES.get(split, split)
    if wanted not in splits:
        known = ", ".join(dict.fromkeys(splits))
        raise UsageError(f"no split {split!r}; there are {known}", path=corpus)
    return wanted


def import_answers(
    corpus: Path,
    files: Sequence[Path],
    out: Path,
    tool: str,
    *,
    as_chains: bool,
    rater: str | None,
    overwrite: bool,
) -> TransferReport:
    """Write the judgements of a tool, or documents with its chains, as JSON Lines.

    `rater` takes the answers of one alone. Raises `DataError` with the file, and the line where it
    has any, for answers about another corpus.
    """
    make_way(out, overwrite=overwrite)
    paths: list[Path] = []
    for file in files:
        disk.require_path(file)
        if not file.is_dir():
            paths.append(file)
        elif below := disk.list_below(file, (_ENDINGS[tool],)):
            paths += below
        else:
            raise DataError(f"no file *{_ENDINGS[tool]} here", path=file)
    if as_chains or tool == INCEPTION:
        return _import_chains(corpus, paths, out, tool, rater)
    items = {item.id: item for item in questions.items(corpus)}
    read = label_studio.read_questions
    found = [one for path in paths for one in read(path, items) if rater in (None, one.rater)]
    _refuse_none(found, files, rater)
    return TransferReport("judgements", judgements.write(out, found))


def _refuse_none(found: Sequence[object], files: Sequence[Path], rater: str | None) -> None:
    if not found:
        of = "" if rater is None else f" of {rater!r}"
        raise DataError(f"there is no answer{of} in it", path=files[0])


def _import_chains(
    corpus: Path, paths: Sequence[Path], out: Path, tool: str, rater: str | None
) -> TransferReport:
    left_out: Counter[str] = Counter()
    read: dict[int, tuple[Path, ReadChains]] = {}
    for path in paths:
        for one in _CHAINS[tool].read_chains(path):
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
    made: dict[int, Document] = {}
    for own in documents.read_documents(corpus):
        if own.number in read:
            path, one = read[own.number]
            made[own.number] = documents.apply_chains(own, one, path)
            labels = [mention.label for cluster in one.clusters for mention in cluster]
            theirs = sum(1 for label in labels if label and not label.startswith("parts"))
            left_out["labels of mentions"] += theirs
    if unknown := sorted(read.keys() - made.keys()):
        raise DataError(f"no document {unknown[0]} in the corpus", path=read[unknown[0]][0])
    jsonl.write(out, made.values())
    return TransferReport("documents", len(made), left_out=+left_out)
