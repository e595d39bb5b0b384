"""Mistakes in articles, contractions and participles with essere, as in `benchmarks.corruptions`.

Articles stand in every sentence: one place of each is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.corruptions import Corrupt
from corefmill.corpora.records import Token
from corefmill.rules.edits import Join, UtteranceEdits
from corefmill.rules.it.articles import opened
from corefmill.rules.it.participle import is_participle
from corefmill.rules.rule import Utterance
from corefmill.rules.tree import Tree, feature, is_relation, low, with_initial_of

_OTHER = {"lo": "il", "gli": "i", "l'": "il", "un": "uno", "uno": "un"}
_GOVERNED = {"il": "lo", "i": "gli", **_OTHER}
"""Article -> one of the same gender and number, without a preposition and with one. La is left out,
which may stand before a vowel; a mere lo or gli may be a pronoun."""


def forms(join: Join) -> Corrupt:
    """The article that another sound asks for: il studente, lo amico."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        places = [
            at
            for at, token in enumerate(utterance.tokens)
            if low(token) in _others(tree, at) and _is_article(tree, at)
        ]
        for at in _one(places, choose):
            token = utterance.tokens[at]
            other = with_initial_of(token.form, _others(tree, at)[low(token)])
            edits = UtteranceEdits(utterance, join)
            edits.adjust(at, replace(token, form=other, space_after=True))
            yield edits.done()[0]

    return corrupt


def _others(tree: Tree, at: int) -> dict[str, str]:
    return _GOVERNED if at and tree.tokens[at - 1].upos == "ADP" else _OTHER


def _is_article(tree: Tree, at: int) -> bool:
    known, head = opened(low(tree.tokens[at])), tree.head(at)
    if known is None or head is None or head < at or not is_relation(tree.tokens[at], "det"):
        return False
    shown = len({one.gender for one in known.readings}) == 1
    masculine = shown or feature(tree.tokens[head], "Gender") == "Masc"
    return masculine and tree.tokens[at].upos == "DET" and "’" not in tree.tokens[at].form


def _one(places: Sequence[int], choose: random.Random) -> Sequence[int]:
    return [choose.choice(places)] if places else []


def apart(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
    """Preposition and article as two tokens: a il mare."""
    places = [
        number
        for number, written in enumerate(utterance.written)
        if written.end == written.start + 2
        and (known := opened(written.form)) is not None
        and known.preposition not in ("", "con")
    ]
    for number in _one(places, choose):
        start = utterance.written[number].start
        tokens = list(utterance.tokens)
        form = with_initial_of(utterance.written[number].form, tokens[start].form)
        tokens[start] = replace(tokens[start], form=form, space_after=True)
        kept = (*utterance.written[:number], *utterance.written[number + 1 :])
        yield replace(utterance, tokens=tuple(tokens), written=kept)


def with_essere(join: Join) -> Corrupt:
    """Another ending of a participle beside essere whose subject stands before it."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, token in enumerate(utterance.tokens):
            subjects = tree.children(at, "nsubj")
            auxiliaries = [tree.tokens[aux].lemma for aux in tree.children(at, "aux")]
            if not is_participle(token) or len(subjects) != 1 or subjects[0] > at:
                continue
            if auxiliaries != ["essere"] or not _shows_gender(tree.tokens[subjects[0]]):
                continue
            ending = choose.choice(sorted(set("oaie") - {token.form[-1]}))
            edits = UtteranceEdits(utterance, join)
            edits.adjust(at, replace(token, form=token.form[:-1] + ending))
            yield edits.done()[0]

    return corrupt


def _shows_gender(subject: Token) -> bool:
    return subject.upos in ("NOUN", "PROPN")
