"""KnowRef's two shapes of JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import knowref
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import MaskedExample, Source
from tests.corpora.formats.trials import DATA, read, refused, rewritten, write

TEST, SIXTY = knowref.FORMAT, knowref.LINES_60K
RECORD: dict[str, Any] = {
    "correct_candidate_idx": 1,
    "sentence_with_pronoun": "Ada thanked Eve , because [she] had helped her .",
    "candidate1": ["Eve"],
    "candidate0": ["Ada"],
    "correct_candidate": ["Eve"],
    "original_sentence": ["Ada thanked Bo , because he had helped her ."],
    "oiginal_id": 50,
}
LINE: dict[str, Any] = {
    "original_sentence": "Bo thanked the Hers , because he left .",
    "swapped_sentence": "Ed thanked the Hers , because he left .",
    "candidate0": "Ed",
    "candidate1": "Hers",
    "correct_candidate": "candidate_1",
    "annotation_strength": "5",
}


def test_the_pronoun_in_brackets_is_the_target(path: Path) -> None:
    assert read(TEST, path, json.dumps([RECORD])) == [
        MaskedExample(
            id="1",
            lang="en",
            text="Ada thanked Eve , because she had helped her .",
            sentences=((0, 46),),
            target=(26, 29),
            candidates=("Ada", "Eve"),
            mentions=(),
            label=1,
            source=Source("", 0),
            meta={
                "knowref": {
                    "original_sentence": ["Ada thanked Bo , because he had helped her ."],
                    "oiginal_id": 50,
                }
            },
        )
    ]


def test_of_two_marked_pronouns_the_first_is_the_target_and_there_is_no_answer(path: Path) -> None:
    both = {**RECORD, "sentence_with_pronoun": "Ada met Eve , so [she] let [her] go ."}
    (example,) = read(TEST, path, json.dumps([both]))
    assert example.masked_text == "Ada met Eve , so [MASK] let her go ."
    assert example.label is None and example.meta["unclear"] == "2 pronouns are marked"
    assert json.loads(write(TEST, path, example)) == [both]


def test_the_first_pronoun_of_a_swapped_sentence_is_the_target(path: Path) -> None:
    (example,) = read(SIXTY, path, json.dumps(LINE))
    assert example.masked_text == "Ed thanked the Hers , because [MASK] left ."
    assert example.answer == "Hers"
    assert example.meta["knowref"]["annotation_strength"] == "5"


def test_candidates_that_are_the_same_leave_no_label(path: Path) -> None:
    (example,) = read(TEST, path, json.dumps([{**RECORD, "candidate0": ["Eve"]}]))
    assert (example.candidates, example.label) == (("Eve", "Eve (2)"), None)
    (example,) = read(SIXTY, path, json.dumps({**LINE, "candidate0": "Hers"}))
    assert (example.candidates, example.label) == (("Hers", "Hers (2)"), 1)


@pytest.mark.parametrize(
    "record",
    [
        RECORD,
        {**RECORD, "candidate0": "Ada", "is_pronoun_male": False},
        {**RECORD, "candidate0": ["Eve"]},
        {key: value for key, value in RECORD.items() if not key.startswith("correct")},
        dict(reversed(RECORD.items())),
        {**RECORD, "more": {"deep": [None, 1.5]}},
    ],
)
def test_whatever_stands_in_a_record_is_written_again(path: Path, record: dict[str, Any]) -> None:
    examples = read(TEST, path, json.dumps([record, RECORD]))
    again = json.loads(write(TEST, path, *examples))
    assert again == [record, RECORD]
    assert list(again[0]) == list(record)
    # Without an array, a record a line is read as well.
    assert read(TEST, path, f"{json.dumps(record)}\n{json.dumps(RECORD)}\n") == examples


@pytest.mark.parametrize(
    ("form", "change", "message"),
    [
        (TEST, {"sentence_with_pronoun": "no brackets"}, "has no pair of brackets"),
        (TEST, {"sentence_with_pronoun": "[a] b]"}, "or an odd one"),
        (TEST, {"candidate0": ["Ada", "Eve"]}, "candidate0 is not a string"),
        (TEST, {"correct_candidate": ["Bo"]}, "correct_candidate 'Bo' is neither candidate"),
        (SIXTY, {"swapped_sentence": "Ed left ."}, "no pronoun in swapped_sentence"),
        (SIXTY, {"correct_candidate": "Ed"}, "correct_candidate 'Ed' is not candidate_0"),
    ],
)
def test_a_record_that_breaks_a_rule_is_named(
    path: Path, form: Format, change: dict[str, Any], message: str
) -> None:
    if form is TEST:
        content, line = json.dumps([RECORD, {**RECORD, **change}], indent=0), 19
    else:
        content, line = f"{json.dumps(LINE)}\n{json.dumps({**LINE, **change})}\n", 2
    error = refused(form, path, content)
    assert (error.line, error.message[:9]) == (line, "record 2:")
    assert message in error.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"candidates": ("a", "b", "c")}, "the example has 3 candidates"),
        (
            {"text": "[Ada] thanked Eve , because [she] had helped he"},
            "the text holds brackets",
        ),
        ({"meta": {"knowref": 7}}, "meta.knowref is not an object"),
        ({"meta": {"knowref_keys": ["x"]}}, "meta.knowref_keys names keys that are not there"),
    ],
)
def test_what_the_shape_cannot_carry_is_refused(
    path: Path, change: dict[str, Any], message: str
) -> None:
    (example,) = read(TEST, path, json.dumps([RECORD]))
    with pytest.raises(DataError, match=f"example 1: {message}"):
        write(TEST, path, replace(example, **change))


@pytest.mark.skipif(not DATA.is_dir(), reason=f"needs KnowRef in {DATA}")
def test_the_released_records(path: Path) -> None:
    examples = rewritten(TEST, DATA / "knowref" / "knowref_test_first300.json", path)
    assert Counter(example.label for example in examples) == {0: 151, 1: 148, None: 1}
    assert "knowref_keys" not in {key for example in examples for key in example.meta}
    kept = [example.meta["knowref"] for example in examples]
    # In 80 records the number says the other candidate, and one has the same candidate twice.
    assert sum("correct_candidate_idx" in values for values in kept) == 81
    assert sum("correct_candidate" in values for values in kept) == 1
