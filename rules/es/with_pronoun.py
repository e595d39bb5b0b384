"""con and mí, ti, sí are one word: con mí -> conmigo."""

from __future__ import annotations

from dataclasses import replace

from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.es.writing import join
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, low, with_initial_of
from corefmill.rules.word_rule import WordRule

NAME = "with-pronoun"


class WithPronoun(WordRule):
    """The pronoun, with what mentions it has, becomes the one word."""

    name = NAME

    def __init__(self) -> None:
        super().__init__(join)
        self._forms: dict[str, str] = table("es", "pronouns")["with"]

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        token = tree.tokens[at]
        form = self._forms.get(low(token))
        if form is None or not at or token.upos != "PRON":
            return
        before = tree.tokens[at - 1]
        if low(before) == "con" and edits.can_delete(at - 1, at):
            edits.delete(NAME, at - 1, at)
            spelled = with_initial_of(before.form, form)
            edits.replace(NAME, at, replace(token, form=spelled))
