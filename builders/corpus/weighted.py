"""Gives the sentences of a document their weights, where each form that is written keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from corefmill.corpora import sentence_weights
from corefmill.corpora.formats.corefud import Comments
from corefmill.corpora.records import Document


def weighted(document: Document, weights: Mapping[int, float]) -> Document:
    """The document with the weights of its sentences, by their places, as comments for CoNLL-U and
    CoNLL-2012; OntoCorefIT's JSON has them in what it keeps of an utterance."""
    if not weights:
        return document
    corefud = document.meta.get("corefud", {})
    sentences = dict(corefud.get("sentences", {}))
    usual = Comments(document, None, False, "").usual
    for at, weight in weights.items():
        comments = [*usual(at), sentence_weights.comment(weight)]
        sentences[str(at)] = {**sentences.get(str(at), {}), "comments": comments}
    own = {
        "corefud": {**corefud, "sentences": sentences},
        "conll": {"comments": [[at, sentence_weights.comment(one)] for at, one in weights.items()]},
    }
    return replace(document, meta={**document.meta, **own})
