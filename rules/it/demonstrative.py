"""Demonstrative adjectives agree with their noun and fit the next sound (tables 12 and 13).

Section 4.3.2: the noun stands at most four tokens ahead and holds the demonstrative as its
determiner; "Quella avviso" becomes "Quello", and that "Quell'avviso".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corefmill.rules import nominal
from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.it import articles
from corefmill.rules.it.nouns import NOUNS
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.it.writing import join
from corefmill.rules.nominal import GenderNumber
from corefmill.rules.rule import following
from corefmill.rules.tables import table
from corefmill.rules.tree import (
    GENDERS,
    NUMBERS,
    Tree,
    is_relation,
    like,
    low,
    strings,
    with_features,
)
from corefmill.rules.word_rule import WordRule

NAME = "demonstrative"
SPAN = 4
"""Tokens that the noun may be ahead."""
REFINEMENTS = ("around", "near", "nominal", "elision")
"""`around`: article, adjectives and the noun's ending have a vote on its gender and number; `near`:
right before a common noun it is the noun's, whatever the tree says; `nominal`: quest'ultimo;
`elision`: a rewritten questo is quest' where that is usual (quest'anno)."""


class DemonstrativeAgreement(WordRule):
    """Rewrites the forms of demonstratives.toml."""

    name = NAME

    def __init__(self, refinements: Collection[str]) -> None:
        super().__init__(join)
        self._on = frozenset(refinements)
        self._elided = strings(table("it", "demonstratives"), "words", "elided")
        self._never_alone = strings(table("it", "demonstratives"), "words", "never_alone")

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        # First, the word is a form of questo or quello, and its noun is found.
        token = tree.tokens[at]
        known = table("it", "demonstratives")["forms"].get(low(token))
        if known is None or (noun := self._noun(tree, at, known[0])) is None:
            return
        family, *own = known
        # Second, what the noun asks for. Where that is not known the form's own gender and number
        # stand, and of quest' and quell' both genders do.
        shown, around = GenderNumber.shared(own), "around" in self._on
        found = nominal.of_noun(tree, noun, but=at, around=around, own=shown, nouns=NOUNS)
        number = NUMBERS.get(found.number or "") or own[0][1]
        genders = GENDERS.get(found.gender or "") or "".join(sorted({key[0] for key in own}))
        # Third, a word that the tree has for no determiner may be a pronoun after all (c'è quello
        # exfoliant): only one that cannot be the noun's as it is, or is never a pronoun (quel),
        # shows that it is its determiner.
        alone = not is_relation(token, "det") and low(token) not in self._never_alone
        if alone and any(gender + number in own for gender in genders):
            return
        # Fourth, the form before the next sound. What has it already stays, and so does quest',
        # which before a vowel is as good as questo.
        form = self._form(low(token), family, genders, number, following(edits.utterance, at))
        if form is None:
            return
        values = {letter: name for name, letter in (GENDERS | NUMBERS).items()}
        changed = with_features(token, Gender=values[genders[0]], Number=values[number])
        space = not form.endswith("'")
        edits.replace(NAME, at, replace(changed, form=like(token.form, form), space_after=space))

    def _form(self, form: str, family: str, genders: str, number: str, after: str) -> str | None:
        """What `form` becomes before what follows, None where it fits."""
        forms = [articles.form(family, gender, number, after) for gender in genders]
        if form in forms or (form == "quest'" and number == "s" and onset(after) is Onset.VOWEL):
            return None
        elided = "elision" in self._on and family == "this" and number == "s"
        return "quest'" if elided and self._is_elided(after) else forms[0]

    def _noun(self, tree: Tree, at: int, family: str) -> int | None:
        """The noun that a demonstrative belongs to, None where there is none within reach."""
        if "near" in self._on and _is_before_noun(tree, at):
            return at + 1
        noun = tree.head(at)
        if noun is None or not is_relation(tree.tokens[at], "det") or not at < noun <= at + SPAN:
            return None
        upos = tree.tokens[noun].upos
        adjective = "nominal" in self._on and family == "this" and upos == "ADJ"
        return noun if adjective or upos in ("NOUN", "PROPN") else None

    def _is_elided(self, after: str) -> bool:
        """Whether questo is usually quest' before what follows."""
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
