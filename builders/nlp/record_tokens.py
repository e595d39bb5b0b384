"""The words of an analysis as records of documents have them."""

from __future__ import annotations

from collections.abc import Sequence

from corefmill.builders.nlp.analysis import Analysis
from corefmill.corpora.records import Token
from corefmill.rules.tree import with_features


def tokens(analysis: Analysis, words: Sequence[int] | None = None) -> tuple[Token, ...]:
    """The words as records have them, with features in UD's order, which not every pipeline keeps.

    `words` are the indexes of a sentence's words, by default all: heads count within them, and what
    hangs on none of them is a root. `space_after` is of the last word of a written token.
    """
    own = range(len(analysis.words)) if words is None else words
    number = {index: place for place, index in enumerate(own, 1)}
    forms = analysis.forms
    made = []
    for index in own:
        start, end = analysis.words[index]
        inner = index + 1 < len(forms) and analysis.words[index + 1][0] == start
        head = analysis.head[index] if analysis.head else None
        token = Token(
            forms[index],
            lemma=_cell(analysis.lemma, index),
            upos=_cell(analysis.upos, index),
            xpos=_cell(analysis.xpos, index),
            feats=_cell(analysis.feats, index),
            head=None if head is None else 0 if head == index else number.get(head, 0),
            deprel=_cell(analysis.deprel, index),
            space_after=not inner and analysis.text[end : end + 1].isspace(),
        )
        made.append(with_features(token))
    return tuple(made)


def _cell(column: Sequence[str], index: int) -> str | None:
    return (column[index] or None) if column else None
