"""What the card states of delta's utterances: their readability, parts of speech, examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from corefmill.builders.runner.sampling import Lowest
from corefmill.builders.runner.stages import seeded
from corefmill.builders.translate.delta.readability import CLASSES, level
from corefmill.corpora import languages
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
        """Counts one utterance; punctuation is no word."""
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


class UtteranceSurvey:
    """Filled while delta, translated from `source`, is written, in one pass and flat memory."""

    def __init__(self, seed: int, source: str) -> None:
        self._seed = seed
        self._key = languages.key(source)
        self.profiles = {name: Profile() for name in CLASSES}
        self._drawn = Lowest[str, tuple[Document, int]](_SAMPLES)

    def watch(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Passes the documents on."""
        for document in documents:
            utterances = document.meta["ontocorefit"]["utterances"]
            for at, sentence in enumerate(document.sentences):
                value = utterances[str(at)]["readability"]
                if value is not None:
                    self.profiles[level(value)].add(sentence)
                key = f"{document.doc_id}#{document.part}#{at}"
                self._drawn.offer(seeded(self._seed, "sample", key).random(), key, (document, at))
            yield document

    def samples(self) -> list[tuple[str, str, str]]:
        """Source, gamma and delta of utterances drawn at random, in the order of the draw."""
        return [
            (
                document.meta[self._key][at]["text"],
                document.meta["ontocorefit"]["utterances"][str(at)]["original_text"],
                bracketed(document, at),
            )
            for document, at in self._drawn.values()
        ]
