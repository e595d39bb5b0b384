"""What a pipeline can do, told by the components or processors that it has."""

from __future__ import annotations

from collections.abc import Collection

_BY = {
    "sentences": ("senter", "sentencizer", "parser", "tokenize"),
    "tags": ("tagger", "morphologizer", "pos"),
    "lemmas": ("lemmatizer", "trainable_lemmatizer", "lemma"),
    "trees": ("parser", "depparse"),
    "names": ("ner", "beam_ner", "entity_ruler"),
}

PARTS = tuple(_BY)


def does(components: Collection[str]) -> tuple[str, ...]:
    """Which of PARTS components of these names do."""
    return tuple(part for part, by in _BY.items() if any(name in components for name in by))
