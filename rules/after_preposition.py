"""Give a subject pronoun after a preposition its oblique form: per io -> per me.

The paper (Minutolo et al. 2022, section 4.3.2, table 11, rules 2 and 3) has io and tu alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from corefmill.rules.edits import Join, UtteranceEdits, WordRule
from corefmill.rules.tree import Tree, is_relation, low, read_words, recase


@dataclass(frozen=True, slots=True)
class PrepositionWords:
    """Pronouns with their forms after a preposition, in small letters.

    `oblique` are the pronouns of paper mode, `third` those that clean mode adds; `prepositions`
    govern them. `shortened` are prepositions that change before the new form: ad ella, a lei.
    Before a word of `clause` a pronoun is a subject after all: d'il y a quarante ans.
    """

    oblique: Mapping[str, str]
    prepositions: frozenset[str]
    third: Mapping[str, str] = field(default_factory=dict)
    shortened: Mapping[str, str] = field(default_factory=dict)
    clause: frozenset[str] = frozenset()

    @classmethod
    def of(cls, table: dict[str, Any], *, but: str | None = None) -> PrepositionWords:
        """Read the pronouns and prepositions of a language's table `pronouns`.

        The table has `oblique`, `oblique_third`, `shortened`, and `words` with `prepositions` and
        `clause`; `but` names a list of prepositions that a subject form follows.
        """
        none: frozenset[str] = frozenset()
        return cls(
            table["oblique"],
            read_words(table, "words", "prepositions")
            - (read_words(table, "words", but) if but else none),
            table.get("oblique_third", {}),
            table.get("shortened", {}),
            frozenset(table["words"].get("clause", ())),
        )


class AfterPreposition(WordRule):
    """Rule: give a pronoun its form after a preposition (per io -> per me)."""

    name = "after-preposition"
    refinements = ("third", "coordination")
    """`third`: di egli, con ella become lui and lei too; `coordination`: tra me e tu becomes te."""

    def __init__(self, words: PrepositionWords, refinements: Collection[str], join: Join) -> None:
        super().__init__(join)
        self._words = words
        self._forms = dict(words.oblique)
        if "third" in refinements:
            self._forms |= words.third
        self._coordination = "coordination" in refinements

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace a pronoun behind a preposition by its oblique form."""
        token = tree.tokens[at]
        form = self._forms.get(low(token))
        if form is None or not at or token.upos == "DET":
            return
        after = tree.tokens[at + 1 : at + 2]
        if after and low(after[0]) in self._words.clause:
            return
        before = tree.tokens[at - 1]
        name = self.name if low(token) in self._words.oblique else f"{self.name}/third"
        if low(before) not in self._words.prepositions:
            if not (self._coordination and self._is_second(tree, at)):
                return
            name = f"{self.name}/coordination"
        edits.replace(name, at, replace(token, form=recase(token.form, form)))
        if (short := self._words.shortened.get(low(before))) is not None:
            edits.adjust(at - 1, replace(before, form=recase(before.form, short)))

    def _is_second(self, tree: Tree, at: int) -> bool:
        """Tell whether the pronoun is the second after a preposition: tra me e tu."""
        head = tree.head(at)
        return (
            head is not None
            and is_relation(tree.tokens[at], "conj")
            and tree.tokens[head].upos == "PRON"
            and head > 0
            and low(tree.tokens[head - 1]) in self._words.prepositions
        )
