"""Read the raters' material: questions and guidelines, items of a corpus, and passages.

A passage is the part of an item's text that fits a page: a window around the mark, its control
codes shown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from corefmill.builders.wec.facts.event_facts import EVENT_NOTES, EventNote
from corefmill.corpora import find
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.files.terminal import printable
from corefmill.corpora.records import MASK, Document, EventMention, MaskedExample
from corefmill.corpora.statistics import pronouns
from corefmill.rules.documents import read_texts

SKIPPED = ""
"""The answer of a rater who skips an item."""
NONE = "none"
"""The answer to a question about candidates: none of them is meant, or the text does not tell."""

EVENT, NAME, PRONOUN, UTTERANCE = "event-mention", "masked-name", "pronoun-problem", "utterance"
CHAINS = "chains"
"""The kind of documents whose clusters are corrected, by any number of acts."""
ACT = "act"
"""The question of a row that holds an act."""

Mark = tuple[int, int, str]
"""Half-open in characters of the item's text, and what stands there: mention, mask, pronoun."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer or a reason: the key that gives it, its name in a judgement, its words."""

    key: str
    name: str
    label: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question: its name in a judgement, its words, and what may be answered.

    Where it has `options`, the candidates of the item are answers as well. A reason is an answer by
    itself: it says `answers_with`, and why.
    """

    name: str
    ask: str
    answers: tuple[Answer, ...]
    options: bool = False
    answers_with: str = SKIPPED
    reasons: tuple[Answer, ...] = ()

    def label(self, answer: str, reason: str = "") -> str:
        """Describe an answer, or the reason for it, in the words of its button."""
        if reason:
            return next((one.label for one in self.reasons if one.name == reason), reason)
        if self.options and answer != NONE:
            return answer or "Skipped"
        return next((one.label for one in self.answers if one.name == answer), answer or "Skipped")


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions about items of one kind, and the guidelines (Markdown) for any rater."""

    kind: str
    title: str
    guidelines: str
    questions: tuple[Question, ...]


@cache
def load_questions() -> Mapping[str, QuestionSet]:
    """Read the questions about each kind of item from questions.toml."""
    tables = disk.read_package_table(__file__, "questions")
    rows = {kind: {"kind": kind, **row} for kind, row in tables.items()}
    return TypeAdapter(dict[str, QuestionSet]).validate_python(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationItem:
    """The item of a judgement: a text with marks, options to choose from, facts to read beside it.

    `kind` is a key of `load_questions()`. Items of one `group` are judged one after the other:
    those of an event, of an article, of a document. `options` stand in the record's order, which a
    page or prompt has to shuffle. `facts` are (name, text). `source` is the text from which an
    utterance was translated, to be shown on request only. The label of the corpus is not in it.
    """

    id: str
    kind: str
    lang: str
    split: str
    group: str
    text: str
    marks: tuple[Mark, ...] = ()
    options: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    source: str = ""


def answers_to(question: Question, item: AnnotationItem) -> Iterator[tuple[str, str]]:
    """Yield the possible answers to a question about an item, with reasons, without skipping."""
    yield from ((one.name, "") for one in question.answers)
    yield from ((question.answers_with, one.name) for one in question.reasons)
    if question.options:
        yield from ((option, "") for option in item.options)


def find_item(
    known: Mapping[str, AnnotationItem], name: str, path: Path, line: int
) -> AnnotationItem:
    """Find the item of an answer by its id; raise `DataError` for an unknown id."""
    if name in known:
        return known[name]
    raise DataError(
        f"the corpus has no item {name[:60]!r}",
        path=path,
        line=line,
        remedy="name the corpus that the raters judged",
    )


def read_items(corpus: Path) -> Iterator[AnnotationItem]:
    """Read the items of a corpus, split by split; a group's items stand together.

    Events stand cluster by cluster, in the order of the corpus, and within one the mentions of the
    same words and article beside each other: one decision helps with the next. Raises `DataError`
    for an unreadable corpus, a repeated id, and a candidate with the name of the answer `NONE`.
    """
    found = find.open_corpus(corpus)
    notes: _Notes = {}  # what the corpus tells of its events, by cluster and language
    path = corpus / EVENT_NOTES
    if corpus.is_dir() and path.is_file():
        notes = {(note.cluster, note.lang): note for note in jsonl.read(path, EventNote)}
    seen: set[str] = set()
    for split in found.splits:
        placed = find.read_placed(found, split)
        for path, line, item in _make_items(placed, split, notes):
            if item.id in seen:
                raise DataError(f"two items have the id {item.id[:60]!r}", path=path, line=line)
            if NONE in item.options:
                raise DataError(
                    f"a candidate is called {NONE!r}, as the answer for no candidate",
                    path=path,
                    line=line,
                )
            seen.add(item.id)
            yield item


_PlacedItem = tuple[Path, int, AnnotationItem]
_Notes = Mapping[tuple[str, str], EventNote]


def _make_items(placed: Iterator[find.Placed], split: str, notes: _Notes) -> Iterator[_PlacedItem]:
    """Make the items of the records of a split, each with its file and line."""
    clusters: defaultdict[str, list[tuple[Path, int, EventMention]]] = defaultdict(list)
    for path, line, record in placed:
        if isinstance(record, EventMention):
            clusters[record.cluster].append((path, line, record))
            continue
        with naming(path, line):
            if isinstance(record, MaskedExample):
                yield path, line, _make_example_item(record, split)
            elif isinstance(record, Document):
                yield from ((path, line, item) for item in _make_utterance_items(record, split))
    for own in clusters.values():
        spelt = Counter(_fold_words(mention) for *_, mention in own)
        own.sort(
            key=lambda one: (-spelt[_fold_words(one[2])], _fold_words(one[2]), one[2].source.title)
        )
        for path, line, mention in own:
            note = notes.get((mention.cluster, mention.lang))
            yield path, line, _make_event_item(mention, split, len(own), note)


def _fold_words(mention: EventMention) -> str:
    """Fold the case of a mention's words, to group mentions of the same words."""
    return mention.text[mention.start : mention.end].casefold()


def _make_event_item(
    mention: EventMention, split: str, mentions: int, note: EventNote | None
) -> AnnotationItem:
    """Make the item of an event mention, with the facts about its event."""
    spans = mention.parts or ((mention.start, mention.end),)
    said = {
        "Event": mention.cluster_title,
        "About": note.text if note else "",
        "Type": mention.event_type,
        **(note.facts if note else {}),
        "Mentions": str(mentions),
        "Paragraph of": mention.source.title,
    }
    return AnnotationItem(
        id=mention.id,
        kind=EVENT,
        lang=mention.lang,
        split=split,
        group=mention.cluster,
        text=mention.text,
        marks=tuple((start, end, "mention") for start, end in sorted(spans)),
        facts=tuple((name, text) for name, text in said.items() if text),
    )


def is_pronoun_problem(example: MaskedExample) -> bool:
    """Whether an example has two persons and a pronoun, as in KnowRef, GAP, Winograd schemas."""
    return len(example.candidates) == 2 and (
        "connective" in example.meta
        or example.text[slice(*example.target)].casefold() in pronouns(example.lang)
    )


def _make_example_item(example: MaskedExample, split: str) -> AnnotationItem:
    """Make the item of a masked example: a masked name, or a pronoun and two persons."""
    start, end = example.target
    is_pronoun = is_pronoun_problem(example)
    if is_pronoun:
        text, mark = example.text, (start, end, "pronoun")
    else:
        text, mark = example.masked_text, (start, start + len(MASK), "mask")
    return AnnotationItem(
        id=example.id,
        kind=PRONOUN if is_pronoun else NAME,
        lang=example.lang,
        split=split,
        group=example.source.title,
        text=text,
        marks=(mark,),
        options=example.candidates,
    )


def _make_utterance_items(document: Document, split: str) -> Iterator[AnnotationItem]:
    """Make an item of each utterance of a document, with its source if translated."""
    sources = _find_sources(document)
    for index, text in read_texts(document):
        yield AnnotationItem(
            id=f"{document.doc_id}/{document.part}/{index}",
            kind=UTTERANCE,
            lang=document.lang,
            split=split,
            group=f"{document.doc_id}/{document.part}",
            text=text,
            source=sources.get(index, ""),
        )


def _find_sources(document: Document) -> Mapping[int, str]:
    """Find the source text of each utterance of a translated document, by utterance number.

    The meta has a row for each utterance under the language's name (`meta["english"]`).
    """
    for kept in document.meta.values():
        if isinstance(kept, list) and len(kept) == len(document.sentences):
            rows = [one.get("text") if isinstance(one, dict) else None for one in kept]
            if all(isinstance(text, str) for text in rows):
                return {index: str(text) for index, text in enumerate(rows)}
    return {}


WIDTH = 4_000
"""Longest passage of a page, in characters. Each takes at most six bytes as HTML, so that a page
stays far below 100 KB whatever the text."""
_BEFORE = 1_500
"""Characters shown before a mark, where the text is longer than the window."""
_SHORT, LONG = 200, 800
"""Characters of a name, and of a fact such as the beginning of an event's article."""


def cut_window(item: AnnotationItem) -> list[tuple[str, str]]:
    """Cut out the text around an item's first mark, in pieces as of `cut_at_marks`."""
    first = min((start for start, *_ in item.marks), default=0)
    start = max(0, min(first - _BEFORE, len(item.text) - WIDTH))
    end = min(len(item.text), start + WIDTH)
    before, behind = [("", "… ")] * (start > 0), [("", " …")] * (end < len(item.text))
    return [*before, *cut_at_marks(item, start, end), *behind]


def bracket_marks(item: AnnotationItem) -> str:
    """Write an item's text with the judged words in [ ]; a mask needs no brackets."""
    made, done = [], 0
    for start, end, style in item.marks:
        if style != "mask":
            made += [item.text[done:start], "[", item.text[start:end], "]"]
            done = end
    return "".join((*made, item.text[done:]))


def shorten(text: str, most: int = _SHORT) -> str:
    """Shorten a name or fact to one printable line."""
    line = " ".join(text.split())
    return printable(line if len(line) <= most else line[: most - 1] + "…")


def cut_at_marks(
    item: AnnotationItem, start: int = 0, end: int | None = None
) -> list[tuple[str, str]]:
    """Cut an item's text at its marks into pieces: (class of the mark or "", text)."""
    found, text, place = [], item.text, start
    end = len(text) if end is None else end
    for first, last, style in sorted(item.marks):
        first, last = max(first, place), min(last, end)
        if first >= last:
            continue
        if place < first:
            found.append(("", printable(text[place:first])))
        found.append((style, printable(text[first:last])))
        place = last
    if place < end:
        found.append(("", printable(text[place:end])))
    return found
