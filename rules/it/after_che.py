"""me and te after the conjunction che become io and tu (section 4.3.2, table 11, rules 4 and 5)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from corefmill.rules.edits import UtteranceEdits, WordRule
from corefmill.rules.it.morphology import persons
from corefmill.rules.it.writing import join
from corefmill.rules.tree import Tree, feature, is_relation, low, read_words, recase, table


class AfterChe(WordRule):
    """Rule: give a pronoun after che the subject form (che me sia -> che io sia)."""

    name = "after-che"
    refinements = ("cluster", "verb")
    """`cluster`: che me lo dice, two clitics; `verb`: più forte che me, no finite verb after it."""

    def __init__(self, active: Collection[str]) -> None:
        """Read the pronouns; of the rule's `refinements`, those in `active` apply."""
        super().__init__(join)
        pronouns = table("it", "pronouns")
        self._forms = {oblique: subject for subject, oblique in pronouns["oblique"].items()}
        self._clitics = read_words(pronouns, "words", "clitics")
        self._second = read_words(pronouns, "words", "second_clitics")
        self._active = [name for name in self.refinements if name in active]

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace an object pronoun after che by its subject form."""
        tokens = tree.tokens
        form = self._forms.get(low(tokens[at]))
        if form is None or not at or low(tokens[at - 1]) != "che":
            return
        against = {
            "cluster": at + 1 < len(tokens) and low(tokens[at + 1]) in self._second,
            "verb": self._without_verb(tree, at),
        }
        kept = next((name for name in self._active if against[name]), None)
        if kept is not None:
            edits.keep(f"{self.name}/{kept}", at)
        else:
            edits.replace(self.name, at, replace(tokens[at], form=recase(tokens[at].form, form)))

    def _without_verb(self, tree: Tree, at: int) -> bool:
        """Tell whether no verb of the pronoun's person follows, clitics and adverbs aside."""
        tokens = tree.tokens
        if is_relation(tokens[at], "nsubj"):
            return False
        wanted = table("it", "pronouns")["subject"][self._forms[low(tokens[at])]]
        for verb, token in enumerate(tokens[at + 1 :], at + 1):
            if low(token) in self._clitics or token.upos == "ADV":
                continue
            if feature(token, "VerbForm") != "Fin":
                return True
            # parta, sia: of all persons in the singular, whatever the tree says.
            subjunctive = low(token).endswith(("a", "i")) and feature(token, "Number") == "Sing"
            if tree.head(at - 1) == verb and subjunctive:
                return False
            return bool(persons(token)) and persons(token).isdisjoint(wanted)
        return True
