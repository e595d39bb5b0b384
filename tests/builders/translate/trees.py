"""Small analyses, written by hand."""

from __future__ import annotations

from corefmill.builders.nlp.backend import Analysis

FEATS = {
    "fin": "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin",
    "imp": "Mood=Imp|Number=Sing|Person=2|VerbForm=Fin",
    "inf": "VerbForm=Inf",
    "ger": "VerbForm=Ger",
    "part": "Gender=Masc|Number=Sing|VerbForm=Part",
    "ms": "Gender=Masc|Number=Sing",
    "fs": "Gender=Fem|Number=Sing",
    "mp": "Gender=Masc|Number=Plur",
    "fp": "Gender=Fem|Number=Plur",
    "": "",
}


def analysis(text: str, rows: str) -> Analysis:
    """An analysis of `text` from a row a word: form, lemma, UPOS, features, head from 1, relation.

    The forms stand in the text in this order. Features are a key of FEATS or "-".
    """
    words = [row.split() for row in rows.strip().splitlines()]
    spans, place = [], 0
    for form, *_ in words:
        start = text.index(form, place)
        place = start + len(form)
        spans.append((start, place))
    return Analysis(
        text,
        tuple(spans),
        ((0, len(text)),),
        (),
        upos=tuple(word[2] for word in words),
        deprel=tuple(word[5] for word in words),
        head=tuple(int(word[4]) - 1 if word[4] != "0" else n for n, word in enumerate(words)),
        feats=tuple(FEATS[word[3].strip("-")] for word in words),
        lemma=tuple(word[1] for word in words),
    )
