"""What trees say of an example's spans: kept in it, and read again with care."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora import jsonl, syntax
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import MaskedExample, Source
from corefmill.corpora.syntax import SpanSyntax, Step

TEXT = "Ann met Eve because she was early."
EXAMPLE = MaskedExample(
    "1", "en", TEXT, (), (20, 23), ("Ann", "Eve"), ((0, 0, 3), (1, 8, 11)), 0, Source("", 0)
)
STEPS = st.builds(Step, st.integers(0, 99), st.text(max_size=9), st.text(max_size=5), st.booleans())
SPANS = st.none() | st.builds(
    SpanSyntax,
    st.text(max_size=9),
    st.integers(0, 9),
    st.lists(STEPS, min_size=1, max_size=4).map(tuple),
)


@given(st.lists(SPANS, min_size=3, max_size=3))
def test_what_was_kept_comes_back_from_a_line(spans: list[SpanSyntax | None]) -> None:
    line = jsonl.dumps(syntax.kept(EXAMPLE, spans))
    (found,) = [jsonl.loads(line, MaskedExample)]
    assert list(syntax.of(found)) == spans


def test_an_example_that_was_not_parsed_says_what_parses_it() -> None:
    with pytest.raises(DataError, match="example 1 says nothing of its trees") as caught:
        syntax.of(EXAMPLE)
    assert "corefmill parse" in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        ("x", "malformed"),
        ([None, None, ["subject", "one", [[0, "nsubj", "PROPN"]]]], "malformed"),
        ([None, None, ["subject", 1]], "malformed"),
        ([None, None], "not of its target and mentions"),
        ([None, None, ["subject", 1, []]], "not of its target and mentions"),
    ],
)
def test_what_is_no_syntax_of_the_example_is_refused(stated: Any, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        syntax.of(replace(EXAMPLE, meta={syntax.KEY: stated}))


MET = Step(2, "root", "VERB")
ANN = SpanSyntax("subject", 1, (Step(1, "nsubj", "PROPN"), MET))


@pytest.mark.parametrize(
    ("above", "found"),
    [
        ((MET,), {2}),  # "Ann met her"
        ((Step(5, "conj", "VERB"), MET), {5, 2}),  # "Ann met Eve and told her"
        ((Step(5, "conj:and", "VERB"), MET), {5, 2}),
        ((Step(8, "conj", "VERB"), Step(5, "conj", "VERB"), MET), {8, 5, 2}),
        ((Step(5, "conj", "VERB", subject=True), MET), {5}),  # "Ann met Eve and they told her"
        ((Step(5, "advcl", "VERB"), MET), {5}),  # "Ann met Eve to tell her"
        ((Step(5, "conj", "VERB"), Step(3, "obj", "PROPN"), MET), {5}),
    ],
)
def test_a_coordinated_verb_has_the_subject_of_the_one_before(
    above: tuple[Step, ...], found: set[int]
) -> None:
    target = SpanSyntax("object", 1, (Step(9, "obj", "PRON"), *above))
    assert syntax.with_its_subject(target, [ANN, None]) == found


def test_a_coordinated_verb_with_a_subject_has_its_own() -> None:
    told = (Step(5, "conj", "VERB"), MET)
    target = SpanSyntax("object", 1, (Step(6, "obj", "PRON"), *told))
    eve = SpanSyntax("subject", 1, (Step(4, "nsubj", "PROPN"), *told))
    assert syntax.with_its_subject(target, [ANN, eve]) == {5}


def test_what_was_kept_before_subjects_were_is_read() -> None:
    old = [["object", 1, [[9, "obj", "PRON"]]], None, None]
    target, *_ = syntax.of(replace(EXAMPLE, meta={syntax.KEY: old}))
    assert target == SpanSyntax("object", 1, (Step(9, "obj", "PRON", subject=False),))
