"""Clitic pronouns, beside their verb or written onto it: lo vide, lo ha visto, vederlo, glielo."""

from __future__ import annotations

from corefmill.builders.translate.gamma.context import (
    begins_sentence,
    left,
    small,
    table,
    word_before,
)
from corefmill.builders.translate.gamma.edits import TextEdits
from corefmill.builders.translate.gamma.italian import TranslationTree
from corefmill.rules.it.sounds import Onset, onset
from corefmill.rules.tree import feature

_FARTHEST = 6
"""Words between verb and placeholder; beyond that the tree is not to be trusted."""
_VERBS = ("VERB", "AUX")
_TAKEN_FOR = ("VERB", "AUX", "PROPN", "NOUN", "X", "ADJ")
_RELATIONS = ("obj", "iobj", "nsubj", "obl", "nmod", "xcomp")
_IMPERATIVES = ("i", "a", "te", "iamo")
_PARTICIPLES = tuple(stem + end for stem in ("at", "it", "ut") for end in "oaie")
_ELIDED = {"lo": "o", "la": "a"}
"""What is l' before avere, with the ending of the participle."""
_ENCLITICS = ("mi", "ti", "si", "ci", "vi", "lo", "la", "li", "le", "gli", "ne")


def verb_of(tree: TranslationTree, word: int | None) -> int | None:
    """The verb before a placeholder that has it as an object, None where there is none.

    Where the tree has no such verb, the word right before the placeholder is one if it begins its
    clause: taggers mistake `Dissi` before a name for a name.
    """
    if word is None:
        return None
    verb = tree.head(word)
    if verb is not None and tree.tokens[verb].upos in _VERBS and 0 < word - verb <= _FARTHEST:
        return verb if tree.tokens[word].deprel in _RELATIONS else None
    if word and tree.alone(word - 1) and tree.tokens[word - 1].upos in _TAKEN_FOR:
        openers = table("pronouns")["openers"]
        before = tree.form(word - 2).lower() if word > 1 else "che"
        if before in openers or before in _ENCLITICS or before == "non" or not before.isalnum():
            return word - 1
    return None


def lean(edits: TextEdits, owner: int, tree: TranslationTree, verb: int, form: str) -> str | None:
    """Takes the placeholder away and puts `form` to the verb; sets the span.

    Returns "clitic" before a finite verb or its auxiliary, "enclitic" behind another, and None,
    with nothing changed, where the verb cannot take it: an absolute participle, a clitic that does
    not combine with this one, another mention in between.
    """
    before = [child for child in tree.children(verb) if child < verb]
    auxiliaries = [child for child in before if tree.tokens[child].deprel == "aux"]
    host = verb
    if _kind(tree, verb) == "Part":
        if not auxiliaries:
            return None
        host = auxiliaries[0]
    span = edits.words[host]
    start, end = edits.spans[owner]
    start = left(edits.text, start).start
    if start and edits.text[start - 1] == " ":
        start -= 1
    if span is None or not tree.alone(host) or span[1] > start or not edits.free(start, end, owner):
        return None
    if not edits.free(*span, owner):
        return None
    kind = _kind(tree, host)
    if kind == "Fin" and feature(tree.tokens[host], "Mood") != "Imp":
        ending = _ELIDED.get(form)
        if ending is None or not _is_avere(tree, host):
            return _before(edits, owner, span, (start, end), form)
        how = _before(edits, owner, span, (start, end), "l'")
        if how and verb != host:
            _agree(edits, owner, verb, ending)
        return how
    return _behind(edits, owner, span, (start, end), form, kind)


def _before(
    edits: TextEdits, owner: int, verb: tuple[int, int], old: tuple[int, int], form: str
) -> str | None:
    start, lead = verb[0], ""
    other = word_before(edits.text, start)
    if other is not None and other.form.lower() in _ENCLITICS:
        lead = table("pronouns")["clusters"].get(other.form.lower(), "")
        if not lead or form in ("si", "gli", "le") or not edits.free(other.start, start, owner):
            return None
        if other.form[:1].isupper():
            lead = lead[:1].upper() + lead[1:]
        start = other.start
    first = edits.text[verb[0]]
    edits.put(owner, *old, "")
    if not lead and first.isupper() and begins_sentence(edits.text, verb[0]):
        edits.replace(verb[0], verb[0] + 1, small(first), owner)
        form = form[:1].upper() + form[1:]
    edits.put(owner, start, verb[0], form, lead=lead, rest=" " * (not form.endswith("'")))
    return "clitic"


def _is_avere(tree: TranslationTree, word: int) -> bool:
    return tree.tokens[word].lemma == "avere" and onset(tree.form(word)) is Onset.VOWEL


def _agree(edits: TextEdits, owner: int, participle: int, ending: str) -> None:
    """Gives the participle after l', which shows no gender, its ending: l'ha vista."""
    span = edits.words[participle]
    if span is not None and edits.text[span[1] - 1] in "oaie" and edits.free(*span, owner):
        own = edits.spans[owner]
        edits.replace(span[1] - 1, span[1], ending, owner)
        edits.spans[owner] = own


def _behind(
    edits: TextEdits, owner: int, verb: tuple[int, int], old: tuple[int, int], form: str, kind: str
) -> str | None:
    written = edits.text[verb[0] : verb[1]]
    stem = _stem(written, kind)
    if stem is None:
        return None
    edits.put(owner, *old, "")
    edits.put(owner, *verb, form, lead=stem)
    return "enclitic"


def _kind(tree: TranslationTree, verb: int) -> str:
    """Fin, Inf, Ger or Part; by its ending where the tree does not know it for a verb."""
    if tree.tokens[verb].upos in _VERBS and (kind := feature(tree.tokens[verb], "VerbForm")):
        return kind
    form = tree.form(verb).lower()
    if form.endswith(("are", "ere", "ire", "rre")):
        return "Inf"
    if form.endswith("ndo"):
        return "Ger"
    return "Part" if form.endswith(_PARTICIPLES) else "Fin"


def _stem(written: str, kind: str) -> str | None:
    """What an enclitic is written onto: vedere veder, porre por, vedendo, prendi."""
    if kind == "Inf":
        stem = written.removesuffix("re") if written.endswith("rre") else written.removesuffix("e")
        return stem if stem.endswith("r") else None
    whole = written.endswith("ndo") if kind == "Ger" else written.endswith(_IMPERATIVES)
    return written if whole and len(written) > 3 and kind in ("Ger", "Fin") else None
