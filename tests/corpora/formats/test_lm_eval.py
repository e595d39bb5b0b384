"""Rows of a task for lm-evaluation-harness, and its log, as that writes one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import lm_eval, registry
from corefmill.corpora.formats.form import masked_example
from corefmill.corpora.records import MaskedExample


def example(text: str, target: str, label: int | None = 1, name: str = "e1") -> MaskedExample:
    start = text.index(target)
    span = (start, start + len(target))
    return masked_example(name, "en", text, span, ("Ann", "Eve Lee"), label)


MET = "Ann met Eve Lee. She smiled."


def log_line(row: Any, scores: list[Any], **more: Any) -> str:
    """A line as lm_eval --log_samples writes it, its numbers as strings."""
    answers = [[str(score), "False"] for score in scores]
    return json.dumps(
        {
            "doc_id": 0,
            "doc": dict(row),
            "target": str(row["continuation"]),
            "resps": [[one] for one in answers],
            "filtered_resps": answers,
            "filter": "none",
            "acc": 1.0,
            **more,
        }
    )


def log(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("text", "target", "contexts", "continuation"),
    [
        (MET, "She", ["Ann met Eve Lee. Ann", "Ann met Eve Lee. Eve Lee"], " smiled."),
        ("Ann saw his car.", "his", ["Ann saw Ann's", "Ann saw Eve Lee's"], " car."),
        ("Eve Lee likes her", "her", ["Eve Lee likes Ann", "Eve Lee likes Eve Lee"], "."),
    ],
)
def test_a_row_asks_for_the_text_after_each_candidate(
    text: str, target: str, contexts: list[str], continuation: str
) -> None:
    row = lm_eval.make_row(example(text, target), "mine")
    assert (row["contexts"], row["continuation"]) == (contexts, continuation)
    assert (row["corpus"], row["label"]) == ("mine", 1)


def test_rows_are_read_as_the_examples_that_they_are_of(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    made = [example(MET, "She"), example(MET, "smiled", 0, "e2")]
    assert lm_eval.write(path, ((one, "mine") for one in made)) == 2
    assert registry.detect_format(path) is lm_eval.FORMAT
    assert [one for _, one in lm_eval.read(path)] == made
    with pytest.raises(ValueError, match="no label"):
        lm_eval.make_row(example(MET, "She", None), "mine")


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [([-2.5, -1.5], 1), ([-1.5, -2.5], 0), ([-1.5, -1.5], 0), ([float("-inf"), -9], 1)],
)
def test_a_log_says_what_was_likeliest(tmp_path: Path, scores: list[float], chosen: int) -> None:
    path = log(
        tmp_path / "samples_x.jsonl", log_line(lm_eval.make_row(example(MET, "She"), "c"), scores)
    )
    assert registry.detect_format(path) is lm_eval.FORMAT
    [(line, found)] = lm_eval.read(path)
    assert (line, found) == (1, example(MET, "She", chosen))
    [answer] = lm_eval.read_log(path)
    assert (answer.corpus, answer.right, answer.example.label) == ("c", 1, chosen)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"filtered_resps": [["-1", "False"]]}, "not a log-likelihood for each candidate"),
        ({"filtered_resps": [["nan", "False"], ["-1", "False"]]}, "not a log-likelihood for each"),
        ({"doc": {"contexts": [], "continuation": "."}}, "corpus: Field required"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    row = lm_eval.make_row(example(MET, "She"), "c")
    good = log_line(row, [-1, -2])
    path = log(tmp_path / "s.jsonl", good, log_line(row, [-1, -2], **change))
    with pytest.raises(DataError, match=rf"s\.jsonl:2: .*{said}.*export-task"):
        list(lm_eval.read(path))
