"""Filter drafts by the surface of their passages (clean mode); see `persons.name_filters`."""

from __future__ import annotations

import re
from itertools import combinations

from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.name_filters import (
    ViewFilter,
    article_no_person,
    common_word,
    in_italics,
    list_filters,
    names_a_thing,
    never_within_sentence,
    odd_name,
    part_of_longer_name,
    same_person,
    seldom_person,
    share_word,
    used_as_thing,
)
from corefmill.builders.persons.prose import QUOTES, in_quotation, is_addressed, is_debris
from corefmill.builders.persons.table import plain, requires
from corefmill.corpora.words import count_words

_JOINED = re.compile(r"[-–/&]")

SHORTEST, LONGEST = 8, 170
"""Words of a passage; 170 are about 200 tokens, and old novels have sentences of that length."""
_ASIDE = 4
"""Words in brackets from which on they are a clause that a pronoun can stand in."""


def not_prose(view: DraftContext) -> bool:
    """Drop lists, tables, verses and debris: marks of markup, many numbers, no sentence's end."""
    return is_debris(view.passage, view.table.speech_dashes)


def words_lost(view: DraftContext) -> bool:
    """Drop passages with words of the wikitext that could not be rendered, as of a template."""
    return view.paragraph.lacks_words(*view.draft.span)


def length(view: DraftContext) -> bool:
    """Drop passages too short to say anything, or too long to be read as one."""
    return not SHORTEST <= count_words(view.passage) <= LONGEST


def styled(view: DraftContext) -> bool:
    """Drop drafts with the mask in italics or bold, as titles of works and emphasised words."""
    target = view.draft.target
    spans = (*view.paragraph.italic, *view.paragraph.bold)
    return any(start < target.end and target.start < end for start, end in spans)


def shared_name_part(view: DraftContext) -> bool:
    """Drop drafts where two candidates share a word: they may be one person, or kin.

    The same holds for the answer and any name, unless their genders differ ("Mr. Lee", "Mrs. Lee").
    "John" and "Mrs. John" are never one person.
    """
    answer = view.draft.target.text
    if any(share_word(view, one, other) for one, other in combinations(view.candidates, 2)):
        return True
    others = dict.fromkeys(name.text for name in view.draft.names if name.text != answer)
    return any(
        share_word(view, answer, other)
        and (answer in other or not view.persons.are_opposed(answer, other))
        for other in others
    )


def quoted(view: DraftContext) -> bool:
    """Drop drafts with the mask in a quotation, or in speech behind a dash.

    A draft stays if the same speaker has named all candidates and the mask is not the person spoken
    to. In languages with speech behind dashes, the speaker may stand within quotation marks, too
    ("« Oui, dit [MASK], je viens »").
    """
    target = view.draft.target
    start, _ = view.draft.span
    for begin, end in view.dash_speech:
        if begin <= target.start < end:
            unbroken = not any(map(str.isalnum, view.text[start:begin]))
            return not unbroken or is_addressed(view.before, view.after)
    if not in_quotation(view.text, target.start):
        return False
    if view.table.speech_dashes and view.table.saying & {*map(str.lower, view.last_words(1))}:
        return False
    spoken = QUOTES.search(view.text, start + 1, target.start) is None
    return not (spoken and in_quotation(view.text, start + 1)) or is_addressed(
        view.before, view.after
    )


def bracketed(view: DraftContext) -> bool:
    """Drop drafts with the mask in or before brackets: "he (Ann)", "Ann (born 1950)"."""
    if view.after.startswith((" (", "(", "[")):
        return True
    opened = view.before.rpartition("(")[2]
    if view.before.count("(") <= view.before.count(")"):
        return False
    return count_words(opened + view.after.partition(")")[0]) < _ASIDE


def joined(view: DraftContext) -> bool:
    """Drop drafts with the mask in a compound ("Ann-led", "Ann/Bob"), or behind a word that
    shows how the name begins ("l'[MASK]") and is not written in full ("que [MASK]")."""
    if view.elided_before and plain(view.elided_before) not in view.table.elided_e:
        return True
    before, after = view.before[-2:].strip(), view.after[:2].strip()
    return bool(
        (before and _JOINED.fullmatch(before[-1]) and before != "--")
        or (after and _JOINED.fullmatch(after[0]) and view.after[:2] != "--")
    )


def enumerated(view: DraftContext) -> bool:
    """Drop drafts with the mask in an enumeration of three or more, or of "Ann or Bob".

    Two names joined by "and" stay: "he and Ann" and "Ann and he" are good English.
    """
    target = view.draft.target
    for names, joined_by in view.name_lists:
        if target in names:
            return len(names) > 2 or not joined_by & view.table.joining
    return view.after.startswith(", ") and any(n.start == target.end + 2 for n in view.draft.names)


@requires("conjunctions")
def either_of_list(view: DraftContext) -> bool:
    """Drop drafts where answer and candidate were named in one list and nothing tells them apart.

    "Ann and Bob jumped. [MASK] won": either may have. A draft stays if one of them is named alone
    since, or if the masked sentence has a pronoun of the answer's gender.
    """
    target = view.draft.target
    others = {*view.draft.others}
    if view.pronouns_tell:
        others = {other for other in others if not view.persons.are_opposed(other, target.text)}
    for names, _ in view.name_lists:
        listed = {name.text for name in names}
        if names[-1].end > target.start or target.text not in listed:
            continue
        since = {n.text for n in view.draft.names if names[-1].end <= n.start < target.start}
        if target.text not in since and listed & others:
            return True
    return False


@requires("titles")
def after_honorific(view: DraftContext) -> bool:
    """Drop drafts with an honorific right before the mask that is not part of the name.

    Also "Mr. and [MASK]", and "aunt [MASK]", but not "the captain [MASK]", which is two phrases.
    """
    words = view.before.split()
    if len(words) > 1 and words[-1] in view.table.joining:
        return words[-2] in view.table.titles
    apart = len(words) > 1 and words[-2].lower() in view.table.before_things
    return bool(words) and (
        words[-1] in view.table.titles
        or (not apart and words[-1].capitalize() in view.table.titles)
    )


@requires("naming")
def being_named(view: DraftContext) -> bool:
    """Drop drafts where the masked name is given, not used: "a man called [MASK]"."""
    last = [word.lower() for word in view.last_words(2)]
    return bool({*last[-1:], " ".join(last)} & view.table.naming)


@requires("relatives")
def relative_clause(view: DraftContext) -> bool:
    """Drop drafts with a relative clause on the mask: nobody writes "he, who".

    A word that may also be an article counts as relative only behind a comma ("Anna, den" but
    "Anna den Brief").
    """
    following = [word.lower() for word in view.next_words(3)]
    relatives = view.table.relatives
    if following[:1] == [","]:
        following = following[1:]
    else:
        relatives -= view.table.articles
    if set(following[:1]) & relatives:
        return True
    # "to whom", but not "and who".
    return (
        len(following) > 1
        and following[1] in relatives
        and len(following[0]) < 5
        and following[0] not in view.table.conjunctions
    )


@requires("saying")
def speech_tag(view: DraftContext) -> bool:
    """Drop drafts of a wiki with nothing but the mask to show the speaker: '"Yes," said [MASK]'.

    In a novel "said he" is as natural as the name.
    """
    if view.article.site is None or not (QUOTES.search(view.passage) or view.dash_speech):
        return False
    beside = (*view.last_words(1), *view.next_words(1))
    return any(word.lower() in view.table.saying for word in beside)


SURFACE: dict[str, ViewFilter] = list_filters(
    odd_name,
    length,
    not_prose,
    words_lost,
    shared_name_part,
    part_of_longer_name,
    styled,
    quoted,
    bracketed,
    joined,
    after_honorific,
    enumerated,
    either_of_list,
    being_named,
    relative_clause,
    names_a_thing,
    in_italics,
    speech_tag,
    article_no_person,
    seldom_person,
    used_as_thing,
    never_within_sentence,
    common_word,
    same_person,
)
"""In the order in which they are asked, the cheap ones first."""

ON_NAMES = (
    odd_name,
    names_a_thing,
    in_italics,
    article_no_person,
    seldom_person,
    used_as_thing,
    never_within_sentence,
    common_word,
    same_person,
)
"""The filters that check each name alone: they drop a wrong candidate, and the draft stays."""
