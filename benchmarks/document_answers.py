"""Coreference within documents found by a model, and what of that the encoder takes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import cycle

import torch

from benchmarks.turns import compare
from corefmill.coref_model.documents.model import DocumentModel
from corefmill.coref_model.documents.settings import DocumentSettings
from corefmill.coref_model.encoder import load
from corefmill.coref_model.training.config import resolve
from corefmill.corpora.records import Document


def run(options: argparse.Namespace, documents: Iterable[Document]) -> None:
    """Answers documents, over and over, until they have so many words."""
    settings = resolve(
        DocumentSettings, "documents", presets=[options.preset] if options.preset else []
    )
    model = DocumentModel(load(settings.encoder), settings).to(options.device).eval()
    given: list[Document] = []
    words = 0
    for document in cycle(documents):
        given.append(document)
        words += sum(len(sentence.tokens) for sentence in document.sentences)
        if words >= options.words:
            break
    print(f"{len(given):,} documents, {words:,} words, {options.device}")

    def answers(number: int) -> int:
        for document in given:
            model(document)
        return words

    def encoder(number: int) -> int:
        with torch.no_grad():
            for document in given:
                model.encoded(model.input(document))
        return words

    found = compare({"answers": answers, "the encoder alone": encoder}, options.rounds, "words")
    shown = ", ".join(
        f"{len(given) / words / x:.2f} by {n}"
        for n, x in zip(("wall", "cpu"), found["answers"], strict=True)
    )
    print(f"documents a second: {shown}")
