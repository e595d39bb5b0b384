"""A participle agrees with the clitic object of avere: li ha visti, la ho vista, avendoli visti.

Not in the paper: its demonstrative and pronoun rules can leave such a pair at odds, and so can a
translator.
"""

from __future__ import annotations

from dataclasses import replace

from corefmill.corpora.records import Token
from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.tree import Tree, feature, is_relation, low, with_features
from corefmill.rules.word_rule import WordRule

NAME = "participle"
_ACCUSATIVE = ("lo", "la", "li")
_HOSTS = ("aver", "avere", "avendo")
_ENDINGS = {"lo": "o", "la": "a", "li": "i", "le": "e"}
_FEATURES = {
    "o": ("Masc", "Sing"),
    "a": ("Fem", "Sing"),
    "i": ("Masc", "Plur"),
    "e": ("Fem", "Plur"),
}


class ParticipleAgreement(WordRule):
    """le ha visto -> le ha viste, where le is the object."""

    name = NAME

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        if is_participle(tree.tokens[at]) and (ending := _asked(tree, at)) is not None:
            agree(NAME, edits, at, ending)


def is_participle(token: Token) -> bool:
    """Whether a word is a participle whose ending shows gender and number."""
    return feature(token, "VerbForm") == "Part" and token.form[-1:] in _FEATURES


def ending_of(gender: str, number: str) -> str:
    """The ending for a gender (m, f) and number (s, p)."""
    return {"ms": "o", "fs": "a", "mp": "i", "fp": "e"}[gender + number]


def agree(rule: str, edits: UtteranceEdits, at: int, ending: str) -> None:
    """Gives a participle another ending, where it has another."""
    token = edits.token(at)
    if ending != token.form[-1]:
        gender, number = _FEATURES[ending]
        changed = with_features(token, Gender=gender, Number=number)
        edits.replace(rule, at, replace(changed, form=token.form[:-1] + ending))


def _asked(tree: Tree, at: int) -> str | None:
    """The ending that the participle's clitic object asks for, None where nothing does."""
    if (enclitic := _enclitic(tree, at)) is not None:
        return _ENDINGS[enclitic]
    auxiliaries = [aux for aux in tree.children(at, "aux") if tree.tokens[aux].lemma == "avere"]
    if not auxiliaries:
        return None
    objects = [child for child in tree.children(at) if is_relation(tree.tokens[child], "obj")]
    before = auxiliaries[0] - 1
    if before >= 0 and low(tree.tokens[before]) in _ACCUSATIVE:
        # Whatever the tree makes of it: right before the auxiliary it can be nothing else.
        objects = [before]
    if len(objects) != 1 or objects[0] > at or tree.tokens[objects[0]].upos != "PRON":
        return None
    clitic = objects[0]
    if low(tree.tokens[clitic]) == "le" and clitic and low(tree.tokens[clitic - 1]) == "che":
        return None  # il problema che le ho posto: che is the object, or may be
    return _ENDINGS.get(low(tree.tokens[clitic]))


def _enclitic(tree: Tree, at: int) -> str | None:
    """The clitic that is written onto avere before the participle: avendoli visti, averla vista.

    Whatever the tree makes of it, too; le is also a dative and is left alone.
    """
    clitic = at - 1
    while clitic > 0 and tree.tokens[clitic].upos == "ADV":
        clitic -= 1
    if clitic < 1 or low(tree.tokens[clitic]) not in _ACCUSATIVE:
        return None
    host = low(tree.tokens[clitic - 1])
    return low(tree.tokens[clitic]) if host in _HOSTS else None
