"""Filter the remaining drafts by parts of speech and parse (clean mode).

The filters see the analysis of the passage alone; without a tagger or parser they drop nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from corefmill.builders.corpus.options import needs_part
from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.name_filters import ViewFilter, list_filters
from corefmill.builders.persons.names import Name, find_cases
from corefmill.builders.persons.table import CASES, requires
from corefmill.builders.wikicrem.confidence import doubtful
from corefmill.builders.wikicrem.reading import PronounReading, head_of, tokens_of

_FEW_CASES = 4
_APPOSED = frozenset({"appos", "vocative", "list"})
_GENDERS = {"male": "Gender=Masc", "female": "Gender=Fem"}
_NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "DET"})


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


def _is_declined(view: DraftContext, name: Name) -> bool:
    """Tell whether a name stands in another form than its canonical one."""
    return view.text[slice(*name.mention)] != name.text


@on_parse("tags")
def in_compound(view: DraftContext, analysis: Analysis, first: int, last: int) -> bool:
    """Drop drafts with a noun, name or number on the mask: "the [MASK] family", "[MASK] III".

    A noun behind a declined name stays: "Annas Hand", "w Annie gniew zakipiał". So does a noun in
    another case in languages with more than four cases: "Anna sukni nie zdjęła".
    """
    if _is_declined(view, view.draft.target):
        return False
    if last >= len(analysis.words) or not _adjacent(analysis, last - 1, last):
        return False
    if view.table.declension.cases > _FEW_CASES and _differs(view, analysis, last):
        return False
    return analysis.upos[last] in ("NOUN", "PROPN", "NUM") and _is_bound(
        analysis, last, first, last
    )


@on_parse("tags")
def cut_name(view: DraftContext, analysis: Analysis, *mask: int) -> bool:
    """Drop drafts with a capitalised noun beside a candidate: the recogniser took half a name."""
    shift = view.draft.span[0]
    for candidate in view.candidates:
        for name in view.mentions(candidate):
            first, last = tokens_of(analysis, name.start - shift, name.end - shift)
            # No name goes on behind a genitive: "Caspars Zimmer".
            is_whole = bool(view.table.nouns) and _is_declined(view, name)
            # The neighbours of the name, each with the name's own word beside it.
            for near, far in ((first - 1, first), (last, last - 1)):
                if not 0 <= near < len(analysis.words) or (near == last and is_whole):
                    continue
                left, right = sorted((near, far))
                start, end = analysis.words[near]
                if (
                    _adjacent(analysis, left, right)
                    and analysis.words[right][0] > analysis.words[left][1]
                    and analysis.upos[near] == "PROPN"
                    and analysis.text[start:end][:1].isupper()
                ):
                    return True
    return False


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


@on_parse("trees")
def apposition(view: DraftContext, analysis: Analysis, first: int, last: int) -> bool:
    """Drop drafts where the mask has an apposition or is one: "[MASK], the king, ..."; "his son,
    [MASK], ..."; "to him, [MASK], ..."."""
    *pronoun, pause = ["", *view.last_words(2)][-2:]
    if pause == "," and view.after.startswith(",") and {*map(str.lower, pronoun)} & view.pronouns:
        return True
    # The mask is an apposition behind a pause, or has one, which the parser may have missed.
    own = head_of(analysis, first, last)
    if analysis.deprel[own] in _APPOSED and _pause(analysis, first):
        return True
    if _is_set_off(analysis, last):
        return True
    return _pause(analysis, last + 1) and any(
        relation in ("appos", "list") and head == own and index >= last
        for index, (relation, head) in enumerate(zip(analysis.deprel, analysis.head, strict=True))
    )


def _pause(analysis: Analysis, word: int) -> bool:
    """Tell whether a comma, a dash or the like stands before a word, or the word is the first."""
    return word <= 0 or analysis.upos[min(word, len(analysis.upos)) - 1] == "PUNCT"


def _is_set_off(analysis: Analysis, after: int) -> bool:
    """Tell whether a comma and a noun phrase without a verb follow the mask: "[MASK], a king,"."""
    # Twelve words are enough: a longer stretch is a clause with a verb.
    words = [analysis.text[start:end] for start, end in analysis.words[after : after + 12]]
    kinds = analysis.upos[after : after + 12]
    if words[:1] != [","] or kinds[1:2] not in (("DET",), ("PRON",), ("NOUN",), ("NUM",)):
        return False
    for index, (word, kind) in enumerate(zip(words, kinds, strict=True)):
        if index and word in (",", ".", ";", ")"):
            return "NOUN" in kinds[:index]
        if kind in ("VERB", "AUX", "ADP"):
            return kind == "ADP" and "NOUN" in kinds[:index]
    return False


@on_parse("trees")
def rival_pronoun(view: DraftContext, analysis: Analysis, *mask: int) -> bool:
    """Drop drafts where a pronoun would be read as another person of the answer's gender."""
    return PronounReading(view, analysis).of_rival


@on_parse("tags")
def verbless(view: DraftContext, analysis: Analysis, *mask: int) -> bool:
    """Drop drafts with a sentence without a verb: a heading, a list, a caption."""
    shift = view.draft.span[0]
    for start, end in view.draft.sentences:
        first, last = tokens_of(analysis, start - shift, end - shift)
        if not {"VERB", "AUX"} & set(analysis.upos[first:last]):
            return True
    return False


SYNTAX: dict[str, ViewFilter] = list_filters(
    verbless, modified, in_compound, cut_name, genitive, apposition, rival_pronoun, doubtful
)
"""In the order in which they are asked."""
