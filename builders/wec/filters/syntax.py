"""Clean mode's filters on the pipeline's reading of the paragraph."""

from __future__ import annotations

from collections.abc import Iterable

from corefmill.builders.corpus.filters import needs_part
from corefmill.builders.wec.facts.lexicon import cased_words, words
from corefmill.builders.wec.filters.link_view import STEM, LinkView
from corefmill.builders.wec.filters.reading import Reading
from corefmill.corpora.words import count_words

# Evidence for and against a mention without an event noun of the lexicon.


_NAME, _NOUN = "PROPN", "NOUN"


def has_evidence(view: LinkView) -> bool:
    """Accept the mention as the event's name though the lexicon lacks its noun.

    A proper noun must date something or contain a day. Common nouns are dropped if a word marks a
    part, if a name of something else stands with them, or if the event's name only completes them.
    Other mentions need a date or a name of the event, or a noun with an ending for actions and
    without a complement.
    """
    facts, lexicon = view.facts, view.lexicon
    numbers = view.numbers.values()
    if _reading(view).pos == _NAME:
        if dates_from_place(view):
            return True
        # A name that is neither the event's nor a participant's.
        known = facts.participants | facts.places
        if all(word in known or word in view.numbers for word in view.content):
            return False
        if _reading(view).ner == "ORG":
            return False
        return (view.dates_something and _foreign(view)) or has_day(view)
    # A word for a part, or an ordinal that is not the event's number, means a part.
    if any(word in lexicon.marks for word in view.content if word not in facts.own_words):
        return False
    if any(number.endswith(".") for number in numbers) and not view.is_elliptic:
        return False
    if _foreign(view) or is_about_it(view):
        return False
    # The year or number of the event, or a month, dates the mention.
    if not (facts.years | facts.dated | facts.numbers).isdisjoint(numbers):
        return True
    if any(word in lexicon.months for word in view.content) or has_own_name(view):
        return True
    return _head(view).endswith(lexicon.nominal) and not _has_complement(view)


def has_own_name(view: LinkView) -> bool:
    """Check the mention, except its head, for a name of the event or place, or its adjective."""
    return any(_is_own(view, word) for word in view.content if word != _head(view))


def has_day(view: LinkView) -> bool:
    """Check for a name with a day or season in it that is not a date: "Black Sunday"."""
    lexicon = view.lexicon
    named = [word.casefold() for word in _capitals(view.mention)]
    return any(word in lexicon.times for word in named) and any(
        not lexicon.is_date(word) for word in named if word not in lexicon.function
    )


def dates_from_place(view: LinkView) -> bool:
    """Check whether the mention uses the event's place as a date: "since [Tenerife]"."""
    return view.dates_something and all(
        word in view.facts.names | view.facts.places for word in view.content
    )


def is_about_it(view: LinkView) -> bool:
    """Check whether the event's name only completes another noun: "apology for Bloody Sunday".

    Events that befell a place are written like this, too ("the nightmare of Beslan"), but without
    more words behind.
    """
    facts, head = view.facts, _head(view)
    if _reading(view).pos != _NOUN or head in facts.own_words or facts.befalls:
        return False
    return view.has_all_names and not facts.names <= facts.places and _has_complement(view)


def _foreign(view: LinkView) -> bool:
    """Check for a name in the mention that is neither the event's nor its place's."""
    facts, lexicon = view.facts, view.lexicon
    shown = view.mention
    starts = view.link.text[: view.link.start].rstrip()[-1:] in ("", ".", "!", "?")
    return any(
        not (_is_own(view, word) or word in facts.participants or lexicon.is_date(word))
        for word in map(str.casefold, _capitals(shown, but_first=starts))
        if word not in lexicon.function and word not in facts.own_words
    )


def _capitals(text: str, *, but_first: bool = False) -> Iterable[str]:
    return (word for word in cased_words(text)[but_first:] if word[0].isupper())


def _is_own(view: LinkView, word: str) -> bool:
    """Check whether a word is a name of the event or its place, or its adjective."""
    names = (view.facts.all_names | view.facts.places) - view.facts.participants
    if word in names:
        return True
    return len(word) >= STEM and any(
        len(name) >= STEM and name[:STEM] == word[:STEM] for name in names
    )


def _has_complement(view: LinkView) -> bool:
    """Check whether a preposition with a complement follows the head: "search for the pilot"."""
    reading = _reading(view)
    behind = words(view.link.text[reading.head[1] : view.link.end])
    return any(word in view.lexicon.function and behind[at + 1 :] for at, word in enumerate(behind))


def _head(view: LinkView) -> str:
    """Return the head with its hyphenated parts, in lower case: "pile-up"."""
    start, end = _reading(view).head
    text = view.link.text
    while start > view.link.start and not text[start - 1].isspace():
        start -= 1
    return text[start:end].casefold()


NOT_EVENTS = ("PERSON", "LOC", "DATE", "NORP")
"""The labels that stop a mention, in the project's terms: LOC is the paper's GPE and LOC."""

_WORDLESS = ("DET", "ADP", "PRON", "CCONJ", "SCONJ", "PUNCT", "PART", "AUX", "SYM")


def _reading(view: LinkView) -> Reading:
    if view.reading is None:
        raise ValueError("this filter is asked of a view with a reading only")
    return view.reading


@needs_part("tags")
def no_sentence(view: LinkView) -> bool:
    """Stop a link in a list's item or indented line without a verb: a name, a heading."""
    return view.link.listed and not _reading(view).verbal


@needs_part("names")
def named_entity(view: LinkView) -> bool:
    """Stop a mention with its head in a person, place, people or date entity (WEC, section 3.2).

    The event's title passes, and so does a mention with an event noun: recognisers take many a
    festival for a person or a place. "Oscar" is a person unless the title is an award's.
    """
    reading, facts = _reading(view), view.facts
    if reading.ner not in NOT_EVENTS or view.is_title or view.says_event:
        return False
    if not facts.befalls and view.has_all_names:
        return False
    if reading.ner != "PERSON" and (has_day(view) or dates_from_place(view)):
        return False
    kinds = [word for word in view.content if view.lexicon.is_event(word)]
    if any(word in facts.own_words or word in view.mention for word in kinds):
        return False
    return not kinds or reading.ner == "PERSON"


def no_event_word(view: LinkView) -> bool:
    """Stop a mention without a word for an event ("Reselian", "the search for the pilot").

    A mention passes by a noun for events, a verb for events (any verb, if it is not alone: a single
    unknown word may be anything), the title's names or number, or by `has_evidence`.
    """
    if view.is_form or view.names_event or view.says_event or view.is_elliptic:
        return False
    if view.has_all_names and not is_about_it(view):
        return False
    if _reading(view).pos == "VERB":
        return count_words(view.mention) == 1
    if any(word in view.facts.own_words for word in _heads(view) & view.lexicon.undertakings):
        return False
    return not has_evidence(view)


@needs_part("tags")
def wordless_head(view: LinkView) -> bool:
    """Stop a mention with a function word as its head: the link covers a part of a phrase."""
    return _reading(view).pos in _WORDLESS and not view.is_form and not view.names_event


def argument_noun(view: LinkView) -> bool:
    """Stop a mention with a noun for a participant or a place as its head: "gunman", "venue".

    The noun may even be in a title ("Deportation of intellectuals").
    """
    lexicon, facts = view.lexicon, view.facts
    reading = _reading(view)
    # "was [elected president]": a verb for the event comes first.
    elected = reading.deed in lexicon.deeds and view.mention.casefold().startswith(reading.deed)
    if reading.pos == "VERB" or elected:
        return False
    if facts.befalls and _heads(view) & lexicon.roles & facts.names and not view.is_form:
        return not (view.names_event or view.says_event)
    # "The Sunday of the Statuto" is an event, "that Sunday" is a date.
    times = frozenset[str]() if has_own_name(view) else lexicon.times
    return _is_about(view, lexicon.roles | lexicon.places | times)


@needs_part("trees")
def acting_body(view: LinkView) -> bool:
    """Stop an assembly as an agent, so a body and no event: "adopted by the Second Congress"."""
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
    """Stop a mention of a part of an event or its aftermath: "semifinal", "funeral".

    A single event is a part if the title is in the plural: "lost the [1970 election]".
    """
    lexicon, facts = view.lexicon, view.facts
    is_deed = _reading(view).pos == "VERB" and view.says_event  # "ran aground"
    if _is_about(view, lexicon.parts) and not is_deed:
        return True
    one = view.link.text[slice(*_reading(view).head)].casefold()
    is_race = one in lexicon.races and one not in facts.own_words
    if is_race and any(lexicon.singular(word) == one for word in facts.kinds):
        return True
    mention, title = view.mention.casefold(), facts.title.casefold()
    return any(part in mention and part not in title for part in lexicon.part_phrases)


def _is_about(view: LinkView, nouns: frozenset[str]) -> bool:
    """Check whether the head is one of the nouns, and no word of the title or an alias."""
    heads = _heads(view)
    return bool(heads & nouns) and not heads & view.facts.own_words


def _heads(view: LinkView) -> frozenset[str]:
    """Return the head word as written and its lemma, both in lower case."""
    reading = _reading(view)
    form = view.link.text[slice(*reading.head)]
    return frozenset((form.casefold(), reading.lemma.casefold()))
