"""From a Stanza Document to what a pipeline says of a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corefmill.builders.nlp import labels
from corefmill.builders.nlp.analysis import Analysis, Entity
from corefmill.corpora.records import Span


def analysis(document: Any, text: str | None = None) -> Analysis:
    """What a `stanza.Document` says of its text, or of `text`, whose offsets it must have.

    A column is left empty unless some word has it: a processor was not run or does not exist for
    the language. Raises `ValueError` for a document whose tokens have no offsets.
    """
    found: str = document.text if text is None else text
    sentences = [sentence for sentence in document.sentences if sentence.tokens]
    tokens = [(token, _span(token)) for sentence in sentences for token in sentence.tokens]
    words = [(word, span) for token, span in tokens for word in token.words]
    of_tokens = tuple(span for _, span in tokens)
    split = any(len(token.words) != 1 for token, _ in tokens)
    return Analysis(
        text=found,
        tokens=of_tokens,
        sentences=tuple((_span(s.tokens[0])[0], _span(s.tokens[-1])[1]) for s in sentences),
        entities=tuple(
            Entity(*_span(entity), labels.ours(entity.type))
            # Run over several documents at once, Stanza leaves the sentences' lists in order.
            for sentence in sentences
            for entity in sentence.ents
        ),
        upos=_column(words, "upos"),
        deprel=_column(words, "deprel"),
        head=_heads(sentences),
        xpos=_column(words, "xpos"),
        # Of a word without features Stanza says None, so the tags show whether the tagger ran.
        feats=_column(words, "feats", there=_column(words, "upos")),
        lemma=_column(words, "lemma"),
        words=tuple(span for _, span in words) if split else of_tokens,
        spelled=tuple(word.text for word, _ in words) if split else (),
    )


def _span(piece: Any) -> Span:
    if piece.start_char is None or piece.end_char is None:
        raise ValueError(f"Stanza's {piece.text!r} has no offsets (start_char, end_char)")
    return piece.start_char, piece.end_char


def _column(
    words: Sequence[tuple[Any, Span]], field: str, there: Sequence[str] = ()
) -> tuple[str, ...]:
    values = [getattr(word, field) for word, _ in words]
    if not there and all(value is None for value in values):
        return ()
    return tuple("" if value is None or value == "_" else value for value in values)


def _heads(sentences: Sequence[Any]) -> tuple[int, ...]:
    """Counted over the whole text; Stanza counts from 1 in each sentence, and a root's is 0."""
    heads: list[int] = []
    for sentence in sentences:
        if any(word.head is None for word in sentence.words):
            return ()
        first = len(heads)
        heads += [
            first + (word.head - 1 if word.head else index)
            for index, word in enumerate(sentence.words)
        ]
    return tuple(heads)
