"""Clean mode's filters that need the pipeline's reading of the paragraph."""

from __future__ import annotations

from corefmill.builders.corpus.filters import reads
from corefmill.builders.wec.filters import evidence
from corefmill.builders.wec.filters.link_view import LinkView
from corefmill.builders.wec.filters.reading import Reading

NOT_EVENTS = ("PERSON", "LOC", "DATE", "NORP")
"""The labels that stop a mention, in the project's terms: LOC is the paper's GPE and LOC."""

_WORDLESS = ("DET", "ADP", "PRON", "CCONJ", "SCONJ", "PUNCT", "PART", "AUX", "SYM")


def _reading(view: LinkView) -> Reading:
    if view.reading is None:
        raise ValueError("this filter is asked of a view with a reading only")
    return view.reading


@reads("tags")
def no_sentence(view: LinkView) -> bool:
    """An item of a list, or an indented line, without a verb: a name, a title, a heading."""
    return view.link.listed and not _reading(view).verbal


@reads("names")
def named_entity(view: LinkView) -> bool:
    """The head is in the name of a person, a place, a people, or in a date (WEC, section 3.2).

    The event's own title passes, and so does what says what happened: recognisers take many a
    festival for a person or a place. "Oscar" is no person in an award's title alone.
    """
    reading, facts = _reading(view), view.facts
    if reading.ner not in NOT_EVENTS or view.is_title or view.says_event:
        return False
    if not facts.befalls and view.has_all_names:
        return False
    if reading.ner != "PERSON" and (evidence.has_day(view) or evidence.dates_from_place(view)):
        return False
    kinds = [word for word in view.content if view.lexicon.is_event(word)]
    if any(word in facts.own_words or word in view.mention for word in kinds):
        return False
    return not kinds or reading.ner == "PERSON"


def no_event_word(view: LinkView) -> bool:
    """Nothing in the mention says that it is an event ("Reselian", "the search for the pilot").

    A noun for events does, a verb for what happens (any, if it is not alone: a lone word that a
    tagger does not know may be anything), the title's names or number; else what `evidence` finds.
    """
    if view.is_form or view.names_event or view.says_event or view.is_elliptic:
        return False
    if view.has_all_names and not evidence.is_about_it(view):
        return False
    if _reading(view).pos == "VERB":
        return len(view.mention.split()) == 1
    if any(word in view.facts.own_words for word in _heads(view) & view.lexicon.undertakings):
        return False
    return not evidence.suffices(view)


@reads("tags")
def wordless_head(view: LinkView) -> bool:
    """The head is no noun, verb, adjective or number: the link covers a part of a phrase."""
    return _reading(view).pos in _WORDLESS and not view.is_form and not view.names_event


def argument_noun(view: LinkView) -> bool:
    """The head is a noun for who took part, or for where it was: "gunman", "venue".

    A title that says whom something befell ("Deportation of intellectuals") makes it no event.
    """
    lexicon, facts = view.lexicon, view.facts
    if _reading(view).pos == "VERB" or _begins_with_deed(view):
        return False
    if facts.befalls and _heads(view) & lexicon.roles & facts.names and not view.is_form:
        return not (view.names_event or view.says_event)
    # "The Sunday of the Statuto" is what happened there, "that Sunday" is a date.
    times = frozenset[str]() if evidence.own_name(view) else lexicon.times
    return _is_about(view, lexicon.roles | lexicon.places | times)


@reads("trees")
def acting_body(view: LinkView) -> bool:
    """An assembly that acts, and so is a body and no event: "adopted by the Second Congress"."""
    reading, lexicon = _reading(view), view.lexicon
    if not _heads(view) & lexicon.bodies:
        return False
    if reading.preposition:
        # "The president of the congress", but "the end of the congress".
        return reading.preposition in lexicon.agents or (
            reading.preposition in lexicon.genitive and reading.governor in lexicon.roles
        )
    return reading.relation == "nsubj" and reading.governor not in lexicon.sittings


def sub_event(view: LinkView) -> bool:
    """The head is a part of an event or what followed it: "semifinal", "funeral".

    One of many that the title names in the plural is a part, too: "lost the [1970 election]".
    """
    is_deed = _reading(view).pos == "VERB" and view.says_event  # "ran aground", no "ran for office"
    if (_is_about(view, view.lexicon.parts) and not is_deed) or _is_one_of_many(view):
        return True
    mention, title = view.mention.casefold(), view.facts.title.casefold()
    return any(part in mention and part not in title for part in view.lexicon.part_phrases)


def _begins_with_deed(view: LinkView) -> bool:
    """Whether a verb for what happens comes first: "was [elected president]"."""
    deed = _reading(view).deed
    return deed in view.lexicon.deeds and view.mention.casefold().startswith(deed)


def _is_one_of_many(view: LinkView) -> bool:
    lexicon, facts = view.lexicon, view.facts
    one = view.link.text[slice(*_reading(view).head)].casefold()
    if one not in lexicon.races or one in facts.own_words:
        return False
    return any(lexicon.singular(word) == one for word in facts.kinds)


def _is_about(view: LinkView, nouns: frozenset[str]) -> bool:
    """Whether the head is one of the nouns, and neither the title nor an alias has it."""
    heads = _heads(view)
    return bool(heads & nouns) and not heads & view.facts.own_words


def _heads(view: LinkView) -> frozenset[str]:
    """The head as written, and its lemma, in lower case."""
    reading = _reading(view)
    form = view.link.text[slice(*reading.head)]
    return frozenset((form.casefold(), reading.lemma.casefold()))
