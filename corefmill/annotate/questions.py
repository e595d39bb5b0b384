"""What is asked of a corpus: questions with one key an answer, guidelines, items, and exercises."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corefmill.builders.wec.facts import event_notes
from corefmill.builders.wec.facts.event_notes import EventNote
from corefmill.corpora import beside, find, jsonl
from corefmill.corpora.errors import DataError, naming
from corefmill.corpora.records import MASK, Document, EventMention, MaskedExample
from corefmill.corpora.statistics import pronouns
from corefmill.rules.documents import read_texts

SKIPPED = ""
"""The answer of who passes an item over."""
NONE = "none"
"""The answer to a question about candidates where none of them is meant, or nothing tells."""

EVENT, NAME, PRONOUN, UTTERANCE = "event-mention", "masked-name", "pronoun-problem", "utterance"
CHAINS, SPANS = "chains", "spans"
"""Kinds of item that are a document whose mentions are corrected, by any number of acts."""
ACT = "act"
"""The question of a row that is an act, and answers nothing."""

_MARKED = {"event-mention": "mention", "pronoun-problem": "pronoun"}
_PRACTICE = 10
"""Items of the practice round."""

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
        """An answer, or the reason for it, in the words of its button."""
        if reason:
            return next((one.label for one in self.reasons if one.name == reason), reason)
        if self.options and answer != NONE:
            return answer or "Skipped"
        return next((one.label for one in self.answers if one.name == answer), answer or "Skipped")


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions that are asked of an item of one kind, in their order, and the guidelines.

    The guidelines are Markdown, for people and for models alike.
    """

    kind: str
    title: str
    guidelines: str
    questions: tuple[Question, ...]

    def question(self, name: str) -> Question:
        """The question of that name; raises `KeyError` where there is none."""
        return {one.name: one for one in self.questions}[name]


@cache
def by_kind() -> Mapping[str, QuestionSet]:
    """The questions of each kind of item, from questions.toml."""
    return {
        kind: QuestionSet(
            kind,
            row["title"],
            row["guidelines"].strip() + "\n",
            tuple(
                Question(
                    one["name"],
                    one["ask"],
                    tuple(Answer(**answer) for answer in one["answers"]),
                    one.get("options", False),
                    one.get("answers_with", SKIPPED),
                    tuple(Answer(**reason) for reason in one.get("reasons", ())),
                )
                for one in row["questions"]
            ),
        )
        for kind, row in beside.table(__file__, "questions").items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationItem:
    """What a rater judges: a text with marks, options to choose from, facts to read beside it.

    `kind` is a key of `questions.by_kind()`. Items of one `group` are judged one after the other:
    those of an event, of an article, of a document. `options` stand in the record's order, which a
    page or prompt has to shuffle. `facts` are (name, text). `source` is what an utterance was
    translated from, to be shown on request only, and `gold` what the corpus itself says, as
    (question, answer): neither is ever shown before the rater has answered.
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
    gold: tuple[tuple[str, str], ...] = ()


def answers_to(question: Question, item: AnnotationItem) -> Iterator[tuple[str, str]]:
    """What may be answered to a question about an item, as (answer, reason); skipping apart."""
    yield from ((one.name, "") for one in question.answers)
    yield from ((question.answers_with, one.name) for one in question.reasons)
    if question.options:
        yield from ((option, "") for option in item.options)


def items(corpus: Path) -> Iterator[AnnotationItem]:
    """The items of a corpus, split by split; those of a group stand together.

    Events stand cluster by cluster, in the order in which the corpus first has them, and within one
    those of the same words and article beside each other: what has just been decided helps with the
    next. Raises `DataError` where the corpus cannot be read, where an id comes twice, and where a
    candidate is called as the answer that means none.
    """
    found = find.at(corpus)
    notes = _notes(corpus)
    seen: set[str] = set()
    for split in found.splits:
        placed = find.read_placed(found, split)
        for path, line, item in _items(placed, split, notes):
            if item.id in seen:
                raise DataError(f"the id {item.id[:60]!r} comes twice", path=path, line=line)
            if NONE in item.options:
                raise DataError(f"a candidate is called {NONE!r}", path=path, line=line)
            seen.add(item.id)
            yield item


_PlacedItem = tuple[Path, int, AnnotationItem]


_Notes = Mapping[tuple[str, str], EventNote]


def _notes(corpus: Path) -> _Notes:
    """What the corpus tells of its events, by cluster and language."""
    path = corpus / event_notes.NAME
    if not (corpus.is_dir() and path.is_file()):
        return {}
    return {(note.cluster, note.lang): note for note in jsonl.read(path, EventNote)}


def _items(placed: Iterator[find.Placed], split: str, notes: _Notes) -> Iterator[_PlacedItem]:
    events: list[tuple[Path, int, EventMention]] = []
    for path, line, record in placed:
        if isinstance(record, EventMention):
            events.append((path, line, record))
            continue
        with naming(path, line):
            if isinstance(record, MaskedExample):
                yield path, line, _of_example(record, split)
            elif isinstance(record, Document):
                for item in _utterances(record, split):
                    yield path, line, item
    yield from _by_cluster(events, split, notes)


def _by_cluster(
    events: Sequence[tuple[Path, int, EventMention]], split: str, notes: _Notes
) -> Iterator[_PlacedItem]:
    clusters: defaultdict[str, list[tuple[Path, int, EventMention]]] = defaultdict(list)
    for one in events:
        clusters[one[2].cluster].append(one)
    for own in clusters.values():
        spelt = Counter(_words(mention) for *_, mention in own)
        own.sort(key=lambda one: (-spelt[_words(one[2])], _words(one[2]), one[2].source.title))
        for path, line, mention in own:
            note = notes.get((mention.cluster, mention.lang))
            yield path, line, _event(mention, split, len(own), note)


def _words(mention: EventMention) -> str:
    return mention.text[mention.start : mention.end].casefold()


def _event(
    mention: EventMention, split: str, mentions: int, note: EventNote | None
) -> AnnotationItem:
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


def _is_pronoun(example: MaskedExample) -> bool:
    """Two persons and a pronoun, as KnowRef, GAP and the Winograd schemas have them."""
    words = example.text[slice(*example.target)].casefold()
    return len(example.candidates) == 2 and (
        "connective" in example.meta or words in pronouns(example.lang)
    )


def _of_example(example: MaskedExample, split: str) -> AnnotationItem:
    start, end = example.target
    if is_pronoun := _is_pronoun(example):
        text, mark = example.text, (start, end, "pronoun")
    else:
        text, mark = example.masked_text, (start, start + len(MASK), "mask")
    right = example.answer
    return AnnotationItem(
        id=example.id,
        kind=PRONOUN if is_pronoun else NAME,
        lang=example.lang,
        split=split,
        group=example.source.title,
        text=text,
        marks=(mark,),
        options=example.candidates,
        gold=() if right is None else (("answer", right),),
    )


def _utterances(document: Document, split: str) -> Iterator[AnnotationItem]:
    sources = _sources(document)
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


def _sources(document: Document) -> Mapping[int, str]:
    """What the utterances of a translated document were made of, by their number.

    It stands under the name of its language (`meta["english"]`), a row an utterance.
    """
    for kept in document.meta.values():
        if isinstance(kept, list) and len(kept) == len(document.sentences):
            rows = [one.get("text") if isinstance(one, dict) else None for one in kept]
            if all(isinstance(text, str) for text in rows):
                return {index: str(text) for index, text in enumerate(rows)}
    return {}


@dataclass(frozen=True, slots=True)
class Exercise:
    """An item with its right answers (`item.gold`); `reason` and `why` say more in the tutorial."""

    item: AnnotationItem
    reason: str = ""
    why: str = ""

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that have a right answer."""
        return tuple(question for question, _ in self.item.gold)


@cache
def tutorial(kind: str) -> tuple[Exercise, ...]:
    """The exercises of tutorial.toml for a kind of item."""
    made = []
    for number, row in enumerate(beside.table(__file__, "tutorial")[kind], 1):
        text, marks = _marked_text(row["text"], kind)
        item = AnnotationItem(
            id=f"tutorial-{number}",
            kind=kind,
            lang="en",
            split="",
            group="",
            text=text,
            marks=marks,
            options=tuple(row.get("options", ())),
            facts=tuple(row.get("facts", {}).items()),
            gold=tuple(row["right"].items()),
        )
        made.append(Exercise(item, row.get("reason", ""), row["why"]))
    return tuple(made)


def practice(items: Sequence[AnnotationItem]) -> tuple[Exercise, ...]:
    """The first items, in the order given, of which the corpus has a label."""
    return tuple(Exercise(item) for item in items if item.gold)[:_PRACTICE]


def _marked_text(text: str, kind: str) -> tuple[str, tuple[Mark, ...]]:
    before, found, rest = text.partition("[[")
    if found:
        words, _, after = rest.partition("]]")
        mark = (len(before), len(before) + len(words), _MARKED[kind])
        return before + words + after, (mark,)
    return text, tuple((*one.span(), "mask") for one in re.finditer(re.escape(MASK), text))
