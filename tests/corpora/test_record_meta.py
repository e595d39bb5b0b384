"""Syntax and weights are kept in the meta of records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora import record_meta
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import conll2012, corefud, ontocorefit
from corefmill.corpora.formats.native import DOCUMENTS
from corefmill.corpora.record_meta import SpanSyntax, Step, WeightSummary
from corefmill.corpora.records import Document, MaskedExample, Sentence, Source, Token

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
    line = jsonl.dumps(record_meta.add_syntax(EXAMPLE, spans))
    (found,) = [jsonl.loads(line, MaskedExample)]
    assert list(record_meta.read_syntax(found)) == spans


def test_an_example_that_was_not_parsed_says_what_parses_it() -> None:
    with pytest.raises(DataError, match="example 1 has no syntax in its meta") as caught:
        record_meta.read_syntax(EXAMPLE)
    assert "corefmill parse" in str(caught.value.remedy)


@pytest.mark.parametrize(
    ("stated", "complaint"),
    [
        ("x", "malformed"),
        ([None, None, ["subject", "one", [[0, "nsubj", "PROPN"]]]], "malformed"),
        ([None, None, ["subject", 1]], "malformed"),
        ([None, None], "does not describe target and mentions"),
        ([None, None, ["subject", 1, []]], "does not describe target and mentions"),
    ],
)
def test_what_is_no_syntax_of_the_example_is_refused(stated: Any, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        record_meta.read_syntax(replace(EXAMPLE, meta={record_meta.SYNTAX_KEY: stated}))


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
    assert record_meta.find_clauses_of_subject(target, [ANN, None]) == found


PLAIN = Document("a", 0, "it", tuple(Sentence((Token(word),)) for word in "xyz"), ())
COMMENTS = {"conll": {"comments": [[1, "# weight = 0.25"], [3, "# weight = 0"]]}}
UTTERANCES = {"ontocorefit": {"utterances": {"1": {"weight": 0.25}, "2": {"weight": None}}}}
LINES = {"corefud": {"sentences": {"1": {"comments": ["sent_id", "#weight= 0.25", "text"]}}}}


@pytest.mark.parametrize(
    ("form", "meta"),
    [
        (conll2012.FORMAT, COMMENTS),
        (corefud.FORMAT, LINES),
        (ontocorefit.FORMAT, UTTERANCES),
        *((DOCUMENTS, meta) for meta in (COMMENTS, LINES, UTTERANCES)),
    ],
)
def test_each_form_keeps_them(form: Any, meta: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "a.x"
    form.write(path, [replace(PLAIN, meta=meta)])
    if form is not DOCUMENTS:
        assert "0.25" in path.read_text(encoding="utf-8")
    [(_, one)] = form.read(path, "it")
    # Sentences that say none count in full.
    assert record_meta.read_weights(one) == (1.0, 0.25, 1.0)
    assert record_meta.summarize_weights([PLAIN, one]) == WeightSummary(3, 2.25 / 3)


@pytest.mark.parametrize("value", ["heavy", "1.5", "-0.1", "nan", "inf"])
def test_no_number_from_0_to_1_is_refused_by_name(value: str) -> None:
    one = replace(PLAIN, meta={"conll": {"comments": [[2, f"# weight = {value}"]]}})
    with pytest.raises(DataError, match=f"document a, sentence 3: the weight '{value}' is no"):
        record_meta.read_weights(one)


@pytest.mark.parametrize(
    "meta",
    [
        {"conll": []},
        {"conll": {"comments": [3]}},
        {"corefud": {"sentences": {"x": {"comments": ["# weight = 1"]}}}},
        {"corefud": {"sentences": {"1": {"comments": [5]}}}},
        {"ontocorefit": {"utterances": {"1": 0.5}}},
    ],
)
def test_meta_of_another_make_is_refused(meta: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="document a: its meta has another form"):
        record_meta.read_weights(replace(PLAIN, meta=meta))
