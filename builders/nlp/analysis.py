"""What a pipeline says of a text, whichever pipeline it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from corefmill.corpora import beside
from corefmill.corpora.records import Span


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity: half-open offsets and its label in the project's terms (labels.toml)."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text with its tokens (white space is none), sentences and entities, all as offsets.

    A token is written, a word is the grammar's: the words of a multiword token ("della": di + la)
    each have the token's span. `words` is `tokens` itself where nobody says otherwise.

    From `upos` on, each column stands beside `words`, and is empty where the pipeline was not asked
    for it or has no such component. `head` is the index of a word; a root is its own head. `feats`
    is written as in CoNLL-U ("Gender=Fem|Number=Sing"), and "" where a word has none.
    """

    text: str
    tokens: tuple[Span, ...]
    sentences: tuple[Span, ...]
    entities: tuple[Entity, ...]
    upos: tuple[str, ...] = ()
    deprel: tuple[str, ...] = ()
    head: tuple[int, ...] = ()
    xpos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    lemma: tuple[str, ...] = ()
    words: tuple[Span, ...] = ()
    spelled: tuple[str, ...] = ()
    """The words' forms, where there is a multiword token; else the text has them."""

    def __post_init__(self) -> None:
        if not self.words:
            object.__setattr__(self, "words", self.tokens)

    @property
    def forms(self) -> tuple[str, ...]:
        """The words' forms: "di" and "la" where the text has "della"."""
        return self.spelled or tuple(self.text[start:end] for start, end in self.words)

    def form(self, index: int) -> str:
        """The form of one word; `forms` goes through all of them."""
        return self.spelled[index] if self.spelled else self.text[slice(*self.words[index])]


@cache
def _labels() -> dict[str, str]:
    table = beside.table(__file__, "labels")
    return {label: ours for ours, theirs in table.items() for label in theirs}


def entity_label(label: str) -> str:
    """Map a pipeline's label of an entity to the project's; one that is not listed stays."""
    return _labels().get(label, label)
