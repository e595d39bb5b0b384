"""Load a key or a response of any format: clusters, answers to GAP, or masked examples.

1. Files with `#begin document` are read by their coreference column (see `column`); a folder of
   such files, named *conll, file by file.
2. Files in GAP's columns, also as pandas or a hub saves them, and answers to them in three or
   four, are read by `gap`.
3. Any other format is read through the registry. Documents are matched by name and part, event
   mentions and masked examples by id. All event mentions of a file are one document, as is the
   field's custom, unless they are grouped: by a key of their `meta`, or by `article`.
4. Where mentions are to be compared by their nodes, CoNLL-U alone is read, by `nodes`: a file, or
   those of a folder.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats.brackets import BEGIN
from corefmill.corpora.scoring import gap, readers
from corefmill.corpora.scoring.alignment import ScoredDocument
from corefmill.corpora.scoring.gap import GapAnswer

if TYPE_CHECKING:  # takes longer to import than a score of a small file takes
    from corefmill.corpora.formats.conll_columns import ColumnLayout
    from corefmill.corpora.formats.form import Format
    from corefmill.corpora.records import Document, EventMention, MaskedExample, Mention

_ACROSS = "clusters reach across articles: all mentions of the file are scored as one document"

ARTICLE = "article"
"""The group of event mentions by their article."""

_HEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class Texts:
    """Documents with clusters, or event mentions in clusters; `note` is a remark on the score.

    Event mentions (`of_events`) can be grouped.
    """

    path: Path
    texts: list[ScoredDocument]
    note: str = ""
    of_events: bool = False


@dataclass(frozen=True, slots=True)
class Answers:
    """Rows of GAP by id."""

    path: Path
    rows: dict[str, GapAnswer]


@dataclass(frozen=True, slots=True)
class Examples:
    """Masked examples by id."""

    path: Path
    examples: dict[str, MaskedExample]


Source = Texts | Answers | Examples


def load(
    path: Path,
    *,
    form: str | None = None,
    group: str | None = None,
    key: Source | None = None,
    nodes: bool = False,
    columns: bool = False,
    layout: ColumnLayout | None = None,
) -> Source:
    """Load a file or folder; a response is made comparable with its `key`.

    `form` names the format where it cannot be detected, `group` what event mentions are
    grouped by; `nodes` keeps the mentions' nodes (rule 4), `columns` also the lines of all words;
    `layout` are the columns of a CoNLL table.
    Raises `DataError` for a file that cannot be read, that holds nothing, or that does not go with
    the key, and `UsageError` for a group of anything but event mentions.
    """
    disk.require_path(path)
    found = _load_nodes(path, form, columns) if nodes else _load(path, form, group, key, layout)
    if group is not None and not (isinstance(found, Texts) and found.of_events):
        what = "documents" if isinstance(found, Texts) else _WHAT[type(found)]
        raise UsageError(
            f"the file holds {what}, but --group is for event mentions only",
            path=path,
            remedy="leave --group out",
        )
    if isinstance(key, Answers) and isinstance(found, Examples):
        rows = {
            name: GapAnswer((one.label == 0, one.label == 1))
            for name, one in found.examples.items()
        }
        found = Answers(path, rows)
    if isinstance(key, Examples) and isinstance(found, Examples):
        names = _as_in_key(found.examples, path, key.path, key.examples)
        found = Examples(path, {names.get(name, name): one for name, one in found.examples.items()})
    if isinstance(key, Texts) and isinstance(found, Texts):
        own = [text.name for text in found.texts]
        names = _as_in_key(own, path, key.path, (text.name for text in key.texts))
        texts = [replace(text, name=names.get(text.name, text.name)) for text in found.texts]
        found = replace(found, texts=texts)
    if key is not None and type(found) is not type(key):
        raise DataError(
            f"the response holds {_WHAT[type(found)]}, but the key {key.path} {_WHAT[type(key)]}",
            path=path,
        )
    return found


_WHAT = {Texts: "clusters", Answers: "answers to GAP", Examples: "masked examples"}


def _load(
    path: Path, form: str | None, group: str | None, key: Source | None, layout: ColumnLayout | None
) -> Source:
    """Load a file in any format, or a folder, by rules 1 to 3."""
    if form is None:
        if path.is_file() and not path.stat().st_size:
            raise DataError("no documents here, the file is empty", path=path)
        if tables := _find_conll(path):
            texts = (text for table in tables for text in readers.read_columns(table, layout))
            return Texts(path, list(texts))
    from corefmill.corpora.formats import registry  # takes longer to import than a score takes

    if form is None:
        names = {one.name for one in registry.candidates(path)}
        if names == {"gap"} or (isinstance(key, Answers) and not names):
            return Answers(path, gap.read_gap(path, key=key is None))
    chosen = registry.get_format(form) if form else registry.detect_format(path)
    if chosen.schema == "document/1":
        from corefmill.corpora.records import Document

        documents = (one for _, one in chosen.read(path, "und") if isinstance(one, Document))
        return Texts(path, list(map(text_of, documents)))
    return (
        _load_events(path, chosen, group)
        if chosen.schema == "event-mention/1"
        else _load_examples(path, chosen)
    )


def _load_nodes(path: Path, form: str | None, columns: bool) -> Texts:
    """Load CoNLL-U, or a folder's files *.conllu, naming documents by file and name."""
    from corefmill.corpora.formats.corefud_entity import suits

    files = [path]
    if path.is_dir():
        files = [file for file in disk.list_folder(path) if file.name.endswith(".conllu")]
        if not files:
            raise DataError("no files *.conllu here", path=path)
    texts: list[ScoredDocument] = []
    for file in files:
        if form is not None or not suits(file.name, _head(file)):
            from corefmill.corpora.formats import registry  # takes longer than a score takes
            from corefmill.corpora.formats.corefud import FORMAT

            chosen = registry.get_format(form) if form else registry.detect_format(file)
            if chosen.name != FORMAT.name:
                raise UsageError(
                    f"the format is {chosen.name}, but --match and --zeros need CoNLL-U",
                    path=file,
                    remedy="without these options mentions match where their spans are equal",
                )
        for text in readers.read_nodes(file, columns=columns):
            name = f"{disk.show_name(file.stem)}/{text.name}" if path.is_dir() else text.name
            texts.append(replace(text, name=name))
    return Texts(path, texts)


def _find_conll(path: Path) -> list[Path]:
    """Find the CoNLL files at a path: the file itself, or those in a folder."""
    if path.is_dir():
        below = disk.list_folder(path)
        return [file for file in below if file.name.endswith("conll") and _find_conll(file)]
    # CoNLL-UA may have that ending, too.
    if path.name.endswith("conll") and not _head(path).startswith("# global.columns"):
        return [path]
    for line in _head(path).splitlines():  # comments may stand before the first document
        if BEGIN.match(line):
            return [path]
        if line.strip() and not line.startswith("#"):
            break
    return []


def _head(path: Path) -> str:
    if path.is_dir():
        return ""
    return disk.read_head(path, _HEAD)


def text_of(document: Document) -> ScoredDocument:
    """Convert a document, mentions counted over all its tokens as in the column."""
    before = [0, *accumulate(len(sentence.tokens) for sentence in document.sentences)]
    genre = document.meta.get("genre")
    return ScoredDocument(
        document.doc_id,
        document.part,
        before[-1],
        [[_make_key(mention, before) for mention in cluster] for cluster in document.clusters],
        genre if isinstance(genre, str) else None,
        lang=document.lang if document.lang != "und" else "",
    )


def _make_key(mention: Mention, before: list[int]) -> Hashable:
    """Make the key of a mention: two numbers, and more for zeros and pieces."""
    offset = before[mention.sentence]
    place = mention.start + offset, mention.end + offset
    if mention.zero:
        return (*place, "zero")
    if mention.parts:
        return (*place, *((start + offset, end + offset) for start, end in mention.parts))
    return place


def _load_events(path: Path, form: Format, group: str | None) -> Texts:
    """Load event mentions of any format, as one document for each group."""
    from corefmill.corpora.records import EventMention

    groups: dict[str, dict[str, list[Hashable]]] = {}
    seen: set[str] = set()
    for number, mention in form.read(path, "und"):
        assert isinstance(mention, EventMention)
        if mention.id in seen:
            raise DataError(f"mention {mention.id} is there twice", path=path, line=number)
        seen.add(mention.id)
        name = "events" if group is None else _find_group(mention, group, path, number)
        groups.setdefault(name, {}).setdefault(mention.cluster, []).append(mention.id)
    texts = [ScoredDocument(name, 0, None, list(own.values())) for name, own in groups.items()]
    return Texts(path, texts, _ACROSS if group is None else "", of_events=True)


def _find_group(mention: EventMention, group: str, path: Path, number: int) -> str:
    """Return the group of an event mention. Raises `UsageError` where its meta has none."""
    if group == ARTICLE:
        return mention.source.title
    if group not in mention.meta:
        raise UsageError(
            f"the meta of mention {mention.id} has no {group!r} to group by",
            path=path,
            line=number,
            remedy=f"--group takes {', '.join((ARTICLE, *mention.meta))}",
        )
    return str(mention.meta[group])


def _load_examples(path: Path, form: Format) -> Examples:
    """Load masked examples of any format by their ids."""
    from corefmill.corpora.records import MaskedExample

    found: dict[str, MaskedExample] = {}
    for number, example in form.read(path, "und"):
        assert isinstance(example, MaskedExample)
        if example.id in found:
            raise DataError(f"example {example.id} is there twice", path=path, line=number)
        found[example.id] = example
    return Examples(path, found)


def _as_in_key(names: Iterable[str], path: Path, key: Path, there: Iterable[str]) -> dict[str, str]:
    """Map names that were made of a response's file name to those made of the key's.

    Empty where a name is in the key as it is, or was not made of the file's name.
    """
    names, (own, other) = list(names), (f"{disk.show_name(one.stem)}-" for one in (path, key))
    if not set(names).isdisjoint(there) or not all(name.startswith(own) for name in names):
        return {}
    return {name: other + name.removeprefix(own) for name in names}
