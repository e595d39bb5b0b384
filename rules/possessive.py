"""Makes a possessive adjective agree with its noun (section 4.3.2, table 12, first rule)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from corefmill.rules import nominal
from corefmill.rules.draft import Draft, Join
from corefmill.rules.nominal import ANY, Agreement, Nouns
from corefmill.rules.rule import Change, Utterance
from corefmill.rules.tree import Tree, feature, is_relation, like, low, with_features

NAME = "possessive"
REFINEMENTS = ("relation", "around")
"""`relation`: a possessive before or after its noun counts whatever determiner it is labelled as;
`around`: article and adjectives tell gender and number with the noun (`rules/nominal.py`)."""


@dataclass(frozen=True, slots=True)
class Paradigm:
    """The four forms of a word that agrees; a language whose genders are alike repeats them."""

    ms: str
    fs: str
    mp: str
    fp: str

    def form(self, agreement: Agreement) -> str:
        """The form for a gender and number that are both known."""
        key = ("f" if agreement.gender == "Fem" else "m") + (
            "p" if agreement.number == "Plur" else "s"
        )
        return str(getattr(self, key))

    def agreement(self, form: str) -> Agreement:
        """What the form itself says; None where several of the four are alike."""
        fits = [key for key in ("ms", "fs", "mp", "fp") if getattr(self, key) == form]
        genders = {key[0] for key in fits}
        numbers = {key[1] for key in fits}
        # order: each is the only one
        return Agreement(
            {"m": "Masc", "f": "Fem"}[genders.pop()] if len(genders) == 1 else None,
            {"s": "Sing", "p": "Plur"}[numbers.pop()] if len(numbers) == 1 else None,
        )


def by_form(paradigms: Iterable[Paradigm]) -> Mapping[str, Paradigm]:
    """Each form's paradigm."""
    return {
        form: paradigm
        for paradigm in paradigms
        for form in (paradigm.ms, paradigm.fs, paradigm.mp, paradigm.fp)
    }


class PossessiveAgreement:
    """Rewrites the forms of the paradigms; what has none (loro) is never touched.

    `relation` is what the language's treebanks call a possessive's link to its noun.
    """

    name = NAME

    def __init__(
        self,
        paradigms: Mapping[str, Paradigm],
        join: Join,
        refinements: Collection[str],
        relation: str = "det:poss",
        nouns: Nouns = ANY,
    ) -> None:
        self._nouns = nouns
        self._paradigms = paradigms
        self._deprel = relation
        self._join = join
        self._relation = "relation" in refinements
        self._around = "around" in refinements

    def apply(self, utterance: Utterance) -> tuple[Utterance, tuple[Change, ...]]:
        """See `corefmill.rules.rule.Rule`."""
        tree = Tree(utterance.tokens)
        draft = Draft(utterance, self._join)
        for at in range(len(utterance.tokens)):
            self._mend(draft, tree, at)
        return draft.done()

    def noun(self, tree: Tree, at: int) -> int | None:
        """The noun of a possessive, None for any other word."""
        token = tree.tokens[at]
        head = tree.head(at)
        if low(token) not in self._paradigms or head is None:
            return None
        if token.deprel == self._deprel:
            return head
        loose = is_relation(token, "det", "amod", "nmod:poss") and feature(token, "Poss") == "Yes"
        return head if self._relation and loose else None

    def _mend(self, draft: Draft, tree: Tree, at: int) -> None:
        noun = self.noun(tree, at)
        if noun is None:
            return
        token = tree.tokens[at]
        paradigm = self._paradigms[low(token)]
        own = paradigm.agreement(low(token))
        found = nominal.of_noun(tree, noun, but=at, around=self._around, own=own, nouns=self._nouns)
        wanted = Agreement(found.gender or own.gender, found.number or own.number)
        form = paradigm.form(wanted)
        if form == low(token):
            return
        changed = with_features(token, Gender=wanted.gender, Number=wanted.number)
        draft.replace(NAME, at, replace(changed, form=like(token.form, form)))
