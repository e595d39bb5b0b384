"""A pronoun that leans on its verb: lo vide, lo ha visto, vederlo, vedendolo, glielo disse."""

from __future__ import annotations

from builders.ontonotes_it.context import begins_sentence, left, small, table, word_before
from builders.ontonotes_it.edits import Edits
from builders.ontonotes_it.tree import Tree

_FARTHEST = 6
"""Words between verb and placeholder; beyond that the tree is not to be trusted."""
_IMPERATIVES = ("i", "a", "te", "iamo")
_ENCLITICS = ("mi", "ti", "si", "ci", "vi", "lo", "la", "li", "le", "gli", "ne")


def verb_of(tree: Tree, word: int | None) -> int | None:
    """The verb before a placeholder that has it as an object, None where there is none."""
    verb = None if word is None else tree.head(word)
    if word is None or verb is None or tree.upos(verb) not in ("VERB", "AUX"):
        return None
    if tree.relation(word) not in ("obj", "iobj", "nsubj", "obl", "nmod", "xcomp"):
        return None
    return verb if 0 < word - verb <= _FARTHEST else None


def lean(edits: Edits, owner: int, tree: Tree, verb: int, form: str) -> str | None:
    """Takes the placeholder away and puts `form` to the verb; sets the span.

    Returns "clitic" before a finite verb or its auxiliary, "enclitic" behind another, and None,
    with nothing changed, where the verb gives no hold: an absolute participle, a clitic that does
    not go with this one, another mention in between.
    """
    auxiliaries = [child for child in tree.children(verb, "aux") if child < verb]
    host = verb
    if tree.feature(verb, "VerbForm") == "Part":
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
    finite = tree.feature(host, "VerbForm") == "Fin" and tree.feature(host, "Mood") != "Imp"
    if finite:
        return _before(edits, owner, span, (start, end), form)
    return _behind(edits, owner, span, (start, end), form, tree.feature(host, "VerbForm"))


def _before(
    edits: Edits, owner: int, verb: tuple[int, int], old: tuple[int, int], form: str
) -> str | None:
    place, lead = verb[0], ""
    other = word_before(edits.text, place)
    if other is not None and other.form.lower() in _ENCLITICS:
        lead = table("pronouns")["clusters"].get(other.form.lower(), "")
        if not lead or form in ("si", "gli", "le") or not edits.free(other.start, place, owner):
            return None
        if other.form[:1].isupper():
            lead = lead[:1].upper() + lead[1:]
        place = other.start
    first = edits.text[verb[0]]
    _remove(edits, owner, old)
    if not lead and first.isupper() and begins_sentence(edits.text, verb[0]):
        edits.replace(verb[0], verb[0] + 1, small(first), owner)
        form = form[:1].upper() + form[1:]
    edits.replace(place, verb[0], f"{lead}{form} ", owner)
    edits.spans[owner] = (place + len(lead), place + len(lead) + len(form))
    return "clitic"


def _behind(
    edits: Edits, owner: int, verb: tuple[int, int], old: tuple[int, int], form: str, kind: str
) -> str | None:
    written = edits.text[verb[0] : verb[1]]
    stem = _stem(written, kind)
    if stem is None:
        return None
    _remove(edits, owner, old)
    edits.replace(verb[0], verb[1], stem + form, owner)
    edits.spans[owner] = (verb[0] + len(stem), verb[0] + len(stem) + len(form))
    return "enclitic"


def _stem(written: str, kind: str) -> str | None:
    """What an enclitic is written onto: vedere veder, porre por, vedendo, prendi."""
    if kind == "Inf":
        stem = written.removesuffix("re") if written.endswith("rre") else written.removesuffix("e")
        return stem if stem.endswith("r") else None
    whole = written.endswith("ndo") if kind == "Ger" else written.endswith(_IMPERATIVES)
    return written if whole and len(written) > 3 and kind in ("Ger", "Fin") else None


def _remove(edits: Edits, owner: int, old: tuple[int, int]) -> None:
    edits.replace(*old, "", owner)
    edits.spans[owner] = (old[0], old[0])
