"""The common frame of rules that look at the words of an utterance one after the other."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from corefmill.rules.edits import Join, UtteranceEdits
from corefmill.rules.rule import Change, Utterance
from corefmill.rules.tree import Tree


class WordRule:
    """A `corefmill.rules.rule.Rule`: `visit` is called for each word, from the first to the last.

    Every call sees the tree of the utterance as it was given; what `visit` puts into `edits` is
    carried out at the end. `join` is the language's, see `corefmill.rules.edits.Join`.
    """

    name: ClassVar[str]

    def __init__(self, join: Join) -> None:
        self._join = join

    def apply(self, utterance: Utterance) -> tuple[Utterance, tuple[Change, ...]]:
        """See `corefmill.rules.rule.Rule`."""
        tree = Tree(utterance.tokens)
        edits = UtteranceEdits(utterance, self._join)
        for at in range(len(utterance.tokens)):
            self.visit(edits, tree, at)
        return edits.done()

    @abstractmethod
    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Changes the word at an offset, or records what kept it, or does nothing."""
