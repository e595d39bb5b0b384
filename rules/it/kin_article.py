"""No article before a possessive with one close relative: il mio padre -> mio padre."""

from __future__ import annotations

from corefmill.rules.edits import Join
from corefmill.rules.needless_article import NeedlessArticle
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, feature, is_relation, low, strings

NAME = "kin-article"


class KinArticle(NeedlessArticle):
    """Takes the article away; il loro padre, la mia cara madre and i miei fratelli keep it."""

    name = NAME

    def __init__(self, join: Join) -> None:
        super().__init__(("il", "lo", "la", "l'", "i", "gli", "le"), is_bare_kin, join)


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
