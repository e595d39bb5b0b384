"""Clitic pronouns, beside their verb or written onto it: lo vide, lo ha visto, vederlo, glielo."""

from __future__ import annotations

from corefmill.builders.translate.gamma.edits import (
    TextEdits,
    begins_sentence,
    read_left,
    small,
    word_before,
)
from corefmill.builders.translate.gamma.language import TargetLanguage
from corefmill.builders.translate.gamma.mention import DATIVES, OBJECTS
from corefmill.builders.translate.gamma.target import TranslationTree
from corefmill.rules.tree import feature, is_relation

_FARTHEST = 6
"""Words between verb and placeholder; beyond that the tree is not to be trusted."""
_VERBS = ("VERB", "AUX")
_TAKEN_FOR = ("VERB", "AUX", "PROPN", "NOUN", "X", "ADJ")
_RELATIONS = ("obj", "iobj", "nsubj", "obl", "nmod", "xcomp")


def verb_of(
    language: TargetLanguage, tree: TranslationTree, word: int | None, relation: str = ""
) -> int | None:
    """Find the verb before its object, a placeholder.

    Where the tree has no such verb, the word right before the placeholder is one if it begins its
    clause: taggers mistake `Dissi` before a name for a name. A verb there is one, too, if the
    source has an object, by its `relation`, and no word that opens a clause is taken for a verb.
    """
    if word is None:
        return None
    head, openers = tree.head(word), language.pronouns["openers"]
    last = tree.tokens[word - 1] if word else None
    # The source has an object, and a verb stands right before it.
    object_ = (
        last is not None
        and relation in (*OBJECTS, *DATIVES)
        and tree.alone(word - 1)
        and last.upos == "VERB"
        and feature(last, "VerbForm") != "Part"
    )
    if head is not None and tree.tokens[head].upos in _VERBS and 0 < word - head <= _FARTHEST:
        flat = word - head == 1 and is_relation(tree.tokens[word], "flat")
        if tree.form(head).lower() not in openers:
            if flat or tree.tokens[word].deprel in _RELATIONS:
                return head
            return word - 1 if object_ else None
    if object_:
        return word - 1
    beside = word and tree.alone(word - 1) and tree.form(word - 1).isalpha()
    if beside and tree.tokens[word - 1].upos in _TAKEN_FOR:
        clitics = language.pronouns["clitics"]
        opens = (*openers, *clitics["words"], clitics["negation"])
        before = tree.form(word - 2).lower() if word > 1 else ""
        if before in opens or not before.isalnum():
            return word - 1
    return None


def lemma_of(language: TargetLanguage, tree: TranslationTree, verb: int) -> str | None:
    """The lemma of a verb, by the language's table first."""
    form = tree.form(verb).lower()
    known = language.pronouns["verbs"].get("forms", {})
    return next((one for one, own in known.items() if form in own), tree.tokens[verb].lemma)


def lean(edits: TextEdits, owner: int, tree: TranslationTree, verb: int, form: str) -> str | None:
    """Takes the placeholder away and puts `form` to the verb; sets the span.

    Returns "clitic" before a finite verb or its auxiliary, "enclitic" behind another, and None,
    with nothing changed, where the verb cannot take it: an absolute participle, a clitic that does
    not combine with this one, another mention in between.
    """
    before = [child for child in tree.children(verb) if child < verb]
    auxiliaries = [child for child in before if tree.tokens[child].deprel == "aux"]
    host = verb
    language = edits.language
    if _kind(language, tree, verb) == "Part":
        if not auxiliaries:
            return None
        host = auxiliaries[0]
    span = edits.words[host]
    start, end = edits.spans[owner]
    start = read_left(language, edits.text, start).start
    if start and edits.text[start - 1] == " ":
        start -= 1
    if span is None or not tree.alone(host) or span[1] > start or not edits.free(start, end, owner):
        return None
    if not edits.free(*span, owner):
        return None
    kind = _kind(language, tree, host)
    if kind == "Fin" and feature(tree.tokens[host], "Mood") != "Imp":
        elided = language.pronouns["clitics"].get("elided", {"endings": {}})
        ending = elided["endings"].get(form)
        elides = tree.tokens[host].lemma == elided.get("verb") and language.elides(tree.form(host))
        if ending is None or not elides:
            return _before(edits, owner, span, (start, end), form)
        how = _before(edits, owner, span, (start, end), elided["form"])
        if how and verb != host:
            _agree(edits, owner, verb, ending)
        return how
    return _behind(edits, owner, span, (start, end), form, kind)


def _before(
    edits: TextEdits, owner: int, verb: tuple[int, int], old: tuple[int, int], form: str
) -> str | None:
    start, lead = verb[0], ""
    other = word_before(edits.text, start)
    clitics = edits.language.pronouns["clitics"]
    if other is not None and other.form.lower() in clitics["words"]:
        lead = clitics["clusters"].get(other.form.lower(), "")
        if not lead or form in clitics["first"] or not edits.free(other.start, start, owner):
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


def _agree(edits: TextEdits, owner: int, participle: int, ending: str) -> None:
    """Give the participle after l' its ending: l'ha vista."""
    span = edits.words[participle]
    if span is not None and edits.text[span[1] - 1] in "oaie" and edits.free(*span, owner):
        own = edits.spans[owner]
        edits.replace(span[1] - 1, span[1], ending, owner)
        edits.spans[owner] = own


def _behind(
    edits: TextEdits, owner: int, verb: tuple[int, int], old: tuple[int, int], form: str, kind: str
) -> str | None:
    written = edits.text[verb[0] : verb[1]]
    stem = edits.language.before_enclitic(written, kind)
    if stem is None:
        return None
    edits.put(owner, *old, "")
    edits.put(owner, *verb, form, lead=stem)
    return "enclitic"


def _kind(language: TargetLanguage, tree: TranslationTree, verb: int) -> str:
    """Fin, Inf, Ger or Part; by its ending where the tree does not know it for a verb."""
    if tree.tokens[verb].upos in _VERBS and (kind := feature(tree.tokens[verb], "VerbForm")):
        return kind
    form = tree.form(verb).lower()
    endings = language.pronouns["verbs"]["endings"]
    return next((kind for kind, ends in endings.items() if form.endswith(tuple(ends))), "Fin")
