"""A participle with avere agrees with the clitic object before it: li ha visti, la ho vista.

Not in the paper: its demonstrative and pronoun rules can leave such a pair at odds, and so can a
translator.
"""

from __future__ import annotations

from dataclasses import replace

from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.tree import Tree, feature, is_relation, low, with_features
from corefmill.rules.word_rule import WordRule

NAME = "participle"
_ACCUSATIVE = ("lo", "la", "li")
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
        token = tree.tokens[at]
        if feature(token, "VerbForm") != "Part" or token.form[-1:] not in _FEATURES:
            return
        ending = _asked(tree, at)
        if ending is not None and ending != token.form[-1]:
            gender, number = _FEATURES[ending]
            changed = with_features(token, Gender=gender, Number=number)
            edits.replace(NAME, at, replace(changed, form=token.form[:-1] + ending))


def _asked(tree: Tree, at: int) -> str | None:
    """The ending that the participle's clitic object asks for, None where nothing does."""
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
