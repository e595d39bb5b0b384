"""No article before a possessive with one close relative: il mio padre -> mio padre."""

from __future__ import annotations

from corefmill.rules.edits import UtteranceEdits, capital
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, feature, is_relation, low, strings
from corefmill.rules.word_rule import WordRule

NAME = "kin-article"


class KinArticle(WordRule):
    """Takes the article away; il loro padre, la mia cara madre and i miei fratelli keep it."""

    name = NAME

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        if not at or not is_bare_kin(tree, at) or not _is_article(tree, at - 1, at + 1):
            return
        if edits.can_delete(at - 1, at):
            edits.delete(NAME, at - 1, at)
            if tree.tokens[at - 1].form[:1].isupper():
                edits.adjust(at, capital(tree.tokens[at]))


def is_bare_kin(tree: Tree, at: int) -> bool:
    """Whether the word is a possessive right before a relative in the singular, unadorned."""
    words = table("it", "possessives")["words"]
    noun = at + 1
    if noun >= len(tree.tokens) or tree.head(at) != noun or not is_possessive(tree, at):
        return False
    return (
        low(tree.tokens[at]) not in words["with_article"]
        and low(tree.tokens[noun]) in strings(words, "kin")
        and feature(tree.tokens[noun], "Number") != "Plur"
        and not tree.children(noun, "amod")
    )


def is_possessive(tree: Tree, at: int) -> bool:
    """Whether the word is a possessive adjective, `loro` included; `cui` and `quale` are none."""
    token = tree.tokens[at]
    forms = {form for row in table("it", "possessives")["paradigm"] for form in row.values()}
    return low(token) in forms | {"loro"} and is_relation(token, "det")


def _is_article(tree: Tree, at: int, noun: int) -> bool:
    token = tree.tokens[at]
    return (
        tree.head(at) == noun
        and token.upos == "DET"
        and low(token) in ("il", "lo", "la", "l'", "i", "gli", "le")
    )
