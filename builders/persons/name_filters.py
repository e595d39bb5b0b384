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
from corefmill.builders.persons.table import requires
from corefmill.corpora.words import marks_class

ViewFilter = Callable[[DraftContext], bool]
Stops = TypeVar("Stops", bound=Callable[..., bool])


def list_filters(*stops: Stops) -> dict[str, Stops]:
    """Map filters by their names."""
    return {one.__name__: one for one in stops}


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


def part_of_longer_name(view: DraftContext) -> bool:
    """Drop drafts with a candidate's word outside of all names: "Hill" in "Hill & Knowlton"."""
    start, _ = view.draft.span
    inside = [(name.start, name.end) for name in view.draft.names]
    for candidate in view.candidates:
        for part in view.list_parts(candidate):
            forms = "|".join(map(re.escape, view.table.forms_of(part)))
            for match in re.finditer(rf"(?<!\w)(?:{forms})(?!\w)", view.passage):
                left, right = match.start() + start, match.end() + start
                if not any(s <= left and right <= e for s, e in inside):
                    return True
    return False


def article_no_person(view: DraftContext) -> bool:
    """Drop drafts with a candidate that is the title of an article about something else."""
    title = view.article.title.partition(" (")[0]
    return view.article.is_person is False and title in view.candidates


def in_italics(view: DraftContext) -> bool:
    """Drop drafts with a candidate in italics, as titles of books and films are."""
    return any(
        start <= name.start and name.end <= end
        for candidate in view.candidates
        for name in view.mentions(candidate)
        for start, end in view.paragraph.italic
    )


def seldom_person(view: DraftContext) -> bool:
    """Drop drafts with a candidate that the recogniser seldom calls a person in this article."""
    usage, words = view.usage, view.table
    return any(
        usage.compute_person_share(name)
        < words.choose_least_share(
            name, len(usage.find_places(name)), usage.compute_share_after(name, words.thing_marks)
        )
        for name in (strip_particles(candidate, words) for candidate in view.candidates)
    )


@requires("before_things")
def used_as_thing(view: DraftContext) -> bool:
    """Drop drafts with a candidate behind words like "in" or "the" in a third of the places."""
    return any(
        view.usage.compute_share_after(strip_honorifics(name, view.table), view.table.before_things)
        > 1 / 3
        for name in view.candidates
    )


@requires("after_names")
def names_a_thing(view: DraftContext) -> bool:
    """Drop drafts with a candidate within the name of a street, prize, house ..."""
    behind = (
        view.text[name.end : name.end + 30].split()[:1]
        for candidate in view.candidates
        for name in view.mentions(candidate)
    )
    return any(word[0].strip(".,;:") in view.table.after_names for word in behind if word)


def never_within_sentence(view: DraftContext) -> bool:
    """Drop drafts with a candidate that only begins sentences, so the capital tells nothing."""
    return not all(
        view.usage.stands_within_sentence(name)
        for name in view.candidates
        if name[:1] != name[:1].lower()
    )


def common_word(view: DraftContext) -> bool:
    """Drop drafts with a one-word candidate as often in lower case ("Heaven", "Yes")."""
    parts = (view.list_parts(candidate) for candidate in view.candidates)
    return any(
        view.usage.count(word.lower()) >= max(1, view.usage.count(word))
        for word in (own[0] for own in parts if len(own) == 1)
        if word.lower() != word
    )
