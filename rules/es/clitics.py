"""A dative before an accusative of the third person: le lo dio -> se lo dio."""

from __future__ import annotations

from dataclasses import replace

from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.es.writing import join
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, like, low, strings
from corefmill.rules.word_rule import WordRule

NAME = "dative"


class DativeBeforeAccusative(WordRule):
    """le, les -> se, where both words are pronouns; also after a verb: dárlelo, dárselo."""

    name = NAME

    def __init__(self) -> None:
        super().__init__(join)
        pronouns = table("es", "pronouns")
        self._forms: dict[str, str] = pronouns["dative"]
        self._accusative = strings(pronouns, "words", "accusative")

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        token = tree.tokens[at]
        form = self._forms.get(low(token))
        if form is None or at + 1 >= len(tree.tokens):
            return
        after = tree.tokens[at + 1]
        if token.upos == after.upos == "PRON" and low(after) in self._accusative:
            edits.replace(NAME, at, replace(token, form=like(token.form, form)))
