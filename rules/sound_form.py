"""Fit words to the sound of the next word, and write articles together with a preposition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from corefmill.rules.edits import Join, UtteranceEdits, WordRule
from corefmill.rules.rule import following
from corefmill.rules.tree import Tree, feature, recase

FitWord = Callable[[Tree, int, str], str | None]
"""Returns a word's form before the text that follows, in small letters; None for no change."""


class SoundForm(WordRule):
    """Rule: give each word the form that fits the next sound; no blank after an elided one."""

    name = "sound-form"

    def __init__(self, fit: FitWord, join: Join) -> None:
        super().__init__(join)
        self._fit = fit

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace a word whose form does not fit the next sound."""
        form = self._fit(tree, at, following(edits.utterance, at))
        if form is None:
            return
        token = tree.tokens[at]
        spelled = recase(token.form.rstrip("'’"), form)
        edits.replace(
            self.name, at, replace(token, form=spelled, space_after=not form.endswith("'"))
        )


class Contraction(WordRule):
    """Rule: write two words as one token by the language's `join`; mentions stay.

    An article with a capital is part of a title: di Il Sole.
    """

    name = "contraction"

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Write a word and the next one as one token, if the language joins them."""
        pair = tree.tokens[at : at + 2]
        if len(pair) < 2 or pair[0].upos != "ADP" or not pair[0].space_after:
            return
        article = pair[1].upos == "DET" and feature(pair[1], "PronType") == "Art"
        if article and pair[1].form[:1].islower() and (form := edits.join(pair)) is not None:
            edits.write_together(self.name, at, form)
