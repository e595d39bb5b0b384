"""Clean mode's filters on the surface: each looks at a draft and says whether it must go.

A filter's name is its reject reason and the name that `--without` takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations

from corefmill.builders.persons.names import bare
from corefmill.builders.persons.view import View

Filter = Callable[[View], bool]

_QUOTES = re.compile(
    r"(?P<open>[“«„]|(?<![\w.,!?…])[‘'](?=\w))"
    r"|(?P<close>[”»]|(?<=[.,!?…—-])['’](?!\w))"
    r'|(?P<either>")'
)
_JOINED = re.compile(r"[-–/&]")
_NOT_PROSE = re.compile(r"[|=_\[\]{}<>~^*•]|https?:|www\.|\.\.\.\.")
_SENTENCE_END = re.compile(r"[.!?…]['\"’”»)\]]*$")
_NUMERAL = re.compile(r"\d")
_NAME_WORD = re.compile(r"[^\W\d_][\w.'’-]*")

SHORTEST, LONGEST = 8, 120
"""Words and signs of a passage; the published examples lie within."""


def not_prose(view: View) -> bool:
    """Lists, tables, verses and debris: signs of markup, many numbers, no sentence's end."""
    return bool(view.paragraph.lost) or is_debris(view.passage)


def is_debris(passage: str) -> bool:
    """Whether a passage has signs of markup, many numbers or capitals, or no sentence's end."""
    words = passage.split()
    if _NOT_PROSE.search(passage) or not _SENTENCE_END.search(passage):
        return True
    if passage.count("(") != passage.count(")") or not (
        passage[0].isupper() or passage[0] in "\"“‘'"
    ):
        return True
    numbers = sum(bool(_NUMERAL.search(word)) for word in words)
    shouted = sum(word.isupper() and len(word) > 2 for word in words)
    return numbers > len(words) / 5 or shouted > len(words) / 4


def length(view: View) -> bool:
    """Passages too short to say anything, or too long to be read as one."""
    return not SHORTEST <= len(view.passage.split()) <= LONGEST


def shared_name_part(view: View) -> bool:
    """A name of the passage shares a word with another: they may be one person, or kin."""
    names = dict.fromkeys((*view.candidates, *(name.text for name in view.draft.names)))
    return any({*view.parts(one)} & {*view.parts(other)} for one, other in combinations(names, 2))


def part_of_longer_name(view: View) -> bool:
    """A word of a candidate stands outside its mentions: "Hill" in "Hill & Knowlton"."""
    start, _ = view.draft.span
    for candidate in view.candidates:
        inside = [(name.start, name.end) for name in view.mentions(candidate)]
        for part in view.parts(candidate):
            for match in re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", view.passage):
                left, right = match.start() + start, match.end() + start
                if not any(s <= left and right <= e for s, e in inside):
                    return True
    return False


def odd_name(view: View) -> bool:
    """A candidate that does not look like a name: digits, signs, no capital, all capitals."""
    for candidate in view.candidates:
        words = candidate.split()
        if not words or len(words) > 5 or "," in candidate:
            return True
        if not all(_NAME_WORD.fullmatch(word) for word in words):
            return True
        core = max(view.parts(candidate), key=len, default="")
        if len(core) < 2 or core.islower() or (core.isupper() and len(core) > 3):
            return True
    return False


def common_word(view: View) -> bool:
    """A name of one word that the article writes as often in lower case ("Heaven", "Yes")."""
    for candidate in view.candidates:
        parts = view.parts(candidate)
        if len(parts) != 1:
            continue
        (word,) = parts
        if (
            view.usage.count(word.lower()) >= max(1, view.usage.count(word))
            and word.lower() != word
        ):
            return True
    return False


def never_within_sentence(view: View) -> bool:
    """A name that only ever begins a sentence may owe its capital to that."""
    return not all(view.usage.within_sentence(name) for name in view.candidates)


def seldom_person(view: View) -> bool:
    """A name that the recogniser calls a person in fewer than six of ten places."""
    names = (bare(name, view.table) for name in view.candidates)
    return any(view.usage.person_share(name) < 0.6 for name in names)


def article_no_person(view: View) -> bool:
    """A candidate is the article's own title, and the article is about no person."""
    title = view.article.title.partition(" (")[0]
    return view.article.is_person is False and title in view.candidates


def styled(view: View) -> bool:
    """The mask stands in italics or bold, as titles of works and emphasised words do."""
    target = view.draft.target
    spans = (*view.paragraph.italic, *view.paragraph.bold)
    return any(start < target.end and target.start < end for start, end in spans)


def quoted(view: View) -> bool:
    """The mask stands in a quotation, counted from the paragraph's beginning."""
    return in_quotation(view.text, view.draft.target.start)


def in_quotation(text: str, position: int) -> bool:
    """Whether a quotation that opened before `position` is still open there."""
    depth = 0
    for match in _QUOTES.finditer(text, 0, position):
        if match["open"]:
            depth = 1
        elif match["close"]:
            depth = 0
        else:
            depth = 1 - depth
    return depth == 1


def bracketed(view: View) -> bool:
    """The mask stands in brackets, or brackets follow it: "Ann (born 1950)"."""
    before = view.before
    return before.count("(") > before.count(")") or view.after.startswith((" (", "(", "["))


def joined(view: View) -> bool:
    """The mask is part of a compound: "Ann-led", "Hill & Knowlton", "Ann/Bob"."""
    before, after = view.before[-2:].strip(), view.after[:2].strip()
    return bool(
        (before and _JOINED.fullmatch(before[-1]) and before != "--")
        or (after and _JOINED.fullmatch(after[0]) and view.after[:2] != "--")
    )


def enumerated(view: View) -> bool:
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


def _name_follows(view: View, conjunction: str) -> bool:
    """Whether a name, or a word of kin ("and his wife"), follows the conjunction."""
    position = view.draft.target.end + len(conjunction) + 2
    rest = view.text[position : position + 40].split()
    starts = {name.start for name in view.draft.names}
    kin = bool(rest) and rest[0].lower() in view.table.possessors
    return position in starts or kin


def after_honorific(view: View) -> bool:
    """An honorific stands before the mask and was not taken as part of the name."""
    words = view.before.split()
    return bool(words) and words[-1] in view.table.titles


def being_named(view: View) -> bool:
    """The name is given, not used: "a man called [MASK]"."""
    last = view.last_words(1)
    return bool(last) and last[0].lower() in view.table.naming


def relative_clause(view: View) -> bool:
    """A relative clause hangs on the mask: nobody writes "he, who"."""
    following = [word.lower() for word in view.next_words(3)]
    if following[:1] == [","]:
        following = following[1:]
    return bool(set(following[:1]) & view.table.relatives) or bool(
        len(following) > 1 and following[1] in view.table.relatives and len(following[0]) < 5
    )


def names_a_thing(view: View) -> bool:
    """A candidate's mention is part of the name of a street, prize, house ..."""
    for candidate in view.candidates:
        for name in view.mentions(candidate):
            words = view.text[name.end : name.end + 30].split()
            if words and words[0].strip(".,;:") in view.table.after_names:
                return True
    return False


def another_in_masked_sentence(view: View) -> bool:
    """In a pair of sentences, a third person is named in the second one before the mask."""
    if len(view.draft.sentences) == 1:
        return False
    start = view.draft.sentences[-1][0]
    target = view.draft.target
    return any(
        start <= name.start < target.start and name.text not in view.candidates
        for name in view.draft.names
    )


def speech_tag(view: View) -> bool:
    """The mask is all that says who speaks: '"Yes," said [MASK]', '[MASK] said: "Yes"'."""
    if not _QUOTES.search(view.passage):
        return False
    beside = (*view.last_words(1), *view.next_words(1))
    return any(word.lower() in view.table.saying for word in beside)


def used_as_thing(view: View) -> bool:
    """A candidate that, in a third of its places, follows words like "in" or "the"."""
    return any(
        view.usage.share_after(bare(name, view.table), view.table.before_things) > 1 / 3
        for name in view.candidates
    )


SURFACE: dict[str, Filter] = {
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
)
"""Those that judge names one by one: a wrong candidate that they stop goes, and the rest stays."""
