"""What every rule promises, on utterances that no grammar made."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.records import Token
from corefmill.rules import es, fr, it
from corefmill.rules.rule import Change, KeyedMention, Rule, Utterance, Written, refine, text

NOUN = "Gender=Masc|Number=Sing"
VERB = "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin"
WORDS = [
    *((form, "PRON", "PronType=Prs") for form in ("Io", "tu", "egli", "me", "yo", "mí", "je")),
    *((form, "VERB", VERB) for form in ("va", "vanno", "sia", "corre")),
    *((form, "AUX", VERB) for form in ("è", "ha", "siete")),
    *((form, "NOUN", NOUN) for form in ("padre", "amico", "studente", "casa", "hijos")),
    *((form, "DET", "Poss=Yes") for form in ("mia", "Mio", "su", "nuestra", "sa")),
    *((form, "DET", "PronType=Dem") for form in ("Quella", "quell'", "quei", "esta", "Ce")),
    *((form, "DET", "Definite=Def|PronType=Art") for form in ("il", "la", "el", "le", "L'")),
    *((form, "ADP", None) for form in ("di", "con", "a", "de")),
    *((form, "PUNCT", None) for form in (",", ".", "«")),
    ("che", "SCONJ", None),
    ("ch'", "SCONJ", None),
    ("la", "PRON", "Clitic=Yes"),
    ("vista", "VERB", "Gender=Fem|Number=Sing|VerbForm=Part"),
]
RELATIONS = ["nsubj", "obj", "obl", "det", "det:poss", "aux", "cop", "amod", "case", "conj", None]


@st.composite
def utterances(draw: st.DrawFn) -> Utterance:
    size = draw(st.integers(1, 9))
    tokens = []
    for _ in range(size):
        form, upos, feats = draw(st.sampled_from(WORDS))
        head = draw(st.none() | st.integers(0, size))
        relation = draw(st.sampled_from(RELATIONS))
        space = draw(st.booleans())
        lemma = "avere" if form == "ha" else form.lower()
        tokens.append(
            Token(form, lemma, upos, feats=feats, head=head, deprel=relation, space_after=space)
        )
    places = st.lists(st.integers(0, size), max_size=6, unique=True).map(sorted)
    cuts = draw(places)
    written = tuple(
        Written(start, end, "".join(token.form for token in tokens[start:end]))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        if end - start > 1
    )
    spans = st.tuples(st.integers(0, size - 1), st.integers(1, size)).filter(lambda s: s[0] < s[1])
    found = draw(st.lists(st.tuples(st.sampled_from("abc"), spans), max_size=6, unique=True))
    mentions = tuple(KeyedMention(cluster, start, end) for cluster, (start, end) in found)
    return Utterance(tuple(tokens), mentions, written)


def carried(before: Utterance, changes: tuple[Change, ...]) -> list[str]:
    """The forms that the changes of one rule make of an utterance's words."""
    made: dict[int, list[str]] = {}
    inserted: dict[int, str] = {}
    for change in changes:
        if change.start == change.end:
            inserted[change.start] = change.after
        elif change.end - change.start == 1 and not change.is_kept:  # two are written as one token
            made[change.start] = [change.after] if change.after else []
    forms: list[str] = []
    for at, token in enumerate(before.tokens):
        if at in inserted:
            forms.append(inserted[at])
        forms += made.get(at, [token.form])
    return forms


# Clean mode has the rules of paper mode, too.
each_rules = pytest.mark.parametrize(
    "rules",
    [
        pytest.param(it.rules("paper"), id="it paper", marks=pytest.mark.thorough),
        *(pytest.param(lang.rules("clean"), id=lang.__name__) for lang in (it, es, fr)),
    ],
)


@each_rules
@given(before=utterances())
@settings(max_examples=20, deadline=None)
def test_every_rule_keeps_its_promises(rules: tuple[Rule, ...], before: Utterance) -> None:
    for rule in rules:
        after, changes = rule.apply(before)
        # Every cluster keeps its mentions, in their order, and none come to lie on each other.
        assert [m.key for m in after.mentions] == [m.key for m in before.mentions]
        spans = {(m.start, m.end) for m in before.mentions}
        assert len({(m.start, m.end) for m in after.mentions}) == len(spans)
        # What no change names is untouched, capitals aside.
        told = Counter(form.casefold() for form in carried(before, changes))
        assert Counter(token.form.casefold() for token in after.tokens) == told
        if not any(not change.is_kept for change in changes):
            assert after == before
        assert text(after).casefold() == text(after).casefold().strip()
        before = after


@each_rules
@given(before=utterances())
@settings(max_examples=12, deadline=None)
def test_words_of_a_mention_stay_its_own(rules: tuple[Rule, ...], before: Utterance) -> None:
    """Lemmas tell the words apart: a mention loses the deleted and gains only insertions."""
    after, changes = refine(before, rules)
    gone = {change.before.casefold() for change in changes if not change.after}
    for old, new in zip(before.mentions, after.mentions, strict=True):
        was = {before.tokens[at].lemma for at in range(old.start, old.end)}
        now = {after.tokens[at].lemma for at in range(new.start, new.end)}
        lost = {lemma for lemma in was - now if lemma not in gone}
        assert not lost or "ciò" in now
