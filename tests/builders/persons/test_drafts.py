"""Conditions (a) and (b) of the paper, on passages with their names marked."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.persons.drafts import Draft, draft_by_paper
from corefmill.builders.persons.names import Name
from corefmill.corpora.records import Span
from tests.builders.rows import rows
from tests.builders.wikicrem.passages import marked, view


@pytest.mark.parametrize(
    ("line", "wanted"),
    rows("""
        # (a): both stand before the mask in its sentence, whichever later occurrence it is.
        [Ann] met [Bob] and [Ann] left.  Ann 2 Bob
        [Ann] came and [Ann] met [Bob].  ''
        [Ann] met [Bob]. | [Cyd] left.  ''
        [Ann] saw [Ann], [Bob], [Ann] and [Ann].  Ann 3 Bob; Ann 4 Bob
        # Wrong candidates in the order of first mention, once each.
        [Cyd], [Bob], [Ann] and [Bob] met; [Cyd] left.  Cyd 4 Bob Ann; Bob 3 Cyd Ann
        # (b): both in the first sentence, the mask in the second, with both named there or neither.
        [Ann] met [Bob]. | [Ann] left.  Ann 2 Bob
        [Ann] met [Bob]. | [Bob] saw that [Ann] left.  ''
        [Ann] met [Bob]. | [Ann] left [Bob].  ''
        # (a) asks for the last one alone; (b) for either.
        [Ann] met [Bob]. | [Bob] saw [Ann] before [Ann] left.  Ann 4 Bob; Ann 3 Bob; Ann 4 Bob
        [Ann] met [Bob] and [Cyd]. | [Ann] left [Bob].  Ann 3 Cyd; Bob 4 Cyd
        # A name of the second sentence alone is no candidate, and a sentence between too far.
        [Ann] met [Bob]. | [Ann] left [Cyd].  Ann 2 Bob
        [Ann] met [Bob]. | It rained. | [Ann] left.  ''
        # Names are equal to the letter.
        [Ann] met [Bob]. | [ann] left.  ''
        [Ann] met [Bob]. | [Ann Day] left.  ''
        ''  ''
        It rained.  ''
        [Ann] left.  ''
        [Ann] and [Ann]. | [Ann].  ''
    """),
)
def test_drafts_by_the_papers_conditions(line: str, wanted: str) -> None:
    """Of each draft the masked name, its place among the names, and the wrong candidates."""
    read = marked(line)
    found = [draft for group in draft_by_paper(read.sentences, read.names) for draft in group]
    assert wanted == "; ".join(
        " ".join((one.target.text, str(read.names.index(one.target)), *one.others)) for one in found
    )


def test_a_name_over_a_sentences_border_belongs_to_neither() -> None:
    read = marked("[Ann] met [Bob]. | [Ann] left.")
    cut = [(0, 14), (14, 22)]  # within the second "Ann"
    assert len(list(draft_by_paper(read.sentences, read.names))) == 1
    assert list(draft_by_paper(cut, read.names)) == []


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Span], list[Name]]:
    """Sentences that cover a text of three-letter words, and names, some over a border."""
    words = draw(st.lists(st.sampled_from(["Ann", "Bob", "Cyd", ""]), max_size=14))
    names = [Name(4 * n, 4 * n + 3, word) for n, word in enumerate(words) if word]
    ends = draw(st.sets(st.integers(1, 4 * len(words) + 1), max_size=5))
    borders = [0, *sorted(ends)]
    return list(pairwise(borders)), names


def allowed(passage: tuple[Span, ...], target: Name, other: str, names: list[Name]) -> bool:
    """Section 3 of the paper, said once more of one wrong candidate."""

    def named(who: str, sentence: Span, until: int | None = None) -> bool:
        start, end = sentence
        return any(
            name.text == who
            and name is not target
            and start <= name.start
            and name.end <= min(end, end if until is None else until)
            for name in names
        )

    answer, masked = target.text, passage[-1]
    if other == answer or not (masked[0] <= target.start and target.end <= masked[1]):
        return False
    if len(passage) == 1:
        return all(named(who, masked, until=target.start) for who in (answer, other))
    both_first = all(named(who, passage[0]) for who in (answer, other))
    return both_first and named(answer, masked) == named(other, masked)


@settings(max_examples=60, deadline=None)
@given(cases())
def test_drafts_are_what_the_paper_says(case: tuple[list[Span], list[Name]]) -> None:
    sentences, names = case
    passages: list[tuple[Span, ...]] = [(sentence,) for sentence in sentences]
    passages += pairwise(sentences)
    wanted = {
        (passage, target, other)
        for passage in passages
        for target in names
        for other in ("Ann", "Bob", "Cyd")
        if allowed(passage, target, other, names)
    }
    found: list[Draft] = [draft for group in draft_by_paper(sentences, names) for draft in group]
    listed = [(draft.sentences, draft.target, other) for draft in found for other in draft.others]
    assert len(listed) == len(set(listed))
    assert set(listed) == wanted


LINE = "[Ann] met [Mr. Bob Day]. | Then, {Ann} left him."


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Mr. Bob Day", ("Bob", "Day")),
        ("J. R. Fay", ("Fay",)),
        ("Jean-Luc O’Neil", ("Jean", "Luc", "Neil")),
        ("Sun Yat-sen Sun", ("Sun", "Yat", "sen")),
        ("Q", ()),
    ],
)
def test_parts_are_words_without_honorifics_and_initials(name: str, parts: tuple[str, ...]) -> None:
    assert view(LINE).list_parts(name) == parts


def test_tokens_are_the_passages_cut_at_names() -> None:
    seen = view(LINE, before="It rained.")
    seen = replace(seen, read=replace(seen.read, tokens=((3, 9), (11, 18), (19, 51), (52, 53))))
    pieces = ["Ann", " met", "Mr. Bob Day", ". Then, ", "Ann", " left him."]
    assert [seen.text[s:e] for s, e in seen.tokens] == pieces


def test_faulty_wrong_candidates_go_one_by_one() -> None:
    seen = view("[Ann] met [Bob], [Cyd] and [Dot]. | {Ann} left.")
    left = seen.drop_faulty_candidates(lambda one: "Cyd" in one.candidates)
    assert left.draft.others == ("Bob", "Dot")
    assert seen.drop_faulty_candidates(lambda one: False) == seen
    # Where nothing is left, the filter that finds the fault is to see all of them.
    assert seen.drop_faulty_candidates(lambda one: True) == seen
    single = view(LINE)
    assert single.drop_faulty_candidates(lambda one: True) is single
