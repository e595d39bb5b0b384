"""The tree of a translation, asked about the words around a placeholder."""

from __future__ import annotations

from corefmill.builders.nlp.analysis import Analysis
from corefmill.builders.ontonotes_it.gamma.italian import tokens
from corefmill.rules.tree import Tree


class TranslationTree(Tree):
    """A tree whose words stand at offsets of a text; it has no words where there is no analysis.

    `spans` are half-open, in code points; words of one written token share its span.
    """

    def __init__(self, analysis: Analysis | None) -> None:
        self._text = analysis.text if analysis else ""
        self.spans = analysis.words if analysis else ()
        super().__init__(tokens(analysis) if analysis else ())

    def at(self, start: int) -> int | None:
        """The word that begins at an offset of the text."""
        return next((word for word, span in enumerate(self.spans) if span[0] == start), None)

    def form(self, word: int) -> str:
        """The word as it is written, of a piece the whole token."""
        return self._text[slice(*self.spans[word])]

    def alone(self, word: int) -> bool:
        """Whether the word is a written token of its own, no piece of one."""
        return self.spans.count(self.spans[word]) == 1
