"""A demonstrative that stands for no noun becomes the neuter ciò (section 4.3.2, table 14)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from corefmill.rules.edits import UtteranceEdits
from corefmill.rules.it.demonstrative import SPAN
from corefmill.rules.it.verbs import persons
from corefmill.rules.it.writing import join
from corefmill.rules.subject_deletion import finite_verb
from corefmill.rules.tables import table
from corefmill.rules.tree import Tree, feature, is_relation, like, low, strings, with_features
from corefmill.rules.word_rule import WordRule

NAME = "neuter"


class NeuterDemonstrative(WordRule):
    """Quella è stato fatto -> Ciò è stato fatto; `refinements` are keys of `REFINEMENTS`."""

    name = NAME

    def __init__(self, refinements: Collection[str]) -> None:
        super().__init__(join)
        self._refinements = [name for name in REFINEMENTS if name in refinements]

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """See `WordRule`."""
        token = tree.tokens[at]
        if low(token) not in table("it", "demonstratives")["forms"] or _has_noun(tree, at):
            return
        kept = next((name for name in self._refinements if REFINEMENTS[name](tree, at)), None)
        if kept is not None:
            edits.keep(f"{NAME}/{kept}", at)
            return
        form = like(token.form, str(table("it", "demonstratives")["words"]["neuter"]))
        space = token.space_after or token.form.endswith(("'", "’"))
        changed = with_features(token, Gender="Masc", Number="Sing")
        changed = replace(changed, form=form, lemma="ciò", upos="PRON", space_after=space)
        edits.replace(NAME, at, changed)


def _has_noun(tree: Tree, at: int) -> bool:
    """Whether the word hangs on a noun, or a noun on it, at most four tokens away."""
    head = tree.head(at)
    linked = tree.children(at) + ([] if head is None else [head])
    return any(
        tree.tokens[other].upos in ("NOUN", "PROPN") and abs(other - at) <= SPAN for other in linked
    )


def _modified(tree: Tree, at: int) -> bool:
    """quello che, quella di Maria, questi ultimi."""
    after = low(tree.tokens[at + 1]) if at + 1 < len(tree.tokens) else ""
    return after in ("che", "cui", "di", "quale", "qui", "lì", "là") or bool(
        tree.children(at, "acl", "nmod", "amod", "nummod", "appos", "det")
    )


def _human(tree: Tree, at: int) -> bool:
    """Quella ha detto: its verb is one of people."""
    head = tree.head(at)
    verbs = strings(table("it", "demonstratives"), "words", "human")
    return head is not None and (tree.tokens[head].lemma or "") in verbs


def _agreeing(tree: Tree, at: int) -> bool:
    """Nothing shows that it is neuter: Questo è vero, Quella è stata scritta.

    What shows it is a predicate in the masculine singular beside a feminine or a plural, or a verb
    in the singular beside a plural; questi and quegli are also a literary singular for one man. Of
    a verb in another person than the third singular ciò is no subject.
    """
    token, head = tree.tokens[at], tree.head(at)
    readings = table("it", "demonstratives")["forms"][low(token)][1:]
    if head is None or not is_relation(token, "nsubj"):
        return True
    verb = finite_verb(tree, head)
    plural = all(key[1] == "p" for key in readings) and low(token) not in ("questi", "quegli")
    possible: frozenset[str] = frozenset() if verb is None else persons(tree.tokens[verb])
    if possible and "3s" not in possible:
        return True
    if plural and possible and all(person[1] == "s" for person in possible):
        return False
    predicate = tree.tokens[head]
    if predicate.upos not in ("VERB", "ADJ") or (verb == head) or "ms" in readings:
        return True
    with_essere = any(
        (tree.tokens[child].lemma or "") in ("essere", "venire")
        for child in tree.children(head, "aux", "cop")
    )
    return not (
        with_essere
        and feature(predicate, "Gender") == "Masc"
        and feature(predicate, "Number") == "Sing"
    )


REFINEMENTS: Mapping[str, Callable[[Tree, int], bool]] = {
    "modified": _modified,
    "human": _human,
    "agreeing": _agreeing,
}
"""What keeps a demonstrative in clean mode, in the order in which they are asked."""
