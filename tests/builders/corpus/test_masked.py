"""Masked examples are judged together and split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.corpus.masked import (
    REASONS,
    ExampleVerdicts,
    JudgedContents,
    judge_examples,
)
from corefmill.builders.run.job import RunResult
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example, finished, mill

ON_CORPUS = ("links_to_no_person", "repeated_passage")
# By filter: what the second of two examples has to be dropped, and what the near miss has.
CASES: dict[str, list[tuple[MaskedExample, MaskedExample]]] = {
    "links_to_no_person": [
        (example(2, links={"Bob": "Mill"}), example(2, links={"Bob": "Ann"})),
        (example(2, links={"Ann": "Mill"}), example(2)),
    ],
    "repeated_passage": [
        (example(1, article=2), example(2, article=2)),
        (
            example(9, text="ANN met BOB. Ann LEFT  1."),
            replace(example(9, text="Ann met Bob. Ann left 1."), target=(8, 11)),
        ),
    ],
}


def judged(
    tmp_path: Path, examples: list[MaskedExample], filters: Sequence[str] = ON_CORPUS, **more: Any
) -> ExampleVerdicts:
    asked = {"validation": 0, "limit": None, "seed": 0, "banned": ("Mill",), **more}
    return judge_examples(finished(tmp_path / "out", examples), filters, **asked)


@pytest.mark.parametrize(
    ("reason", "number"), [(name, n) for name, pairs in CASES.items() for n in range(len(pairs))]
)
def test_a_filter_on_the_corpus(tmp_path: Path, reason: str, number: int) -> None:
    stopped, near_miss = CASES[reason][number]
    # The last examples lie in another shard than the first.
    for name, second, rejected in (("a", stopped, {reason: 1}), ("b", near_miss, {})):
        verdicts = judged(tmp_path / name, [example(1), second])
        assert not verdicts.faults[0]
        assert verdicts.count_rejects() == rejected
    assert judged(tmp_path / "c", [example(1), stopped], (), banned=()).count_rejects() == {}


@pytest.mark.parametrize(
    ("numbers", "limit", "reasons"),
    [
        # A passage that fell for its links is not the first of its like.
        ("M11", None, ["links_to_no_person", "", "repeated_passage"]),
        # The limit counts what is left.
        ("11234", 2, ["", "repeated_passage", "", "over_limit", "over_limit"]),
    ],
)
def test_one_reason_leads_to_the_next(
    tmp_path: Path, numbers: str, limit: int | None, reasons: list[str]
) -> None:
    linked = example(1, links={"Bob": "Mill"})
    examples = [linked if one == "M" else example(int(one)) for one in numbers]
    verdicts = judged(tmp_path, examples, limit=limit)
    assert [REASONS[fault] for fault in verdicts.faults] == reasons
    assert verdicts.count_rejects() == Counter(filter(None, reasons))


def many(articles: int, each: int) -> list[MaskedExample]:
    """Examples of one sentence, since those of two would all have the first in common."""
    made = (example(n, article=n // each) for n in range(articles * each))
    return [replace(one, sentences=((0, len(one.text)),)) for one in made]


def test_validation_is_whole_articles(tmp_path: Path) -> None:
    examples = many(10, 3)
    verdicts = judged(tmp_path, examples, validation=7)
    assert sum(verdicts.validation) == 6
    by_article = Counter(
        e.source.page_id for e, v in zip(examples, verdicts.validation, strict=True) if v
    )
    assert set(by_article.values()) == {3}


@pytest.mark.parametrize(("validation", "size"), [(0, 0), (1, 0), (3, 3), (99, 30), (None, 0)])
def test_sizes_of_the_validation_split(tmp_path: Path, validation: int | None, size: int) -> None:
    """A fifth of thirty examples measures nothing."""
    assert sum(judged(tmp_path, many(10, 3), validation=validation).validation) == size


def test_the_seed_decides_the_split_and_nothing_else(tmp_path: Path) -> None:
    examples = many(40, 1)
    draws = [
        judged(tmp_path / name, examples, validation=10, seed=seed)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert draws[0] == draws[1]
    assert draws[0].validation != draws[2].validation
    assert draws[0].faults == draws[2].faults


class Mills(JudgedContents):
    """Examples of mills, those with links to one aside."""

    @staticmethod
    def find_banned(result: RunResult) -> tuple[str, ...]:
        return ("Mill",)

    @staticmethod
    def reasons(mode: str) -> tuple[str, ...]:
        return ("dry", "styled")


def chosen(
    tmp_path: Path, result: RunResult, validation: int | None = 2
) -> AbstractContextManager[Mills]:
    return Mills.select(mill(tmp_path), result, filters=ON_CORPUS, validation=validation)


def test_splits_hold_what_was_chosen_in_the_order_of_the_input(tmp_path: Path) -> None:
    examples = [*many(6, 1), example(0, article=9)]
    with chosen(tmp_path, finished(tmp_path, examples)) as choice:
        train, validation = list(choice.split("train")), list(choice.split("validation"))
        dropped = list(choice.read_rejects())
        assert choice.warnings == ()
    assert (len(train), len(validation)) == (4, 2)
    assert sorted([*train, *validation], key=lambda e: e.id) == examples[:6]
    assert train == [example for example in examples if example in train][: len(train)]
    assert [raw["reason"] for raw in dropped] == ["repeated_passage"]
    assert dropped[0]["record"]["source"]["title"] == "Article 9"


def test_too_few_articles_for_a_split_are_a_warning(tmp_path: Path) -> None:
    with chosen(tmp_path, finished(tmp_path, many(2, 3)), 1) as choice:
        assert len(choice.warnings) == 1
        assert len(list(choice.split("train"))) == 6


def test_rejects_are_counted_by_stage(tmp_path: Path) -> None:
    drafts, given = {"dry": 3, "styled": 2}, {"page_too_large": 1, "window_too_long": 4}
    result = finished(tmp_path, [example(1), example(1)], rejects={**drafts, **given})
    with chosen(tmp_path, result, 0) as contents:
        corpus = {"repeated_passage": 1}
        assert contents.rejects == {"input": given, "draft": drafts, "corpus": corpus}


@pytest.mark.parametrize("examples", [[], [example(1, links={"Bob": "Mill"})]])
def test_no_example_at_all_is_an_error_that_says_why(
    tmp_path: Path, examples: list[MaskedExample]
) -> None:
    rejects = {"quoted": 1200, "styled": 3, "length": 7, "joined": 2}
    result = finished(tmp_path, examples, rejects=rejects)
    with (
        pytest.raises(DataError, match=r"no example was found.*quoted 1,200, length 7, styled 3"),
        chosen(tmp_path, result),
    ):
        pass
