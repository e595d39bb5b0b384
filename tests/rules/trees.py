"""Utterances for tests, written as one line a word: form, lemma, tag, features, head, relation."""

from __future__ import annotations

from collections.abc import Iterable

from corefmill.corpora.records import Token
from corefmill.rules.rule import Mention, Utterance, Written


def utterance(
    rows: str, mentions: Iterable[tuple[str, int, int]] = (), **written: str
) -> Utterance:
    """Rows of six columns, `_` for none; `~` after the form: no space after it.

    `written` gives the form of a written token by its words, `w2_3="del"` for the words 2 and 3,
    counted from 1.
    """
    tokens = []
    for row in rows.strip().splitlines():
        form, lemma, upos, feats, head, deprel = row.split()
        tokens.append(
            Token(
                form.removesuffix("~"),
                lemma=lemma,
                upos=upos,
                feats=None if feats == "_" else feats,
                head=int(head),
                deprel=deprel,
                space_after=not form.endswith("~"),
            )
        )
    ranges = []
    for name, form in written.items():
        first, last = map(int, name[1:].split("_"))
        ranges.append(Written(first - 1, last, form))
    return Utterance(tuple(tokens), tuple(Mention(*mention) for mention in mentions), tuple(ranges))
