"""Filter links by their words and paragraph (clean mode): each function tells whether to drop one.

A filter's name is its reject reason and its name for `--without`. WEC's readers checked of each
mention whether the span names the event, whether the paragraph identifies it, and whether it is the
event itself and not a part of it (section 3.3). Each filter stands for a fault that they found.
"""

from __future__ import annotations

from collections.abc import Callable

from corefmill.builders.wec.facts.lexicon import cased_words
from corefmill.builders.wec.filters.link_view import STEM, LinkView
from corefmill.corpora.words import UNSPACED, count_words

Filter = Callable[[LinkView], bool]

SHORTEST_PARAGRAPH = 5
"""Fewest words that identify an event."""
LONGEST_MENTION = 10
"""Most words; the published spans have up to 8 tokens, links on whole clauses many more."""


def section_link(view: LinkView) -> bool:
    """Stop a link to a section of the event's article, mostly on a part of the event."""
    return view.link.section is not None


def short_paragraph(view: LinkView) -> bool:
    """Stop a link in a paragraph with too few words to identify an event."""
    return count_words(view.link.text) < SHORTEST_PARAGRAPH


def mention_length(view: LinkView) -> bool:
    """Stop a mention with too many words for the name of an event alone."""
    return count_words(view.mention) > LONGEST_MENTION


def no_trigger(view: LinkView) -> bool:
    """Stop a mention without a content word: "here", "it", "(1)"."""
    if view.is_form or view.is_elliptic:
        return False
    return all(word in view.numbers or word.isdigit() for word in view.content)


def on_date(view: LinkView) -> bool:
    """Stop a mention of nothing but a date; "9/11" passes where it is an alias."""
    lexicon = view.lexicon
    if not view.content or not all(map(lexicon.is_date, view.content)):
        return False
    in_words = any(word in lexicon.months or word in lexicon.times for word in view.content)
    return in_words or not (view.is_form or view.is_elliptic)


def on_place(view: LinkView) -> bool:
    """Stop a mention of nothing but the event's place, as its infobox or title names the place.

    "Since Tenerife" means the event; "at Yalta" may mean the place, since meetings are called by
    their places. A place with a number ("Vatican I") means the meeting.
    """
    if view.is_form or view.names_event or view.dates_something:
        return False
    # "Sanremo 1990" is the festival of that year, "Haiti in 2010" is not an earthquake.
    named = [word for word in view.content if word not in view.numbers]
    if not named or (view.numbers and not view.facts.befalls):
        return False
    places = view.facts.places
    if view.is_of_meeting and cased_words(view.mention)[-1] != "I":
        places |= view.facts.names
    return all(word in places for word in named)


def on_participant(view: LinkView) -> bool:
    """Stop a mention of nothing but a participant, or the victim in the title.

    Redirects do not help: a victim's name leads to the article of the crime.
    """
    facts = view.facts
    if view.is_title or view.names_event:
        return False
    named = [word for word in view.content if word not in view.numbers]
    if not named:
        return False
    if view.dates_something and not facts.participants & set(named):
        return False
    if facts.befalls:
        known = facts.names | facts.participants | facts.places
        return all(word in known for word in named)
    if all(word in facts.names for word in named):
        return False
    return not view.numbers and all(word in facts.participants for word in named)


def trigger_outside(view: LinkView) -> bool:
    """Stop a name behind the word for its event: "the crash of [Air India Flight 855]".

    An event named by its day passes ("the killings on [Bloody Sunday]"), and so does an occasion at
    which something happened ("the attack on [the Boston Marathon]").
    """
    facts, lexicon = view.facts, view.lexicon
    if not view.is_named_before or view.names_event or view.says_event or view.dates_something:
        return False
    if facts.kinds and not facts.befalls and not view.is_of_meeting:
        return False
    named = (w[0].isupper() or w in lexicon.undertakings for w in cased_words(view.mention))
    if not any(named):
        return False
    return not any(word in lexicon.times or word in lexicon.months for word in view.content)


def treaty_text(view: LinkView) -> bool:
    """Stop a treaty in the sense of its text: "under the [Treaty of Vesk]".

    Its signing is the event, and so is what a treaty ended or began.
    """
    named = view.content if view.names_event else view.facts.kinds
    return any(word in view.lexicon.texts for word in named) and view.is_of_text


def unidentified(view: LinkView) -> bool:
    """Stop a mention not tied to the event by its paragraph.

    For a series (editions of a festival, events of a kind in one place) the paragraph must have the
    year or the edition's number, and no other year nearer to a mention without a number. Other
    events need the year, or a word of the event's name, of an alias or of the place in its infobox,
    with the same capital.
    """
    facts, paragraph = view.facts, view.paragraph
    # First, the mention may be the title, an alias, or all names of the title ("The Congress of
    # Bellena"), unless other events have that name.
    if view.is_title or ((view.is_form or view.has_all_names) and not facts.series):
        return False
    # Second, in a series, another year beside the mention means another edition.
    dates = facts.years | facts.dated
    if facts.series and dates and not view.numbers and view.year_beside not in {"", *dates}:
        return True
    # Third, the mention may name an event on its own: "raid on Vesk", "15 October election".
    # Or all names of the title with its number, figure or ordinal.
    own = {number.rstrip(".") for number in facts.numbers}
    has_number = any(number.rstrip(".") in own for number in view.numbers.values())
    if view.tells_itself or (view.has_all_names and has_number):
        return False
    # Then, the event's year or number in the paragraph suffices. A year or number of the title must
    # be there, unless the event befell somebody once.
    if dates & paragraph.years or facts.numbers & paragraph.numbers:
        return False
    if (facts.years or facts.numbers) and (facts.series or not facts.befalls):
        return True
    return not _has_name_beside(view)


def _has_name_beside(view: LinkView) -> bool:
    """Check the paragraph for a name of the event or its place; an event without
    name and year needs none."""
    facts, paragraph = view.facts, view.paragraph
    names = facts.all_names | facts.places
    if not names:
        return not facts.years
    if names & paragraph.capitals or (names - facts.proper) & paragraph.all:
        return True
    text = paragraph.text.casefold()  # where words are not spaced, a name is not a word there
    if any(UNSPACED.search(name) and name in text for name in names):
        return True
    stems = {name[:STEM] for name in names if len(name) >= STEM}
    return view.names_event and bool(stems & paragraph.stems)
