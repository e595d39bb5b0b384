"""Which tokens are masked, and what the record of a masked word holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.wikirand.build import draw_validation
from corefmill.builders.wikirand.quotas import Cell, Quotas, allocate
from corefmill.builders.wikirand.stages import is_word, make_example
from corefmill.corpora.files.errors import CorefmillError
from tests.builders.wikirand.small import write_corpus

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
        ("1851", False, False),
        ("three-pointer", False, False),
        (",", False, False),
    ],
)
def test_words_are_two_letters_or_more(token: str, anywhere: bool, in_paper: bool) -> None:
    assert is_word(token, ascii_only=False) == anywhere
    assert is_word(token, ascii_only=True) == in_paper


def test_the_wrong_word_is_never_the_right_one_in_other_case() -> None:
    vocabulary = ["MILL", "THE", "The", "mill", "old", "of", "river", "stood", "by"]
    for number in range(200):
        made = make_example(_passage(number), vocabulary, lang="en", mode="clean", seed=0)
        left, right = made.candidates
        assert left.casefold() != right.casefold()
        assert made.answer == TEXT[slice(*made.target)]


def test_all_other_occurrences_of_both_words_are_mentions() -> None:
    made = next(
        made
        for number in range(200)
        if (made := make_example(_passage(number), ["mill", "xy"], lang="en", mode="clean", seed=0))
        and made.answer == "the"
        and "mill" in made.candidates
    )
    the, mill = made.candidates.index("the"), made.candidates.index("mill")
    expected = {(the, 0, 3), (mill, 4, 8), (the, 10, 13), (mill, 18, 22), (the, 41, 44)}
    assert set(made.mentions) == expected - {(the, *made.target)}


def test_whole_articles_where_they_add_up_else_part_of_one() -> None:
    articles = [1, 1, 2, 3, 3, 3, 4]
    drawn = draw_validation(articles, range(7), 3, seed=0)
    assert sum(drawn) == 3
    pairs = {*zip(articles, drawn, strict=True)}
    assert len(pairs) == len({*articles})  # each article is drawn whole, or not
    # Three articles of four examples each cannot give six.
    articles = [1] * 4 + [2] * 4 + [3] * 4
    drawn = draw_validation(articles, range(12), 6, seed=0)
    by_article = [sum(drawn[start : start + 4]) for start in (0, 4, 8)]
    assert sorted(by_article) == [0, 2, 4]
    # The part is of whole groups: the first one of the only article has three examples.
    drawn = draw_validation([1] * 6, [0, 1, 0, 1, 0, 5], 2, seed=0)
    assert list(drawn) == [0, 1, 0, 1, 0, 0]
    # No second article is divided, though one of its groups would fit.
    drawn = draw_validation([1] * 4 + [2] * 4, [0, 1, 1, 1, 4, 5, 5, 5], 2, seed=0)
    assert list(drawn) == [1, 0, 0, 0, 0, 0, 0, 0]


def test_what_is_missing_comes_from_the_nearest_length_the_shorter_first() -> None:
    supply = {Cell(1, 10): 1, Cell(1, 9): 1, Cell(1, 11): 1, Cell(1, 12): 8}
    assert allocate({Cell(1, 10): 4}, supply) == dict.fromkeys(supply, 1)
    # Neither two sentences nor a far length stand in.
    assert not allocate({Cell(1, 10): 3}, {Cell(2, 10): 5, Cell(1, 14): 5})


def test_a_corpus_of_another_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorefmillError, match=r"'en' cannot set the sizes for 'de'"):
        Quotas.count_corpus(write_corpus(tmp_path / "like", {Cell(1, 10): 1}), "de")


def test_a_unit_keeps_its_share_of_an_input_of_known_size() -> None:
    quotas = Quotas({Cell(1, 10): 100}, 0, "", "clean", "", inputs=[1], characters=1000)
    whole, share = quotas.for_inputs([2]), quotas.for_inputs([1])
    # Four times the share and four; of the whole corpus where its size is not known.
    assert whole.compute_room(Cell(1, 10), 50) == 4 * 100 + 4
    assert share.compute_room(Cell(1, 10), 50) == 4 * 100 * 50 // 1000 + 4
    assert (share.compute_room(Cell(1, 12), 50), share.compute_room(Cell(1, 14), 50)) == (4, 0)
