"""Mistakes of Spanish and French put into treebanks, as corruptions.py puts those of Italian."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from benchmarks.corruptions import Corrupt, Kind, after, alone, put_article, with_token
from corefmill.corpora.records import Token
from corefmill.rules.agreement import Paradigm, paradigms
from corefmill.rules.edits import Join
from corefmill.rules.es.nouns import NOUNS as SPANISH
from corefmill.rules.fr.nouns import NOUNS as FRENCH
from corefmill.rules.nominal import Nouns
from corefmill.rules.rule import Utterance, Written
from corefmill.rules.tables import table
from corefmill.rules.tree import (
    NUMBERS,
    Tree,
    feature,
    is_relation,
    like,
    low,
    strings,
    with_features,
    with_initial_of,
)

Words = Mapping[str, tuple[str, ...]]
"""A word -> what it is mistaken for."""


def kinds(lang: str, join: Join) -> list[Kind]:
    """The kinds of mistake that the rules of es or fr correct, but for what all languages have."""
    pronouns = table(lang, "pronouns")
    oblique = {form: subject for subject, form in reversed(pronouns["oblique"].items())}
    prepositions = strings(pronouns, "words", "prepositions")
    possessives = paradigms(lang, "possessives")
    sounds, nouns = {"es": (_spanish, SPANISH), "fr": (_french, FRENCH)}[lang]
    return [
        Kind("possessive: gender, number", agreeing(possessives, nouns, join)),
        Kind(
            "demonstrative: gender, number",
            agreeing(paradigms(lang, "demonstratives"), nouns, join),
        ),
        Kind("article: gender", mistaken(_GENDERS[lang], _is_article, join)),
        Kind("subject form after a preposition", after(prepositions, oblique, ("ADP",), join)),
        Kind("article before possessive put in", articles(lang, possessives, join)),
        *(Kind(name, mistaken(words, held, join)) for name, words, held in sounds()),
        Kind("preposition and article apart", apart),
    ]


_GENDERS: dict[str, Words] = {
    "es": {
        **{"el": ("la",), "la": ("el",), "los": ("las",), "las": ("los",)},
        **{"un": ("una",), "una": ("un",), "unos": ("unas",), "unas": ("unos",)},
    },
    "fr": {"le": ("la",), "la": ("le",), "un": ("une",), "une": ("un",)},
}
Held = Callable[[Tree, int], bool]
"""Whether a mistake may be put at a word."""


def _spanish() -> list[tuple[str, Words, Held]]:
    conjunctions = {"y": ("e",), "e": ("y",), "o": ("u",), "u": ("o",)}
    return [
        ("y, e, o, u: the other form", conjunctions, _is_conjunction),
        ("la, una before a stressed a", {"el": ("la",), "un": ("una",)}, _is_feminine),
        ("le for se before lo, la", {"se": ("le",)}, _is_dative),
    ]


def _french() -> list[tuple[str, Words, Held]]:
    elided = table("fr", "sounds")["elided"]
    whole: dict[str, tuple[str, ...]] = {}
    for full, form in elided.items():
        whole[form] = (*whole.get(form, ()), full)
    return [
        ("in full before a vowel", whole, lambda tree, at: _is_word(tree, at + 1)),
        ("elided before a consonant", {k: (v,) for k, v in elided.items()}, _is_full),
    ]


def _is_word(tree: Tree, at: int) -> bool:
    return at < len(tree.tokens) and tree.tokens[at].form[:1].isalpha()


def _is_article(tree: Tree, at: int) -> bool:
    """An article of a common noun ahead, and no numeral or pronoun."""
    noun, token = tree.head(at), tree.tokens[at]
    article = is_relation(token, "det") and feature(token, "PronType") == "Art"
    return noun is not None and noun > at and article and tree.tokens[noun].upos == "NOUN"


def _is_conjunction(tree: Tree, at: int) -> bool:
    return tree.tokens[at].upos == "CCONJ" and at > 0 and _is_word(tree, at + 1)


def _is_feminine(tree: Tree, at: int) -> bool:
    """A masculine article right before a feminine noun of its own."""
    noun = tree.head(at)
    return (
        noun == at + 1
        and is_relation(tree.tokens[at], "det")
        and tree.tokens[noun].upos == "NOUN"
        and feature(tree.tokens[noun], "Gender") == "Fem"
        and low(tree.tokens[noun]).removeprefix("h")[0] in "aá"
    )


def _is_dative(tree: Tree, at: int) -> bool:
    after = tree.tokens[at + 1] if at + 1 < len(tree.tokens) else None
    return after is not None and after.upos == "PRON" and low(after) in ("lo", "la", "los", "las")


def _is_full(tree: Tree, at: int) -> bool:
    """A word in full before a consonant; la and le as determiners, whose noun shows the gender."""
    token = tree.tokens[at]
    determiner = token.upos == "DET" and tree.head(at) is not None
    small = token.form.islower()
    return (
        token.space_after
        and small
        and (low(token) not in ("le", "la") or determiner)
        and _is_word(tree, at + 1)
        and tree.tokens[at + 1].form.isalpha()
        and tree.tokens[at + 1].form.islower()
    )


def mistaken(words: Words, held: Held, join: Join) -> Corrupt:
    """Another form of one such word of a sentence, drawn, outside of written tokens of several."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        places = [
            at
            for at, token in enumerate(utterance.tokens)
            if low(token) in words and alone(utterance, at) and held(tree, at)
        ]
        if not places:
            return
        at = choose.choice(places)
        token = utterance.tokens[at]
        form = with_initial_of(token.form, choose.choice(words[low(token)]))
        space = not form.endswith("'")
        yield with_token(utterance, at, replace(token, form=form, space_after=space), join)

    return corrupt


def agreeing(paradigms: Mapping[str, Paradigm], nouns: Nouns, join: Join) -> Corrupt:
    """Another gender or number; the number stays before a noun that has one form for both."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        for at, token in enumerate(utterance.tokens):
            paradigm = paradigms.get(low(token))
            if paradigm is None or not token.head or not is_relation(token, "det"):
                continue
            noun = utterance.tokens[token.head - 1]
            own = paradigm.agreement(low(token))
            keys = ["ms", "fs", "mp", "fp"]
            if nouns.is_invariable(noun):
                keys = [key for key in keys if key[1] == NUMBERS.get(own.number or "")]
            forms = sorted({getattr(paradigm, key) for key in keys} - {low(token)})
            if noun.upos == "NOUN" and token.head - 1 > at and forms:
                form = choose.choice(forms)
                said = paradigm.agreement(form)
                wrong = with_features(token, Gender=said.gender, Number=said.number)
                yield with_token(utterance, at, replace(wrong, form=like(token.form, form)), join)

    return corrupt


def articles(lang: str, possessives: Mapping[str, Paradigm], join: Join) -> Corrupt:
    """A definite article, right or wrong, before a possessive and its noun."""
    forms = sorted(strings(table(lang, "possessives"), "words", "articles") - {"l'"})

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, token in enumerate(utterance.tokens):
            noun = tree.head(at)
            if low(token) not in possessives or not is_relation(token, "det") or noun is None:
                continue
            if at < noun and tree.tokens[noun].upos == "NOUN" and alone(utterance, at):
                yield put_article(utterance, at, noun, choose.choice(forms), join)

    return corrupt


def apart(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
    """A preposition and an article as two words."""
    for written in utterance.written:
        words = utterance.tokens[written.start : written.end]
        if [word.upos for word in words] != ["ADP", "DET"] or written.form.isupper():
            continue
        left: list[Written] = [one for one in utterance.written if one != written]
        first = replace(
            words[0], form=with_initial_of(written.form, low(words[0])), space_after=True
        )
        tokens: tuple[Token, ...] = (
            *utterance.tokens[: written.start],
            first,
            *utterance.tokens[written.start + 1 :],
        )
        yield replace(utterance, tokens=tokens, written=tuple(left))
