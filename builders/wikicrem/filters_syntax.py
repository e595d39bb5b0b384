"""Filter the remaining drafts by parts of speech and parse (clean mode).

They see the passage analysed by itself, and do nothing where the pipeline has no such component.
"""

from __future__ import annotations

from corefmill.builders.corpus.filters import reads
from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.name_filters import ViewFilter
from corefmill.builders.persons.names import Name, cases_of
from corefmill.builders.persons.table import CASES, requires
from corefmill.builders.wikicrem.confidence import doubtful
from corefmill.builders.wikicrem.reading import PronounReading, head_of, tokens_of

_FEW_CASES = 4
_APPOSED = frozenset({"appos", "vocative", "list"})
_GENDERS = {"male": "Gender=Masc", "female": "Gender=Fem"}
_NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "DET"})


def _mask(view: DraftContext) -> tuple[Analysis, int, int] | None:
    """The passage's analysis and the tokens of the mask, or None without parts of speech."""
    analysis = view.syntax
    if analysis is None or not analysis.upos:
        return None
    shift = view.draft.span[0]
    first, last = tokens_of(
        analysis, view.draft.target.start - shift, view.draft.target.end - shift
    )
    return analysis, first, last


def _adjacent(analysis: Analysis, left: int, right: int) -> bool:
    """Whether only a blank stands between two tokens."""
    return analysis.words[right][0] - analysis.words[left][1] <= 1


@reads("tags")
def modified(view: DraftContext) -> bool:
    """A word bound to the name stands before it: "young [MASK]", "his brother [MASK]"."""
    mask = _mask(view)
    if mask is None:
        return False
    analysis, first, last = mask
    return (
        first > 0
        and analysis.upos[first - 1] in _NOMINAL
        and _adjacent(analysis, first - 1, first)
        and _bound(analysis, first - 1, first, last)
        and not _may_be_followed(view, analysis, first - 1, first)
    )


def _may_be_followed(view: DraftContext, analysis: Analysis, word: int, mask: int) -> bool:
    """Whether a pronoun, too, may follow a word where there are more than four cases: a relative
    word ("którą on"), what the mask is the possessor of ("oczy jego"), or a noun in another case
    or of another gender ("na dwór Jana"), which is no word for the name's bearer ("pana Jana")."""
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
    """Whether a word is a noun in a case that the mask is not in, or, beside a declined mask, a
    thing or of the other gender. Such nouns in the nominative are mostly adjectives read amiss."""
    told = analysis.feats[word] if analysis.feats and analysis.upos[word] == "NOUN" else ""
    target = view.draft.target
    written = view.text[slice(*target.mention)]
    found = cases_of(written, target.text, view.table)
    if any(f"Case={case}" in told and at not in found for at, case in enumerate(CASES)):
        return True
    own = _GENDERS.get(view.persons.gender(target.text).form or "", "")
    is_other = "Animacy=Inan" in told or ("Gender=" in told and own not in told)
    return written != target.text and is_other


def _bound(analysis: Analysis, word: int, first: int, last: int) -> bool:
    """Whether a word hangs on the name beside it, or the name on the word by no clause.

    So "at last [MASK]" and "the day [MASK] came" are free. Without a parse all are bound.
    """
    if not analysis.head:
        return True
    return (
        first <= analysis.head[word] < last or analysis.head[head_of(analysis, first, last)] == word
    ) and not analysis.deprel[word].startswith("advmod")


def _is_declined(view: DraftContext, name: Name) -> bool:
    """Tell whether a name stands in another form than its canonical one."""
    return view.text[slice(*name.mention)] != name.text


@reads("tags")
def in_compound(view: DraftContext) -> bool:
    """A noun, name or number hangs on the mask: "the [MASK] family", "[MASK] III".

    None does on a name that is declined: "Annas Hand", "w Annie gniew zakipiał"; nor, where there
    are more than four cases, a noun in another case: "Anna sukni nie zdjęła".
    """
    mask = _mask(view)
    if mask is None or _is_declined(view, view.draft.target):
        return False
    analysis, first, last = mask
    if last >= len(analysis.words) or not _adjacent(analysis, last - 1, last):
        return False
    if view.table.declension.cases > _FEW_CASES and _differs(view, analysis, last):
        return False
    return analysis.upos[last] in ("NOUN", "PROPN", "NUM") and _bound(analysis, last, first, last)


@reads("tags")
def cut_name(view: DraftContext) -> bool:
    """A capitalised noun touches a candidate's mention: the recogniser took half a name."""
    mask = _mask(view)
    if mask is None:
        return False
    analysis, _, _ = mask
    shift = view.draft.span[0]
    for candidate in view.candidates:
        for name in view.mentions(candidate):
            first, last = tokens_of(analysis, name.start - shift, name.end - shift)
            # No name goes on behind a genitive: "Caspars Zimmer".
            is_whole = bool(view.table.nouns) and _is_declined(view, name)
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
@reads("tags")
def genitive(view: DraftContext) -> bool:
    """The mask depends on a noun by a preposition: "the death of [MASK]", "a film by [MASK]"."""
    mask = _mask(view)
    if mask is None:
        return False
    analysis, first, _ = mask
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


@reads("trees")
def apposition(view: DraftContext) -> bool:
    """The mask has an apposition or is one: "[MASK], the king, ..."; "his son, [MASK], ..."; "to
    him, [MASK], ..."."""
    mask = _mask(view)
    if mask is None or not mask[0].head:
        return False
    *pronoun, pause = ["", *view.last_words(2)][-2:]
    if pause == "," and view.after.startswith(",") and {*map(str.lower, pronoun)} & view.pronouns:
        return True
    analysis, first, last = mask
    own = head_of(analysis, first, last)
    if analysis.deprel[own] in _APPOSED and _pause(analysis, first):
        return True
    if _set_off(analysis, last):
        return True
    return _pause(analysis, last + 1) and any(
        relation in ("appos", "list") and head == own and index >= last
        for index, (relation, head) in enumerate(zip(analysis.deprel, analysis.head, strict=True))
    )


def _pause(analysis: Analysis, word: int) -> bool:
    """Whether a comma, a dash or the like stands before a word, or the word is the first."""
    return word <= 0 or analysis.upos[min(word, len(analysis.upos)) - 1] == "PUNCT"


def _set_off(analysis: Analysis, last: int) -> bool:
    """Whether commas enclose a noun phrase without a verb behind the mask: ", the king,"."""
    words = [analysis.text[start:end] for start, end in analysis.words[last : last + 12]]
    kinds = analysis.upos[last : last + 12]
    if words[:1] != [","] or kinds[1:2] not in (("DET",), ("PRON",), ("NOUN",), ("NUM",)):
        return False
    for index, (word, kind) in enumerate(zip(words, kinds, strict=True)):
        if index and word in (",", ".", ";", ")"):
            return "NOUN" in kinds[:index]
        if kind in ("VERB", "AUX", "ADP"):
            return kind == "ADP" and "NOUN" in kinds[:index]
    return False


@reads("trees")
def rival_pronoun(view: DraftContext) -> bool:
    """A pronoun in the mask's place would be read as another person of the answer's gender."""
    mask = _mask(view)
    return mask is not None and bool(mask[0].head) and PronounReading(view, mask[0]).of_rival


@reads("tags")
def verbless(view: DraftContext) -> bool:
    """A sentence of the passage has no verb: a heading, a list, a caption."""
    analysis = view.syntax
    if analysis is None or not analysis.upos:
        return False
    shift = view.draft.span[0]
    for start, end in view.draft.sentences:
        first, last = tokens_of(analysis, start - shift, end - shift)
        if not {"VERB", "AUX"} & set(analysis.upos[first:last]):
            return True
    return False


SYNTAX: dict[str, ViewFilter] = {
    function.__name__: function
    for function in (
        verbless,
        modified,
        in_compound,
        cut_name,
        genitive,
        apposition,
        rival_pronoun,
        doubtful,
    )
}
"""In the order in which they are asked."""
