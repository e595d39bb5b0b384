"""No article before what stands without one: la su casa -> su casa, il mio padre -> mio padre."""

from __future__ import annotations

from collections.abc import Callable, Collection

from corefmill.rules.edits import Join, UtteranceEdits, capital
from corefmill.rules.tree import Tree, is_relation, low
from corefmill.rules.word_rule import WordRule

NAME = "needless-article"


class NeedlessArticle(WordRule):
    """Takes one of the `articles` away before a word that `is_bare` says stands without.

    With `near` its place alone shows that it is the noun's article, whatever the tree says.
    """

    name = NAME

    def __init__(
        self,
        articles: Collection[str],
        is_bare: Callable[[Tree, int], bool],
        join: Join,
        *,
        near: bool = False,
    ) -> None:
        super().__init__(join)
        self._near = near
        self._articles = articles
        self._is_bare = is_bare

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        if not at or not self._is_bare(tree, at):
            return
        article = tree.tokens[at - 1]
        of_noun = self._near or (article.upos == "DET" and tree.head(at - 1) == tree.head(at))
        if of_noun and low(article) in self._articles and edits.can_delete(at - 1, at):
            edits.delete(self.name, at - 1, at)
            if article.form[:1].isupper():
                edits.adjust(at, capital(tree.tokens[at]))


class BeforePossessive:
    """Whether a word is a possessive before its noun, in a language that has no article there."""

    def __init__(self, forms: Collection[str]) -> None:
        self._forms = forms

    def __call__(self, tree: Tree, at: int) -> bool:
        """For `NeedlessArticle`."""
        noun = tree.head(at)
        return (
            low(tree.tokens[at]) in self._forms
            and is_relation(tree.tokens[at], "det")
            and noun is not None
            and noun > at
            and tree.tokens[noun].upos == "NOUN"
        )
