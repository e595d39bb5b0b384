"""Filter drafts by their names, for all builders with persons as candidates.

A filter returns whether to drop the draft. Its name is the reject reason and the `--without` value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from typing import TypeVar

from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.names import strip_honorifics, strip_particles
from corefmill.corpora.words import marks_class

ViewFilter = Callable[[DraftContext], bool]
Stops = TypeVar("Stops", bound=Callable[..., bool])


def list_filters(*stops: Stops) -> dict[str, Stops]:
    """Map filters by their names."""
    return {one.__name__: one for one in stops}


_MOST_BEHIND_THINGS = 1 / 3
"""The largest share of a person's places behind words like "in"."""
_NAME_WORD = re.compile(rf"[^\W\d_][\w{marks_class()}.'’·-]*")


def odd_name(view: DraftContext) -> bool:
    """Drop drafts with a candidate unlike a name: digits, punctuation, no capital, all capitals."""
    for candidate in view.candidates:
        words = candidate.split()
        if not words or len(words) > 5 or "," in candidate:
            return True
        if not all(_NAME_WORD.fullmatch(word) for word in words):
            return True
        core = max(view.list_parts(candidate), key=len, default="")
        small = core.islower() and core[0] != core[0].title()  # Georgian writes no name otherwise
        if len(core) < 2 or small or (core.isupper() and len(core) > 3):
            return True
    return False


def shared_name_part(view: DraftContext) -> bool:
    """Drop drafts where two names share a word: the names may be of one person, or of kin."""
    names = dict.fromkeys((*view.candidates, *(name.text for name in view.draft.names)))
    return any(share_word(view, one, other) for one, other in combinations(names, 2))


def share_word(view: DraftContext, one: str, other: str) -> bool:
    """Tell whether two names have a word in common, in whatever form."""
    words, others = {*view.list_parts(one)}, {*view.list_parts(other)}
    if view.table.declensions:
        words, others = (
            {of for w in those for of in view.table.may_be(w)} for those in (words, others)
        )
    return bool(words & others)


def same_person(view: DraftContext) -> bool:
    """Drop drafts whose wrong candidate is the answer by another name: "Emma", "Miss Woodhouse".

    Names with a word in common are left to `shared_name_part`: they would still show the answer.
    """
    answer, *others = view.candidates
    return any(
        not share_word(view, answer, other) and view.persons.are_same(answer, other)
        for other in others
    )


def no_person(view: DraftContext) -> bool:
    """Drop drafts with a candidate that its document does not use as the name of a person.

    It is the title of an article about something else, is seldom called a person by the recogniser,
    often stands behind words like "in" or in lower case ("Heaven", "Yes"), or stands in italics as
    titles of works do. Where all nouns have capitals, something but the capital must show a person,
    too: an honorific, a list of given names, or pronouns.
    """
    usage, words = view.usage, view.table
    title = view.article.title.partition(" (")[0]
    if view.article.is_person is False and title in view.candidates:
        return True
    for candidate in view.candidates:
        name = strip_particles(candidate, words)
        behind_things = usage.compute_share_after(name, words.thing_marks)
        if usage.compute_person_share(name) < words.choose_least_share(
            name, len(usage.find_places(name)), behind_things
        ):
            return True
        bare = strip_honorifics(candidate, words)
        if usage.compute_share_after(bare, words.before_things) > _MOST_BEHIND_THINGS:
            return True
        parts = view.list_parts(candidate)
        small = parts[0].lower() if len(parts) == 1 else ""
        if small not in ("", *parts) and usage.count(small) >= max(1, usage.count(parts[0])):
            return True
        if words.nouns and view.persons.find_gender(candidate).reason == "unknown":
            return True
        if any(
            start <= name.start and name.end <= end
            for name in view.mentions(candidate)
            for start, end in view.paragraph.italic
        ):
            return True
    return False
