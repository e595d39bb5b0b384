"""Clean mode's filters on the surface: each looks at a draft and says whether it must go.

A filter's name is its reject reason and the name that `--without` takes.
"""

from __future__ import annotations

import re

from corefmill.builders.persons.name_filters import (
    ViewFilter,
    article_no_person,
    common_word,
    names_a_thing,
    never_within_sentence,
    odd_name,
    part_of_longer_name,
    same_person,
    seldom_person,
    shared_name_part,
    used_as_thing,
)
from corefmill.builders.persons.prose import QUOTES, in_quotation, is_debris
from corefmill.builders.persons.table import requires
from corefmill.builders.persons.view import DraftView

_JOINED = re.compile(r"[-–/&]")

SHORTEST, LONGEST = 8, 120
"""Words of a passage; the published examples lie within."""


def not_prose(view: DraftView) -> bool:
    """Lists, tables, verses and debris: marks of markup, many numbers, no sentence's end."""
    return bool(view.paragraph.lost) or is_debris(view.passage)


def length(view: DraftView) -> bool:
    """Passages too short to say anything, or too long to be read as one."""
    return not SHORTEST <= len(view.passage.split()) <= LONGEST


def styled(view: DraftView) -> bool:
    """The mask stands in italics or bold, as titles of works and emphasised words do."""
    target = view.draft.target
    spans = (*view.paragraph.italic, *view.paragraph.bold)
    return any(start < target.end and target.start < end for start, end in spans)


def quoted(view: DraftView) -> bool:
    """The mask stands in a quotation, counted from the paragraph's beginning."""
    return in_quotation(view.text, view.draft.target.start)


def bracketed(view: DraftView) -> bool:
    """The mask stands in brackets, or brackets follow it: "Ann (born 1950)"."""
    before = view.before
    return before.count("(") > before.count(")") or view.after.startswith((" (", "(", "["))


def joined(view: DraftView) -> bool:
    """The mask is part of a compound: "Ann-led", "Hill & Knowlton", "Ann/Bob"."""
    before, after = view.before[-2:].strip(), view.after[:2].strip()
    return bool(
        (before and _JOINED.fullmatch(before[-1]) and before != "--")
        or (after and _JOINED.fullmatch(after[0]) and view.after[:2] != "--")
    )


def enumerated(view: DraftView) -> bool:
    """The mask is a member of an enumeration: a conjunction beside it, or a name after a comma."""
    last, following = view.last_words(2), view.next_words(3)
    conjunctions = view.table.conjunctions
    names = {name.start for name in view.draft.names}
    if following[:1] and following[0].lower() in conjunctions and _name_follows(view, following[0]):
        return True
    if following[:1] == [","] and view.draft.target.end + 2 in names:
        return True
    if not last:
        return False
    ends = {name.end for name in view.draft.names}
    position = view.draft.target.start
    if last[-1] == "," and position - 2 in ends:
        return True
    if last[-1].lower() not in conjunctions:
        return False
    gap = position - len(last[-1]) - 2
    return gap in ends or gap - 1 in ends


def _name_follows(view: DraftView, conjunction: str) -> bool:
    """Whether a name, or a word of kin ("and his wife"), follows the conjunction."""
    position = view.draft.target.end + len(conjunction) + 2
    rest = view.text[position : position + 40].split()
    starts = {name.start for name in view.draft.names}
    kin = bool(rest) and rest[0].lower() in view.table.possessors
    return position in starts or kin


@requires("titles")
def after_honorific(view: DraftView) -> bool:
    """An honorific stands before the mask and was not taken as part of the name."""
    words = view.before.split()
    return bool(words) and words[-1] in view.table.titles


@requires("naming")
def being_named(view: DraftView) -> bool:
    """The name is given, not used: "a man called [MASK]"."""
    last = view.last_words(1)
    return bool(last) and last[0].lower() in view.table.naming


@requires("relatives")
def relative_clause(view: DraftView) -> bool:
    """A relative clause hangs on the mask: nobody writes "he, who"."""
    following = [word.lower() for word in view.next_words(3)]
    if following[:1] == [","]:
        following = following[1:]
    return bool(set(following[:1]) & view.table.relatives) or bool(
        len(following) > 1 and following[1] in view.table.relatives and len(following[0]) < 5
    )


def another_in_masked_sentence(view: DraftView) -> bool:
    """In a pair of sentences, a third person is named in the second one before the mask."""
    if len(view.draft.sentences) == 1:
        return False
    start = view.draft.sentences[-1][0]
    target = view.draft.target
    return any(
        start <= name.start < target.start and name.text not in view.candidates
        for name in view.draft.names
    )


@requires("saying")
def speech_tag(view: DraftView) -> bool:
    """The mask is all that says who speaks: '"Yes," said [MASK]', '[MASK] said: "Yes"'."""
    if not QUOTES.search(view.passage):
        return False
    beside = (*view.last_words(1), *view.next_words(1))
    return any(word.lower() in view.table.saying for word in beside)


SURFACE: dict[str, ViewFilter] = {
    function.__name__: function
    for function in (
        odd_name,
        length,
        not_prose,
        shared_name_part,
        part_of_longer_name,
        styled,
        quoted,
        bracketed,
        joined,
        after_honorific,
        enumerated,
        being_named,
        relative_clause,
        names_a_thing,
        another_in_masked_sentence,
        speech_tag,
        article_no_person,
        seldom_person,
        used_as_thing,
        never_within_sentence,
        common_word,
        same_person,
    )
}
"""In the order in which they are asked, the cheap ones first."""

ON_NAMES = (
    odd_name,
    names_a_thing,
    article_no_person,
    seldom_person,
    used_as_thing,
    never_within_sentence,
    common_word,
    same_person,
)
"""Those that judge names one by one: a wrong candidate that they stop goes, and the rest stays."""
