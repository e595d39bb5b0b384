"""Filter drafts by the words beside the mask and by the parse (clean mode).

See `persons.name_filters` for the filters of names, and `confidence` for the judgement of a whole
draft. The filters that need tags or trees see the analysis of the passage alone; without these they
drop nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import combinations

from corefmill.builders.corpus.options import needs_part
from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.name_filters import (
    ViewFilter,
    list_filters,
    no_person,
    odd_name,
    same_person,
    share_word,
)
from corefmill.builders.persons.names import find_cases
from corefmill.builders.persons.prose import QUOTES, in_quotation, is_addressed, is_debris
from corefmill.builders.persons.table import CASES, requires
from corefmill.builders.wikicrem.confidence import doubtful
from corefmill.builders.wikicrem.reading import head_of, tokens_of

_FEW_CASES = 4
_GENDERS = {"male": "Gender=Masc", "female": "Gender=Fem"}
_NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "DET"})


def not_prose(view: DraftContext) -> bool:
    """Drop lists, tables, verses and debris: marks of markup, many numbers, no sentence's end."""
    return is_debris(view.passage, view.table.speech_dashes)


def words_lost(view: DraftContext) -> bool:
    """Drop passages with words of the wikitext that could not be rendered, as of a template."""
    return view.paragraph.lacks_words(*view.draft.span)


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


def either_of_list(view: DraftContext) -> bool:
    """Drop drafts where the mask stands in a list or pair of names, or may be either of a list.

    "Ann and Bob jumped. [MASK] won": either may have. A draft stays if one of them is named alone
    since, or if the masked sentence has a pronoun of the answer's gender.
    """
    target = view.draft.target
    others = {*view.draft.others}
    if view.pronouns_tell:
        others = {other for other in others if not view.persons.are_opposed(other, target.text)}
    for names, _ in view.name_lists:
        listed = {name.text for name in names}
        if target in names:
            return True
        if names[-1].end > target.start or target.text not in listed:
            continue
        since = {n.text for n in view.draft.names if names[-1].end <= n.start < target.start}
        if target.text not in since and listed & others:
            return True
    return False


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


def on_parse(part: str) -> Callable[[Callable[..., bool]], ViewFilter]:
    """Give a filter the passage's analysis and the words of the mask, from the first up to `last`.

    Without tags, or without trees where these are the `part` looked at, the filter stops nothing.
    """

    def give_parse(stops: Callable[..., bool]) -> ViewFilter:
        @needs_part(part)
        @wraps(stops)
        def stops_draft(view: DraftContext) -> bool:
            read, target, shift = view.syntax, view.draft.target, view.draft.span[0]
            if read is None or not read.upos or (part == "trees" and not read.head):
                return False
            return stops(view, read, *tokens_of(read, target.start - shift, target.end - shift))

        return stops_draft

    return give_parse


def _adjacent(analysis: Analysis, left: int, right: int) -> bool:
    """Tell whether only a blank stands between two tokens."""
    return analysis.words[right][0] - analysis.words[left][1] <= 1


@on_parse("tags")
def modified(view: DraftContext, analysis: Analysis, first: int, last: int) -> bool:
    """Drop drafts with a word bound to the mask before: "young [MASK]", "his brother [MASK]"."""
    return (
        first > 0
        and analysis.upos[first - 1] in _NOMINAL
        and _adjacent(analysis, first - 1, first)
        and _is_bound(analysis, first - 1, first, last)
        and not _may_be_followed(view, analysis, first - 1, first)
    )


def _may_be_followed(view: DraftContext, analysis: Analysis, word: int, mask: int) -> bool:
    """Tell whether a pronoun, too, may follow a word, where there are more than four cases.

    A pronoun may follow a relative word ("którą on"), a thing that the masked person owns ("oczy
    jego"), or a noun in another case or of another gender ("na dwór Jana"). Such a noun does not
    mean the bearer of the name, as "pana" does in "pana Jana".
    """
    if view.table.declension.cases <= _FEW_CASES:
        return False
    if analysis.forms[word].lower() in view.table.relatives or _differs(view, analysis, word):
        return True
    return (
        analysis.head[mask : mask + 1] == (word,)
        and analysis.deprel[mask].startswith("nmod")
        and "Case=Gen" in (analysis.feats[mask] if analysis.feats else "")
    )


def _differs(view: DraftContext, analysis: Analysis, word: int) -> bool:
    """Tell whether a noun is in another grammatical case than the mask.

    Beside a declined mask, a thing or a noun of the other gender differs, too. Such nouns in the
    nominative are mostly adjectives read amiss.
    """
    told = analysis.feats[word] if analysis.feats and analysis.upos[word] == "NOUN" else ""
    target = view.draft.target
    written = view.text[slice(*target.mention)]
    found = find_cases(written, target.text, view.table)
    if any(f"Case={case}" in told and at not in found for at, case in enumerate(CASES)):
        return True
    own = _GENDERS.get(view.persons.find_gender(target.text).form or "", "")
    is_other = "Animacy=Inan" in told or ("Gender=" in told and own not in told)
    return written != target.text and is_other


def _is_bound(analysis: Analysis, word: int, first: int, last: int) -> bool:
    """Tell whether a word hangs on the name beside it, or the name on the word by no clause.

    "at last [MASK]" and "the day [MASK] came" are not bound. Without a parse all words are bound.
    """
    if not analysis.head:
        return True
    return (
        first <= analysis.head[word] < last or analysis.head[head_of(analysis, first, last)] == word
    ) and not analysis.deprel[word].startswith("advmod")


@requires("genitive")
@on_parse("tags")
def genitive(view: DraftContext, analysis: Analysis, first: int, last: int) -> bool:
    """Drop drafts with the mask on a noun by a preposition: "the death of [MASK]"."""
    if view.after.startswith(tuple(sorted(view.table.possessive))):
        return False  # "the death of [MASK]'s father"
    binding = first - 1
    # "della" is one token of two words, preposition and article.
    while binding > 0 and analysis.words[binding - 1] == analysis.words[binding]:
        binding -= 1
    if binding < 1:
        return False
    start, end = analysis.words[binding]
    return analysis.text[start:end].lower() in view.table.genitive and analysis.upos[
        binding - 1
    ] in ("NOUN", "PROPN", "NUM", "DET", "PRON")


SURFACE: dict[str, ViewFilter] = list_filters(
    odd_name,
    not_prose,
    words_lost,
    shared_name_part,
    quoted,
    either_of_list,
    relative_clause,
    no_person,
    same_person,
)
"""The filters before the parse, in the order in which they are asked."""

SYNTAX: dict[str, ViewFilter] = list_filters(modified, genitive, doubtful)
"""The filters behind it."""

ON_NAMES = (odd_name, no_person, same_person)
"""The filters that check each name alone: they drop a wrong candidate, and the draft stays."""
