"""A part of a document while the chain works on it: utterances with tags, speaker and mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from corefmill.corpora.records import Document, Mention, Sentence, Token

DATASETS = ("alpha", "beta1", "beta2", "beta3", "gamma", "delta")
"""In the order of the paper's figure 1."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A mention of the entity `cluster`: half-open, in tokens of its utterance.

    `root` is the token that the others hang on, as an index of the utterance; -1 until beta2.
    """

    cluster: int
    start: int
    end: int
    root: int = -1

    @property
    def length(self) -> int:
        """In tokens."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Utterance:
    """The paper's quadruple (tokens, Penn Treebank tags, mentions, speaker), section 4.2.1.

    `number` is the sentence's in the source. A tag is None where the source has none and nobody
    has tagged yet.
    """

    number: int
    forms: tuple[str, ...]
    tags: tuple[str | None, ...]
    mentions: tuple[Marked, ...]
    speaker: str | None = None

    def words(self, mention: Marked) -> tuple[str, ...]:
        """The tokens of a mention."""
        return self.forms[mention.start : mention.end]

    def tags_of(self, mention: Marked) -> tuple[str | None, ...]:
        """The tags of a mention's tokens."""
        return self.tags[mention.start : mention.end]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document of a split. Clusters do not reach beyond it."""

    split: str
    doc_id: str
    number: int
    utterances: tuple[Utterance, ...]

    @property
    def key(self) -> str:
        """For seeds and messages."""
        return f"{self.doc_id}#{self.number}"

    def mentions(self) -> Iterator[tuple[Utterance, Marked]]:
        """Every mention with its utterance, in the order of the text."""
        for utterance in self.utterances:
            for mention in utterance.mentions:
                yield utterance, mention

    def clusters(self) -> dict[int, list[tuple[Utterance, Marked]]]:
        """The mentions by cluster, in the order of their first."""
        found: dict[int, list[tuple[Utterance, Marked]]] = {}
        for utterance, mention in self.mentions():
            found.setdefault(mention.cluster, []).append((utterance, mention))
        return found

    def keep(self, wanted: Callable[[Utterance, Marked], bool]) -> Part:
        """The part with those mentions alone."""
        return replace(
            self,
            utterances=tuple(
                replace(u, mentions=tuple(m for m in u.mentions if wanted(u, m)))
                for u in self.utterances
            ),
        )

    def counts(self) -> Counter[str]:
        """Utterances, tokens, mentions and clusters."""
        return Counter(
            parts=1,
            utterances=len(self.utterances),
            tokens=sum(len(utterance.forms) for utterance in self.utterances),
            mentions=sum(len(utterance.mentions) for utterance in self.utterances),
            clusters=len(self.clusters()),
        )

    def document(self, lang: str) -> Document:
        """As a record; `meta` has the sentences' numbers in the source and the clusters' there."""
        clusters: dict[int, list[Mention]] = {}
        for place, utterance in enumerate(self.utterances):
            for mention in utterance.mentions:
                clusters.setdefault(mention.cluster, []).append(
                    Mention(place, mention.start, mention.end)
                )
        return Document(
            self.doc_id,
            self.number,
            lang,
            tuple(
                Sentence(
                    tuple(map(_token, utterance.forms, utterance.tags)),
                    utterance.speaker,
                )
                for utterance in self.utterances
            ),
            tuple(map(tuple, clusters.values())),
            origin([u.number for u in self.utterances], list(clusters)),
        )


@lru_cache(1 << 15)
def _token(form: str, tag: str | None) -> Token:
    return Token(form, xpos=tag)


def origin(sentences: list[int], clusters: list[int]) -> dict[str, Any]:
    """The `meta` that leads from a record of the chain back to its source."""
    return {"source": {"sentences": sentences, "clusters": clusters}}
