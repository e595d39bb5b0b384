"""Exercises on documents: an answer with a fault, and what it has to become (lessons.toml)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from corefmill.annotate.chaining.state import ChainState
from corefmill.annotate.exchange import chains
from corefmill.annotate.exchange.chains import PlainDocument
from corefmill.annotate.exercises import Exercise
from corefmill.annotate.questions import SPANS, AnnotationItem
from corefmill.corpora import beside
from corefmill.corpora.records import Document, Mention, Sentence, Token


@dataclass(frozen=True, slots=True)
class ChainLesson:
    """An exercise, and the document that it begins with; its item's text is the right answer."""

    exercise: Exercise
    own: PlainDocument


@cache
def lessons(kind: str) -> tuple[ChainLesson, ...]:
    """The exercises of a kind; chains have those of spans as well."""
    tables = beside.table(__file__, "lessons")
    rows = [row for name in dict.fromkeys((kind, SPANS)) for row in tables[name]]
    made = []
    for number, row in enumerate(rows, 1):
        name = f"{kind}-tutorial-{number}"
        given, wanted = (chains.plain(number, "", document(row[key])) for key in ("given", "right"))
        right = ChainState(wanted)
        item = AnnotationItem(
            id=name,
            kind=kind,
            lang="en",
            split="",
            group="",
            text=right.shown(kind),
            gold=((kind, right.digest(kind)),),
        )
        made.append(ChainLesson(Exercise(item, why=row["why"]), given))
    return tuple(made)


def document(text: str) -> Document:
    """The document that a text in the notation of lessons.toml says."""
    sentences = []
    clusters: dict[str, list[Mention]] = {}
    for number, line in enumerate(text.strip().splitlines()):
        words: list[str] = []
        begun: list[tuple[str, int]] = []
        for piece in line.split():
            if piece.startswith("["):
                begun.append((piece[1:], len(words)))
            elif piece == "]":
                cluster, start = begun.pop()
                clusters.setdefault(cluster, []).append(Mention(number, start, len(words)))
            else:
                words.append(piece)
        glued = [word in (".", ",", "?", "'s") for word in [*words[1:], ""]]
        tokens = (Token(word, space_after=not no) for word, no in zip(words, glued, strict=True))
        sentences.append(Sentence(tuple(tokens)))
    found = tuple(tuple(clusters[key]) for key in sorted(clusters))
    return Document("exercise", 0, "en", tuple(sentences), found)
