"""Weights of sentences: where each form of a document has them, and what is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora import sentence_weights
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import conll2012, corefud, ontocorefit
from corefmill.corpora.formats.native import DOCUMENTS
from corefmill.corpora.records import Document, Sentence, Token
from corefmill.corpora.sentence_weights import WeightSummary

PLAIN = Document("a", 0, "it", tuple(Sentence((Token(word),)) for word in "xyz"), ())
COMMENTS = {"conll": {"comments": [[1, "# weight = 0.25"], [3, "# weight = 0"]]}}
UTTERANCES = {"ontocorefit": {"utterances": {"1": {"weight": 0.25}, "2": {"weight": None}}}}
LINES = {"corefud": {"sentences": {"1": {"comments": ["sent_id", "#weight= 0.25", "text"]}}}}


def test_a_document_without_weights_has_none() -> None:
    assert sentence_weights.of(PLAIN) is None
    assert sentence_weights.of(replace(PLAIN, meta={"conll": {"comments": [[1, "# x"]]}})) is None
    assert sentence_weights.summary([PLAIN]) is None


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
    assert sentence_weights.of(one) == (1.0, 0.25, 1.0)
    assert sentence_weights.summary([PLAIN, one]) == WeightSummary(3, 2.25 / 3)


@pytest.mark.parametrize("value", ["heavy", "1.5", "-0.1", "nan", "inf"])
def test_no_number_from_0_to_1_is_refused_by_name(value: str) -> None:
    one = replace(PLAIN, meta={"conll": {"comments": [[2, f"# weight = {value}"]]}})
    with pytest.raises(DataError, match=f"document a, sentence 3: the weight '{value}' is no"):
        sentence_weights.of(one)


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
    with pytest.raises(DataError, match="document a: its meta is not what"):
        sentence_weights.of(replace(PLAIN, meta=meta))
