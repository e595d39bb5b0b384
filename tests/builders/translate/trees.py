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


def analysis(rows: str, text: str | None = None) -> Analysis:
    """An analysis of words written as form/lemma/UPOS.features/head/relation, heads from 1.

    No lemma is the form's own; features are a key of FEATS. The text is the words and a full stop,
    unless it is given.
    """
    words = [row.split("/") for row in rows.split()]
    text = text or " ".join(word[0] for word in words).replace(" ,", ",") + "."
    kinds = [word[2].partition(".") for word in words]
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
        upos=tuple(upos for upos, *_ in kinds),
        deprel=tuple(word[4] for word in words),
        head=tuple(int(word[3]) - 1 if word[3] != "0" else n for n, word in enumerate(words)),
        feats=tuple(FEATS[feats] for *_, feats in kinds),
        lemma=tuple(word[1] or word[0] for word in words),
    )
