"""Words that are written otherwise before another sound: le ami -> l'ami, y Isabel -> e Isabel.

Not in the paper: a translator chooses the form for the word that it knows, and where a mention has
given way to a placeholder another word stands there in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from corefmill.rules.edits import Join, UtteranceEdits
from corefmill.rules.rule import following
from corefmill.rules.tree import Tree, like
from corefmill.rules.word_rule import WordRule

NAME = "sound-form"

Fitted = Callable[[Tree, int, str], str | None]
"""A word of a tree and what is written after it -> its form before that, in small letters; None for
a word that stays as it is."""


class SoundForm(WordRule):
    """Gives each word the form that the language's function says; an elided one has no blank."""

    name = NAME

    def __init__(self, fitted: Fitted, join: Join) -> None:
        super().__init__(join)
        self._fitted = fitted

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        form = self._fitted(tree, at, following(edits.utterance, at))
        if form is None:
            return
        token = tree.tokens[at]
        spelled = like(token.form.rstrip("'’"), form)
        edits.replace(NAME, at, replace(token, form=spelled, space_after=not form.endswith("'")))
