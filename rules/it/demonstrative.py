"""Demonstrative adjectives agree with their noun and fit the next sound (tables 12 and 13).

Section 4.3.2: the noun stands at most four tokens ahead and holds the demonstrative as its
determiner; "Quella avviso" becomes "Quello", and that "Quell'avviso".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corefmill.rules import nominal
from corefmill.rules.draft import Draft
from corefmill.rules.it.articles import Determiner
from corefmill.rules.it.nouns import NOUNS
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.it.writing import following, join
from corefmill.rules.nominal import Agreement
from corefmill.rules.rule import Change, Utterance
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, is_relation, like, low, strings, with_features

NAME = "demonstrative"
SPAN = 4
"""Tokens that the noun may be ahead."""
REFINEMENTS = ("around", "near", "nominal", "elision")
"""`around`: article and adjectives tell gender and number with the noun, and its end; `near`:
right before a common noun it is the noun's, whatever the tree says; `nominal`: quest'ultimo;
`elision`: a rewritten questo is quest' where that is usual (quest'anno)."""
_GENDERS = {"Masc": "m", "Fem": "f"}
_NUMBERS = {"Sing": "s", "Plur": "p"}


class DemonstrativeAgreement:
    """Rewrites the forms of demonstratives.toml."""

    name = NAME

    def __init__(self, refinements: Collection[str]) -> None:
        self._around = "around" in refinements
        self._elided = strings(table("it", "demonstratives"), "words", "elided")
        self._elision = "elision" in refinements
        self._near = "near" in refinements
        self._nominal = "nominal" in refinements

    def apply(self, utterance: Utterance) -> tuple[Utterance, tuple[Change, ...]]:
        """See `corefmill.rules.rule.Rule`."""
        tree = Tree(utterance.tokens)
        draft = Draft(utterance, join)
        for at in range(len(utterance.tokens)):
            self._mend(draft, tree, at)
        return draft.done()

    def _mend(self, draft: Draft, tree: Tree, at: int) -> None:
        token = tree.tokens[at]
        known = table("it", "demonstratives")["forms"].get(low(token))
        noun = tree.head(at)
        hangs = is_relation(token, "det")
        if self._near and _is_before_noun(tree, at):
            noun = at + 1
        elif not hangs:
            return
        if known is None or noun is None or not at < noun <= at + SPAN:
            return
        family, *own = known
        adjective = self._nominal and family == "this" and tree.tokens[noun].upos == "ADJ"
        if not adjective and tree.tokens[noun].upos not in ("NOUN", "PROPN"):
            return
        itself = _agreement(own)
        found = nominal.of_noun(tree, noun, but=at, around=self._around, own=itself, nouns=NOUNS)
        genders = _GENDERS.get(found.gender or "") or "".join(sorted({key[0] for key in own}))
        numbers = _NUMBERS.get(found.number or "") or own[0][1]
        after = following(draft.utterance, at)
        readings = [Determiner(family, gender, numbers) for gender in genders]
        if not hangs and any(gender + numbers in own for gender in genders):
            return  # c'è quello exfoliant: it may be a pronoun after all
        forms = [reading.before(after) for reading in readings]
        vowel = onset(after) is Onset.VOWEL
        if low(token) in forms or (low(token) == "quest'" and numbers == "s" and vowel):
            return
        form = forms[0]
        if self._elision and family == "this" and numbers == "s" and self._usual(after):
            form = "quest'"
        changed = with_features(
            token,
            Gender=next(name for name, key in _GENDERS.items() if key == readings[0].gender),
            Number=next(name for name, key in _NUMBERS.items() if key == numbers),
        )
        draft.replace(
            NAME,
            at,
            replace(changed, form=like(token.form, form), space_after=not form.endswith("'")),
        )

    def _usual(self, after: str) -> bool:
        word = after.split(maxsplit=1)[:1]
        return bool(word) and word[0].lower().strip('.,;:!?"») ') in self._elided


def _is_before_noun(tree: Tree, at: int) -> bool:
    after = tree.tokens[at + 1] if at + 1 < len(tree.tokens) else None
    return (
        after is not None
        and after.upos == "NOUN"
        and not after.form[:1].isupper()
        and not tree.children(at + 1, "det", "case")
    )


def _agreement(own: list[str]) -> Agreement:
    """What a form says of gender and number."""
    gender = (value for value, key in _GENDERS.items() if {key} == {one[0] for one in own})
    number = (value for value, key in _NUMBERS.items() if {key} == {one[1] for one in own})
    return Agreement(next(gender, None), next(number, None))
