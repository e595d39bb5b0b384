"""Mistakes put into Italian treebanks, each of a kind that one refinement rule corrects.

Each function takes an utterance whose text is right and yields it with one mistake at a time, for
every place that offers one; where there are several mistakes to choose from, `choose` draws one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from corefmill.corpora.records import Token
from corefmill.rules.agreement import Paradigm
from corefmill.rules.edits import Join, UtteranceEdits, capital
from corefmill.rules.it.morphology import is_invariable
from corefmill.rules.it.participle import is_participle
from corefmill.rules.it.possessive_article import is_bare_kin
from corefmill.rules.it.writing import ARTICLES
from corefmill.rules.rule import KeyedMention, Utterance
from corefmill.rules.subject_deletion import find_clause, find_finite_verb
from corefmill.rules.tree import (
    Tree,
    feature,
    is_relation,
    low,
    read_words,
    recase,
    table,
    with_features,
    with_initial_of,
)

Corrupt = Callable[[Utterance, random.Random], Iterator[Utterance]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the table: its name, the mistakes, and the rules that are off while it is corrected.

    Where the text that is to come back has a subject pronoun, the rule that deletes these is off.
    """

    name: str
    corrupt: Corrupt
    without: tuple[str, ...] = ("subject-deletion",)


def with_token(utterance: Utterance, at: int, token: Token, join: Join) -> Utterance:
    """The utterance with another word at an offset."""
    edits = UtteranceEdits(utterance, join)
    edits.adjust(at, token)
    return edits.apply()[0]


def alone(utterance: Utterance, at: int) -> bool:
    """Whether a word is a written token of its own."""
    return not any(written.start <= at < written.end for written in utterance.written)


def possessives(paradigms: Mapping[str, Paradigm], join: Join) -> Corrupt:
    """Another gender or number of a possessive adjective."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        for at, token in enumerate(utterance.tokens):
            paradigm = paradigms.get(low(token))
            if paradigm is None or not token.head or not is_relation(token, "det"):
                continue
            forms = {paradigm.ms, paradigm.fs, paradigm.mp, paradigm.fp} - {low(token)}
            form = choose.choice(sorted(forms))
            own = paradigm.agreement(form)
            wrong = with_features(token, Gender=own.gender, Number=own.number)
            yield with_token(utterance, at, replace(wrong, form=recase(token.form, form)), join)

    return corrupt


def subjects(
    pronouns: Mapping[str, list[str]],
    forms: Mapping[str, list[str]],
    focus: frozenset[str],
    join: Join,
) -> Corrupt:
    """A subject pronoun before a finite verb that has no subject.

    `forms` gives the pronouns of each person. Left out are sentences that have a subject pronoun
    already, imperatives, io and tu with a verb form that other persons share, impersonal si, verbs
    before which something is written without a blank, e' for è, and places beside a word of
    `focus`, where a pronoun is no mistake (también ella dijo).
    """

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        places = range(len(utterance.tokens))
        if any(find_clause(tree, at, pronouns) is not None for at in places):
            return
        for head in places:
            verb = find_finite_verb(tree, head)
            if verb is None or tree.children(head, "nsubj", "csubj", "expl:impers", "expl:pass"):
                continue
            if is_relation(tree.tokens[head], "aux", "cop"):
                continue
            found = forms.get(_person(tree.tokens[verb]), [])
            at = _before(tree, verb)
            if not found or at is None or tree.tokens[verb].form.endswith("'"):
                continue
            beside = tree.tokens[max(at - 1, 0) : at + 1]
            if not any(low(token) in focus for token in beside):
                yield _put_in(utterance, at, head, choose.choice(found), join)

    return corrupt


def _person(verb: Token) -> str:
    person, number = feature(verb, "Person"), feature(verb, "Number")
    mood, tense = feature(verb, "Mood"), feature(verb, "Tense")
    shared = mood in ("Sub", "Cnd") or tense == "Imp"
    if mood == "Imp" or (shared and number == "Sing" and person != "3"):
        return ""
    return f"{person}{'p' if number == 'Plur' else 's'}"


def _before(tree: Tree, verb: int) -> int | None:
    """Where a subject stands: before the clitics and the negation of a verb."""
    at = verb
    while at and (
        feature(tree.tokens[at - 1], "Clitic") == "Yes"
        or feature(tree.tokens[at - 1], "PronType") == "Neg"
        or feature(tree.tokens[at - 1], "Polarity") == "Neg"
        or (tree.tokens[at - 1].upos == "PRON" and tree.tokens[at - 1].deprel in _CLITIC)
    ):
        at -= 1
    return at if at == 0 or tree.tokens[at - 1].space_after else None


_CLITIC = ("expl", "iobj", "expl:pv")


def _put_in(utterance: Utterance, at: int, head: int, form: str, join: Join) -> Utterance:
    """With a mention on the pronoun, which the verb is to take over."""
    edits = UtteranceEdits(utterance, join)
    follower = utterance.tokens[at]
    opens = at == 0 and follower.form[:1].isupper()
    made = Token(form, lemma=form, upos="PRON", feats="PronType=Prs", head=head + 1, deprel="nsubj")
    edits.insert("corruption", at, capital(made) if opens else made, frozenset())
    if opens:
        edits.adjust(at, replace(follower, form=follower.form[:1].lower() + follower.form[1:]))
    after = edits.apply()[0]
    return replace(after, mentions=(*after.mentions, KeyedMention("put in", at, at + 1)))


def numbers(join: Join) -> Corrupt:
    """tu for voi, noi for io, esso for essi.

    Left out are lui, lei, egli and ella: a plural does not tell which of them it stands for.
    """
    pronouns = table("it", "pronouns")
    other = pronouns["number"]

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, token in enumerate(utterance.tokens):
            clause = find_clause(tree, at, pronouns["subject"])
            if clause is None or not clause.finite or low(token) in _HUMAN:
                continue
            form = other[low(token)]
            number = "Sing" if feature(token, "Number") == "Plur" else "Plur"
            wrong = with_features(token, Number=number)
            yield with_token(utterance, at, replace(wrong, form=recase(token.form, form)), join)

    return corrupt


_HUMAN = ("egli", "ella", "lui", "lei")


def after(
    words: frozenset[str], forms: Mapping[str, str], tags: tuple[str, ...], join: Join
) -> Corrupt:
    """One form of a pronoun for another after one of the words with these tags."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        for at in range(1, len(utterance.tokens)):
            token, before = utterance.tokens[at], utterance.tokens[at - 1]
            form = forms.get(low(token))
            if form is not None and low(before) in words and before.upos in tags:
                yield with_token(utterance, at, replace(token, form=recase(token.form, form)), join)

    return corrupt


def _demonstratives(tree: Tree) -> Iterator[tuple[int, list[str]]]:
    """Demonstrative adjectives whose noun is at most four tokens ahead, as the table has them."""
    for at, token in enumerate(tree.tokens):
        known = table("it", "demonstratives")["forms"].get(low(token))
        noun = tree.head(at)
        if known is None or noun is None or not at < noun <= at + 4:
            continue
        if is_relation(token, "det") and tree.tokens[noun].upos in ("NOUN", "PROPN"):
            yield at, known


def demonstratives(join: Join) -> Corrupt:
    """Another gender or number of a demonstrative adjective, fitting the next word's sound.

    Where singular and plural of the noun are alike (queste città) the number stays: with the other
    the sentence would be as right as it was.
    """

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, (family, *own) in _demonstratives(tree):
            following = utterance.tokens[at + 1].form
            keys = [key for key in ("ms", "fs", "mp", "fp") if key not in own]
            noun = tree.head(at)
            if noun is not None and is_invariable(tree.tokens[noun]):
                keys = [key for key in keys if key[1] == own[0][1]]
            if not keys:
                continue
            key = choose.choice(keys)
            form = ARTICLES.form(family, key[0], key[1], following)
            yield _shaped(utterance, at, form, key, join)

    return corrupt


def sounds(join: Join) -> Corrupt:
    """The right gender and number of quello in a form that does not fit the next word."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, (family, *own) in _demonstratives(tree):
            noun = tree.head(at)
            gender = feature(tree.tokens[noun], "Gender") if noun is not None else None
            keys = [key for key in own if gender in (None, {"m": "Masc", "f": "Fem"}[key[0]])]
            if family != "that" or not keys:
                continue
            wrong = [form for form in _SHAPES[keys[0]] if form != low(utterance.tokens[at])]
            if wrong:
                yield _shaped(utterance, at, choose.choice(wrong), keys[0], join)

    return corrupt


_SHAPES = {"ms": ["quel", "quello"], "mp": ["quei", "quegli", "quelli"], "fs": ["quella"], "fp": []}


def _shaped(utterance: Utterance, at: int, form: str, key: str, join: Join) -> Utterance:
    token = utterance.tokens[at]
    wrong = with_features(
        token,
        Gender="Fem" if key[0] == "f" else "Masc",
        Number="Plur" if key[1] == "p" else "Sing",
    )
    shaped = replace(wrong, form=recase(token.form, form), space_after=not form.endswith("'"))
    return with_token(utterance, at, shaped, join)


def neuters(join: Join) -> Corrupt:
    """questa, quella or a plural for ciò as the subject of a masculine participle or adjective."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, token in enumerate(utterance.tokens):
            head = tree.head(at)
            if low(token) != "ciò" or head is None or not is_relation(token, "nsubj"):
                continue
            if tree.children(at):
                continue
            key, form = choose.choice([("fs", "questa"), ("fs", "quella"), ("fp", "queste")])
            wrong = _shaped(utterance, at, form, key, join)
            if feature(tree.tokens[head], "Gender") == "Masc":
                yield wrong

    return corrupt


def kin(join: Join) -> Corrupt:
    """An article before a possessive with a close relative."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, token in enumerate(utterance.tokens):
            if not is_bare_kin(tree, at) or tree.children(at + 1, "det")[:1] != [at]:
                continue
            gender = {"o": "m", "a": "f"}.get(low(token)[-1])
            if gender is not None:
                yield put_article(
                    utterance, at, at + 1, ARTICLES.definite(gender, "s", low(token)), join
                )

    return corrupt


def put_article(utterance: Utterance, at: int, noun: int, form: str, join: Join) -> Utterance:
    """The utterance with a definite article of the noun before a word."""
    edits = UtteranceEdits(utterance, join)
    token = utterance.tokens[at]
    article = Token(
        recase(token.form, form),
        lemma="il",
        upos="DET",
        feats="Definite=Def|PronType=Art",
        head=noun + 1,
        deprel="det",
    )
    edits.insert("corruption", at, article, frozenset())
    if at == 0:
        edits.adjust(at, replace(token, form=token.form[:1].lower() + token.form[1:]))
    return edits.apply()[0]


def articles(join: Join) -> Corrupt:
    """No article before the possessive of a subject or object."""
    words = read_words(table("it", "possessives"), "words", "bare")

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at in range(1, len(utterance.tokens) - 1):
            token, article = utterance.tokens[at], utterance.tokens[at - 1]
            noun = tree.head(at)
            if noun is None or token.deprel != "det:poss" or noun < at:
                continue
            if (
                not is_relation(tree.tokens[noun], "nsubj", "obj")
                or low(tree.tokens[noun]) in words
            ):
                continue
            if (
                low(token) == "cui"
                or feature(article, "Definite") != "Def"
                or tree.head(at - 1) != noun
            ):
                continue
            if not alone(utterance, at - 1):
                continue
            edits = UtteranceEdits(utterance, join)
            edits.delete("corruption", at - 1, at)
            if article.form[:1].isupper():
                edits.adjust(at, capital(token))
            yield edits.apply()[0]

    return corrupt


def participles(join: Join) -> Corrupt:
    """Another ending of the participle after lo, la, li, le and avere."""

    def corrupt(utterance: Utterance, choose: random.Random) -> Iterator[Utterance]:
        tree = Tree(utterance.tokens)
        for at, token in enumerate(utterance.tokens):
            objects = tree.children(at, "obj")
            if (
                feature(token, "VerbForm") != "Part"
                or len(objects) != 1
                or token.form[-1] not in "oaie"
            ):
                continue
            with_avere = any(tree.tokens[aux].lemma == "avere" for aux in tree.children(at, "aux"))
            if not with_avere or low(tree.tokens[objects[0]]) not in ("lo", "la", "li", "le"):
                continue
            if objects[0] < at:
                ending = choose.choice(sorted(set("oaie") - {token.form[-1]}))
                yield with_token(utterance, at, replace(token, form=token.form[:-1] + ending), join)

    return corrupt


_OTHER = {"lo": "il", "gli": "i", "l'": "il", "un": "uno", "uno": "un"}
_GOVERNED = {"il": "lo", "i": "gli", **_OTHER}
"""Article -> one of the same gender and number, without a preposition and with one. La is left out,
which may stand before a vowel; a mere lo or gli may be a pronoun."""


def article_forms(join: Join) -> Corrupt:
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
            yield with_token(utterance, at, replace(token, form=other, space_after=True), join)

    return corrupt


def _others(tree: Tree, at: int) -> dict[str, str]:
    return _GOVERNED if at and tree.tokens[at - 1].upos == "ADP" else _OTHER


def _is_article(tree: Tree, at: int) -> bool:
    known, head = ARTICLES.split(low(tree.tokens[at])), tree.head(at)
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
        and (known := ARTICLES.split(written.form)) is not None
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
            yield with_token(utterance, at, replace(token, form=token.form[:-1] + ending), join)

    return corrupt


def _shows_gender(subject: Token) -> bool:
    return subject.upos in ("NOUN", "PROPN")
