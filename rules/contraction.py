"""A preposition and the article after it, written apart, become one token: a il mare, al mare.

Not in the paper: a translator that leaves a name or an unknown word as it is leaves them apart.
"""

from __future__ import annotations

from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.tree import Tree, feature
from corefmill.rules.word_rule import WordRule

NAME = "contraction"


class Contraction(WordRule):
    """Writes as one token what the language's `join` does; the words and their mentions stay.

    An article with a capital is part of a title: di Il Sole.
    """

    name = NAME

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        pair = tree.tokens[at : at + 2]
        if len(pair) < 2 or pair[0].upos != "ADP" or not pair[0].space_after:
            return
        article = pair[1].upos == "DET" and feature(pair[1], "PronType") == "Art"
        if article and pair[1].form[:1].islower() and (form := edits.join(pair)) is not None:
            edits.write_together(NAME, at, form)
