"""Which tokens are masked, and what the record of a masked word holds."""

from __future__ import annotations

import re
from typing import Any

import pytest

from corefmill.builders.wikirand.stages import example, is_word

TEXT = "The mill, the old mill of 1851, stood by the river."


def _passage(number: int = 0) -> dict[str, Any]:
    return {
        "id": f"mill-{number}",
        "text": TEXT,
        "spans": [[0, len(TEXT)]],
        "tokens": [match.span() for match in re.finditer(r"\w+|[^\w\s]", TEXT)],
        "source": {"title": "Mill", "page_id": 1, "paragraph": 0},
    }


@pytest.mark.parametrize(
    ("token", "anywhere", "in_paper"),
    [
        ("mill", True, True),
        ("Mühle", True, False),
        ("हिन्दी", True, False),
        ("a", False, False),
        ("1851", False, False),
        ("three-pointer", False, False),
        ("'s", False, False),
        (",", False, False),
    ],
)
def test_words_are_two_letters_or_more(token: str, anywhere: bool, in_paper: bool) -> None:
    assert is_word(token, ascii_only=False) == anywhere
    assert is_word(token, ascii_only=True) == in_paper


def test_the_wrong_word_is_never_the_right_one_in_other_case() -> None:
    vocabulary = ["MILL", "THE", "The", "mill", "old", "of", "river", "stood", "by"]
    for number in range(200):
        made = example(_passage(number), vocabulary, lang="en", mode="clean", seed=0)
        left, right = made.candidates
        assert left.casefold() != right.casefold()
        assert made.answer == TEXT[slice(*made.target)]


def test_all_other_occurrences_of_both_words_are_mentions() -> None:
    made = next(
        made
        for number in range(200)
        if (made := example(_passage(number), ["mill", "xy"], lang="en", mode="clean", seed=0))
        and made.answer == "the"
        and "mill" in made.candidates
    )
    the, mill = made.candidates.index("the"), made.candidates.index("mill")
    expected = {(the, 0, 3), (mill, 4, 8), (the, 10, 13), (mill, 18, 22), (the, 41, 44)}
    assert set(made.mentions) == expected - {(the, *made.target)}


def test_the_right_word_comes_first_in_paper_mode_and_anywhere_else() -> None:
    def labels(mode: str) -> set[int | None]:
        return {
            example(_passage(number), ["xy", "zz"], lang="en", mode=mode, seed=0).label
            for number in range(40)
        }

    assert labels("paper") == {0}
    assert labels("clean") == {0, 1}


def test_every_word_of_the_passage_may_be_masked() -> None:
    masked = {
        example(_passage(number), ["xy", "zz"], lang="en", mode="clean", seed=0).target
        for number in range(400)
    }
    every_word = [match.span() for match in re.finditer("[A-Za-z]+", TEXT)]
    assert sorted(masked) == every_word
