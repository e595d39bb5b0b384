"""Clean mode's filters that need the pipeline's reading of the paragraph."""

from __future__ import annotations

from builders.wec.context import Reading
from builders.wec.filters import Filter
from builders.wec.view import View

NOT_EVENTS = ("PERSON", "LOC", "DATE", "NORP")
"""The labels that stop a mention, in the project's terms: LOC is the paper's GPE and LOC."""

_WORDLESS = ("DET", "ADP", "PRON", "CCONJ", "SCONJ", "PUNCT", "PART", "AUX", "SYM")


def _reading(view: View) -> Reading:
    if view.reading is None:
        raise ValueError("this filter is asked of a view with a reading only")
    return view.reading


def named_entity(view: View) -> bool:
    """The head is in the name of a person, a place, a people, or in a date (WEC, section 3.2).

    The event's own title passes: recognisers take many a festival for a person or a place.
    """
    return _reading(view).ner in NOT_EVENTS and not view.is_title and not view.names_event


def wordless_head(view: View) -> bool:
    """The head is no noun, verb, adjective or number: the link covers a part of a phrase."""
    return _reading(view).pos in _WORDLESS and not view.is_form


def argument_noun(view: View) -> bool:
    """The head is a noun for who took part, or for where it was: "gunman", "venue"."""
    lexicon = view.lexicon
    return _is_about(view, lexicon.roles | lexicon.places | lexicon.times)


def sub_event(view: View) -> bool:
    """The head is a part of an event or what followed it: "semifinal", "funeral"."""
    if _is_about(view, view.lexicon.parts):
        return True
    mention, title = view.mention.casefold(), view.facts.title.casefold()
    return any(part in mention and part not in title for part in view.lexicon.part_phrases)


def _is_about(view: View, nouns: frozenset[str]) -> bool:
    """Whether the head is one of the nouns, and neither the title nor an alias has it."""
    reading = _reading(view)
    start, end = reading.head
    form, lemma = view.anchor.text[start:end].casefold(), reading.lemma.casefold()
    if form not in nouns and lemma not in nouns:
        return False
    return not {form, lemma} & view.facts.own_words


SYNTAX: dict[str, Filter] = {
    "named_entity": named_entity,
    "wordless_head": wordless_head,
    "argument_noun": argument_noun,
    "sub_event": sub_event,
}
"""In the order in which they are asked."""
