"""What the card tells of delta's utterances: their readability, what they are made of, examples."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from corefmill.builders.ontonotes_it.delta.readability import CLASSES, level
from corefmill.builders.runner.stages import seeded
from corefmill.corpora.formats.brackets import bracketed
from corefmill.corpora.records import Document, Sentence

_SAMPLES = 12
_WORDS = 1000
"""Of which different ones are counted, so that classes of different size compare."""
_CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "ADV")


@dataclass(slots=True)
class Profile:
    """The utterances of one readability class (table 18)."""

    utterances: int = 0
    tags: Counter[str] = field(default_factory=Counter)
    types: set[str] = field(default_factory=set)
    typed: int = 0

    def add(self, sentence: Sentence) -> None:
        """Counts one utterance; signs are no words."""
        self.utterances += 1
        for token in sentence.tokens:
            self.tags[token.upos or "X"] += 1
            if token.upos != "PUNCT" and self.typed < _WORDS:
                self.typed += 1
                self.types.add(token.form.casefold())

    def row(self) -> list[object]:
        """Utterances, tokens an utterance, per 100 words: content words, subordinating and
        coordinating conjunctions, verbs; different words among the first 1,000."""
        words = self.tags.total() - self.tags["PUNCT"]
        if not words:
            return [self.utterances, *"-" * 6]

        def share(*tags: str) -> str:
            return f"{100 * sum(self.tags[tag] for tag in tags) / words:.1f}"

        return [
            self.utterances,
            f"{self.tags.total() / self.utterances:.1f}",
            share(*_CONTENT),
            share("SCONJ"),
            share("CCONJ"),
            share("VERB", "AUX"),
            len(self.types) if self.typed == _WORDS else "-",
        ]


PROFILE = (
    "readability",
    "utterances",
    "tokens an utterance",
    "content words in 100",
    "subordinating conjunctions in 100",
    "coordinating conjunctions in 100",
    "verbs and auxiliaries in 100",
    f"different among {_WORDS:,} words",
)


@dataclass
class Survey:
    """Filled while delta is written, in one pass and flat memory."""

    seed: int
    profiles: dict[str, Profile] = field(
        default_factory=lambda: {name: Profile() for name in CLASSES}
    )
    drawn: list[tuple[float, str, list[str]]] = field(default_factory=list)

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Passes the documents on."""
        for document in documents:
            told = document.meta["ontocorefit"]["utterances"]
            for place, sentence in enumerate(document.sentences):
                own = told[str(place)]
                if own["readability"] is not None:
                    self.profiles[level(own["readability"])].add(sentence)
                self._draw(document, place, own)
            yield document

    def _draw(self, document: Document, place: int, told: dict[str, Any]) -> None:
        key = f"{document.doc_id}#{document.part}#{place}"
        ticket = -seeded(self.seed, "sample", key).random()
        if len(self.drawn) == _SAMPLES and ticket <= self.drawn[0][0]:
            return
        english = document.meta["english"][place]["text"]
        entry = (ticket, key, [english, told["original_text"], bracketed(document, place)])
        if len(self.drawn) < _SAMPLES:
            heapq.heappush(self.drawn, entry)
        else:
            heapq.heapreplace(self.drawn, entry)

    @property
    def samples(self) -> list[list[str]]:
        """English, gamma and delta of utterances drawn at random, in the order of the draw."""
        return [texts for _, _, texts in sorted(self.drawn, reverse=True)]
