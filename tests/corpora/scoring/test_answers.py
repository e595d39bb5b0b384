"""Accuracy on masked examples."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.corpora.errors import DataError
from corefmill.corpora.records import MaskedExample, Source
from corefmill.corpora.scoring import answers


def example(
    name: str, label: int | None, candidates: tuple[str, ...] = ("Ada", "Eva")
) -> MaskedExample:
    return MaskedExample(
        id=name,
        lang="en",
        text="Ada met Eva because she asked.",
        sentences=((0, 30),),
        target=(20, 23),
        candidates=candidates,
        mentions=(),
        label=label,
        source=Source("", 0),
    )


def by_id(*examples: MaskedExample) -> dict[str, MaskedExample]:
    return {one.id: one for one in examples}


def test_the_right_candidate_or_none() -> None:
    key = by_id(example("1", 0), example("2", 1), example("3", None), example("4", None))
    given = by_id(example("4", 1), example("1", 0), example("2", 0), example("3", None))
    table = answers.count(key, given)
    assert list(table.totals()["accuracy"]) == [2, 4, 2, 4]
    assert [row["accuracy"][0] for _, row in table.by_document()] == [1, 0, 1, 0]


def test_candidates_may_stand_in_another_order() -> None:
    key, given = example("1", 0), example("1", 1, ("Eva", "Ada"))
    assert list(answers.count(by_id(key), by_id(given)).totals()["accuracy"]) == [1, 1, 1, 1]


def test_the_genre_is_the_corpus_own() -> None:
    one = replace(example("1", 0), meta={"genre": "novel"})
    table = answers.count(by_id(one, example("2", 0)), by_id(one, example("2", 1)))
    assert [(name, list(row["accuracy"])) for name, row in table.by_genre()] == [
        ("-", [0, 1, 0, 1]),
        ("novel", [1, 1, 1, 1]),
    ]


@pytest.mark.parametrize(
    ("key", "response", "said"),
    [
        (by_id(), by_id(), "no examples here"),
        (by_id(example("1", 0)), by_id(), "the response lacks 1 of 1 examples, such as 1"),
        (
            by_id(example("1", 0)),
            by_id(example("1", 0), example("2", 0)),
            "the response has more than the key: 1 of 2 examples, such as 2",
        ),
        (
            by_id(example("1", 0)),
            by_id(example("1", 0, ("Ada", "Ida"))),
            "example 1 has other candidates than in the key",
        ),
    ],
)
def test_examples_that_do_not_match(
    key: dict[str, MaskedExample], response: dict[str, MaskedExample], said: str
) -> None:
    with pytest.raises(DataError) as raised:
        answers.count(key, response)
    assert said in str(raised.value)
