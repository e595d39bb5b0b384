"""Clean mode's filters on parts of speech and the parse, asked of the drafts that are left.

They see the passage analysed by itself, and do nothing where the pipeline has no such component.
"""

from __future__ import annotations

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.name_filters import ViewFilter
from corefmill.builders.persons.table import requires
from corefmill.builders.persons.view import DraftView
from corefmill.corpora.records import Span

_NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "DET"})


def _tokens_of(analysis: Analysis, start: int, end: int) -> Span:
    """The half-open range of the tokens that overlap [start, end)."""
    inside = [i for i, (s, e) in enumerate(analysis.words) if s < end and start < e]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def _mask(view: DraftView) -> tuple[Analysis, int, int] | None:
    """The passage's analysis and the tokens of the mask, or None without parts of speech."""
    analysis = view.syntax
    if analysis is None or not analysis.upos:
        return None
    shift = view.draft.span[0]
    first, last = _tokens_of(
        analysis, view.draft.target.start - shift, view.draft.target.end - shift
    )
    return analysis, first, last


def _adjacent(analysis: Analysis, left: int, right: int) -> bool:
    """Whether only a blank stands between two tokens."""
    return analysis.words[right][0] - analysis.words[left][1] <= 1


def modified(view: DraftView) -> bool:
    """A word bound to the name stands before it: "young [MASK]", "his brother [MASK]"."""
    mask = _mask(view)
    if mask is None:
        return False
    analysis, first, _ = mask
    return (
        first > 0
        and analysis.upos[first - 1] in _NOMINAL
        and _adjacent(analysis, first - 1, first)
        and not _opens_clause(analysis, first)
    )


def _opens_clause(analysis: Analysis, first: int) -> bool:
    """A noun before the mask that does not belong to it: "the day Ann came", "the man Ann saw"."""
    return (
        bool(analysis.head)
        and analysis.upos[first - 1] == "NOUN"
        and analysis.deprel[first].startswith("nsubj")
        and analysis.head[first] > first
    )


def in_compound(view: DraftView) -> bool:
    """A noun, name or number hangs on the mask: "the [MASK] family", "[MASK] III"."""
    mask = _mask(view)
    if mask is None:
        return False
    analysis, _, last = mask
    if last >= len(analysis.words) or not _adjacent(analysis, last - 1, last):
        return False
    return analysis.upos[last] in ("NOUN", "PROPN", "NUM")


def cut_name(view: DraftView) -> bool:
    """A capitalised noun touches a candidate's mention: the recogniser took half a name."""
    mask = _mask(view)
    if mask is None:
        return False
    analysis, _, _ = mask
    shift = view.draft.span[0]
    for candidate in view.candidates:
        for name in view.mentions(candidate):
            first, last = _tokens_of(analysis, name.start - shift, name.end - shift)
            for near, far in ((first - 1, first), (last, last - 1)):
                if not 0 <= near < len(analysis.words):
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
def genitive(view: DraftView) -> bool:
    """The mask depends on a noun by a preposition: "the death of [MASK]", "a film by [MASK]"."""
    mask = _mask(view)
    if mask is None:
        return False
    analysis, first, _ = mask
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


def apposition(view: DraftView) -> bool:
    """The mask has an apposition or is one: "[MASK], the king, ..."; "his son, [MASK], ..."."""
    mask = _mask(view)
    if mask is None or not mask[0].head:
        return False
    analysis, first, last = mask
    own = analysis.deprel[first:last]
    if any(relation in ("appos", "vocative", "flat", "compound", "list") for relation in own[:1]):
        return True
    if _set_off(analysis, last):
        return True
    return any(
        relation in ("appos", "list") and first <= head < last
        for index, (relation, head) in enumerate(zip(analysis.deprel, analysis.head, strict=True))
        if not first <= index < last
    )


def _set_off(analysis: Analysis, last: int) -> bool:
    """Whether commas enclose a noun phrase without a verb behind the mask: ", the king,"."""
    words = [analysis.text[start:end] for start, end in analysis.words[last : last + 12]]
    kinds = analysis.upos[last : last + 12]
    if words[:1] != [","] or kinds[1:2] not in (("DET",), ("PRON",), ("ADJ",), ("NOUN",), ("NUM",)):
        return False
    for word, kind in zip(words[1:], kinds[1:], strict=True):
        if word in (",", ".", ";", ")"):
            return True
        if kind in ("VERB", "AUX"):
            return False
    return False


def coordinated(view: DraftView) -> bool:
    """The mask is a conjunct by the parse, where the surface does not show it."""
    mask = _mask(view)
    if mask is None or not mask[0].head:
        return False
    analysis, first, last = mask
    if analysis.deprel[first] == "conj" and analysis.upos[analysis.head[first]] in (
        "PROPN",
        "NOUN",
        "PRON",
    ):
        return True
    return any(
        relation == "conj" and first <= head < last and analysis.upos[index] in ("PROPN", "NOUN")
        for index, (relation, head) in enumerate(zip(analysis.deprel, analysis.head, strict=True))
        if index >= last
    )


def verbless(view: DraftView) -> bool:
    """A sentence of the passage has no verb: a heading, a list, a caption."""
    analysis = view.syntax
    if analysis is None or not analysis.upos:
        return False
    shift = view.draft.span[0]
    for start, end in view.draft.sentences:
        first, last = _tokens_of(analysis, start - shift, end - shift)
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
        coordinated,
    )
}
"""In the order in which they are asked."""
