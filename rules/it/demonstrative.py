"""Make demonstratives agree with their noun (the paper's tables 12, 13), else ciò (table 14)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from corefmill.rules import nominal
from corefmill.rules.agreement import SPAN
from corefmill.rules.edits import UtteranceEdits, WordRule
from corefmill.rules.it.morphology import NOUNS, persons
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.it.writing import ARTICLES, join
from corefmill.rules.nominal import GenderNumber
from corefmill.rules.rule import following
from corefmill.rules.subject_deletion import find_finite_verb
from corefmill.rules.tree import (
    GENDERS,
    NUMBERS,
    Tree,
    feature,
    is_relation,
    low,
    read_words,
    recase,
    table,
    with_features,
)


class DemonstrativeAgreement(WordRule):
    """Rule: make questo and quello agree with their noun (Quella avviso -> Quell'avviso)."""

    name = "demonstrative"
    refinements = ("around", "near", "nominal", "elision")
    """`around`: article, adjectives and the noun's ending have a vote on its gender and number;
    `near`: right before a common noun it is the noun's, whatever the tree says; `nominal`:
    quest'ultimo; `elision`: a rewritten questo is quest' where that is usual (quest'anno)."""

    def __init__(self, refinements: Collection[str]) -> None:
        super().__init__(join)
        self._on = frozenset(refinements)
        self._elided = read_words(table("it", "demonstratives"), "words", "elided")
        self._never_alone = read_words(table("it", "demonstratives"), "words", "never_alone")

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace a demonstrative that does not agree with its noun."""
        # First, the word is a form of questo or quello, and its noun is found.
        token = tree.tokens[at]
        known = table("it", "demonstratives")["forms"].get(low(token))
        if known is None or (noun := self._noun(tree, at, known[0])) is None:
            return
        family, *own = known
        # Second, the noun's gender and number. If unknown, those of the form count; quest' and
        # quell' have both genders.
        shown, around = GenderNumber.common_to(own), "around" in self._on
        found = nominal.read_noun_agreement(
            tree, noun, but=at, around=around, own=shown, nouns=NOUNS
        )
        number = NUMBERS.get(found.number or "") or own[0][1]
        genders = GENDERS.get(found.gender or "") or "".join(sorted({key[0] for key in own}))
        # Third, a word that is not a determiner in the tree may be a pronoun (c'è quello
        # exfoliant). It is the noun's determiner only if its form does not fit the noun, or is
        # never a pronoun (quel).
        alone = not is_relation(token, "det") and low(token) not in self._never_alone
        if alone and any(gender + number in own for gender in genders):
            return
        # Fourth, the form before the next sound. A word that has this form stays, and so does
        # quest' before a vowel, where questo is correct, too.
        after = following(edits.utterance, at)
        forms = [ARTICLES.form(family, gender, number, after) for gender in genders]
        bare = low(token) == "quest'" and number == "s" and onset(after) is Onset.VOWEL
        if low(token) in forms or bare:
            return
        word = after.split(maxsplit=1)[:1]
        usual = bool(word) and word[0].lower().strip('.,;:!?"») ') in self._elided
        elides = "elision" in self._on and family == "this" and number == "s" and usual
        form = "quest'" if elides else forms[0]
        values = {letter: name for name, letter in (GENDERS | NUMBERS).items()}
        changed = with_features(token, Gender=values[genders[0]], Number=values[number])
        space = not form.endswith("'")
        edits.replace(
            self.name, at, replace(changed, form=recase(token.form, form), space_after=space)
        )

    def _noun(self, tree: Tree, at: int, family: str) -> int | None:
        """Find the noun of a demonstrative within reach."""
        if "near" in self._on and _is_before_noun(tree, at):
            return at + 1
        noun = tree.head(at)
        if noun is None or not is_relation(tree.tokens[at], "det") or not at < noun <= at + SPAN:
            return None
        upos = tree.tokens[noun].upos
        adjective = "nominal" in self._on and family == "this" and upos == "ADJ"
        return noun if adjective or upos in ("NOUN", "PROPN") else None


def _is_before_noun(tree: Tree, at: int) -> bool:
    """Tell whether a bare common noun follows the word."""
    after = tree.tokens[at + 1] if at + 1 < len(tree.tokens) else None
    return (
        after is not None
        and after.upos == "NOUN"
        and not after.form[:1].isupper()
        and not tree.children(at + 1, "det", "case")
    )


def _has_modifier(tree: Tree, at: int) -> bool:
    """Tell whether a demonstrative has a modifier: quello di Maria, questi ultimi."""
    after = low(tree.tokens[at + 1]) if at + 1 < len(tree.tokens) else ""
    return after in ("che", "cui", "di", "quale", "qui", "lì", "là") or bool(
        tree.children(at, "acl", "nmod", "amod", "nummod", "appos", "det")
    )


def _is_human(tree: Tree, at: int) -> bool:
    """Tell whether the verb of a demonstrative takes people as subjects: Quella ha detto."""
    head = tree.head(at)
    verbs = read_words(table("it", "demonstratives"), "words", "human")
    return head is not None and (tree.tokens[head].lemma or "") in verbs


def _agrees_with_predicate(tree: Tree, at: int) -> bool:
    """Tell whether a demonstrative agrees with its predicate, so that ciò is not needed.

    It does not agree if it is feminine or plural and the predicate is a masculine singular, or if
    it is plural and the verb is singular; but questi and quegli are also a literary singular for a
    man. Ciò is never the subject of a verb in another person than the third singular.
    """
    token, head = tree.tokens[at], tree.head(at)
    readings = table("it", "demonstratives")["forms"][low(token)][1:]
    if head is None or not is_relation(token, "nsubj"):
        return True
    verb = find_finite_verb(tree, head)
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
    "modified": _has_modifier,
    "human": _is_human,
    "agreeing": _agrees_with_predicate,
}
"""The reasons to keep a demonstrative in clean mode, in the order of the checks."""


class NeuterDemonstrative(WordRule):
    """Rule: write ciò for a demonstrative without noun (Quella è stato fatto -> Ciò ...)."""

    name = "neuter"
    refinements = tuple(REFINEMENTS)

    def __init__(self, refinements: Collection[str]) -> None:
        super().__init__(join)
        self._refinements = [name for name in REFINEMENTS if name in refinements]

    def visit(self, edits: UtteranceEdits, tree: Tree, at: int) -> None:
        """Replace a demonstrative subject without noun by ciò."""
        token = tree.tokens[at]
        if low(token) not in table("it", "demonstratives")["forms"]:
            return
        # It has no noun if it depends on none, and none on it, within four tokens.
        linked = [*tree.children(at), *([head] if (head := tree.head(at)) is not None else [])]
        if any(
            tree.tokens[other].upos in ("NOUN", "PROPN") and abs(other - at) <= SPAN
            for other in linked
        ):
            return
        kept = next((name for name in self._refinements if REFINEMENTS[name](tree, at)), None)
        if kept is not None:
            edits.keep(f"{self.name}/{kept}", at)
            return
        form = recase(token.form, str(table("it", "demonstratives")["words"]["neuter"]))
        space = token.space_after or token.form.endswith(("'", "’"))
        changed = with_features(token, Gender="Masc", Number="Sing")
        changed = replace(changed, form=form, lemma="ciò", upos="PRON", space_after=space)
        edits.replace(self.name, at, changed)
