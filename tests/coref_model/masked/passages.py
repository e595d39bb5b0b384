"""Masked examples and scorers small enough to read."""

from __future__ import annotations

import torch

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.masked.heads import Head
from corefmill.coref_model.masked.task import Score, Scorer
from corefmill.corpora.records import MaskedExample, Source


def example(
    text: str, target: str, *candidates: str, label: int | None = 0, nth: int = 0, name: str = ""
) -> MaskedExample:
    """The passage with the `nth` occurrence of `target` masked."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(target, start + 1)
    span = start, start + len(target)
    whole = ((0, len(text)),)
    about = name or f"{target}-{start}", "en", text, whole, span, candidates, ()
    return MaskedExample(*about, label, Source("a page", 1))


PASSAGES = (
    example("Ann met Bob because she was late.", "she", "Ann", "Bob"),
    example("Ann Lee met Bob; Ann Lee's train was late.", "Ann Lee", "Ann Lee", "Bob", nth=1),
    example("The king told (him) of it.", "him", "the king", "Sir Ector of the Wood", "an ox"),
    example("Bob saw Bob.", "Bob", "Bob", "Mary Ann Ellis", label=1, nth=1),
)


def tiny() -> Encoder:
    """The random encoder, frozen."""
    return load("tiny")


def scorer(score: Score = "mean", encoder: Encoder | None = None) -> Scorer:
    """A scorer with a random head."""
    encoder = encoder or tiny()
    head = Head(encoder.width, len(encoder.word_embeddings))
    with torch.random.fork_rng():
        torch.manual_seed(3)
        for parameter in head.parameters():
            parameter.data.add_(torch.randn_like(parameter) * 0.3)
    return Scorer(encoder, head, score).eval()
