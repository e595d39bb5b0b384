"""The validation split, exact in size and of whole articles as far as that goes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from corefmill.builders.wikirand.draw import draw_validation
from corefmill.builders.wikirand.quotas import Cell, Quotas, allocate
from corefmill.corpora.files.errors import CorefmillError
from tests.builders.wikirand.small import write_corpus


def test_whole_articles_where_they_add_up() -> None:
    articles = [1, 1, 2, 3, 3, 3, 4]
    drawn = draw_validation(articles, range(7), 3, seed=0)
    assert sum(drawn) == 3
    assert not {a for a, d in zip(articles, drawn, strict=True) if d} & {
        a for a, d in zip(articles, drawn, strict=True) if not d
    }


def test_part_of_one_article_where_they_do_not() -> None:
    # Three articles of four examples each cannot give six.
    articles = [1] * 4 + [2] * 4 + [3] * 4
    drawn = draw_validation(articles, range(12), 6, seed=0)
    by_article = [sum(drawn[start : start + 4]) for start in (0, 4, 8)]
    assert sorted(by_article) == [0, 2, 4]


def test_none_wanted() -> None:
    assert sum(draw_validation([1, 1, 2], range(3), 0, seed=0)) == 0


def test_the_part_of_an_article_is_of_whole_groups() -> None:
    # The first group of the only article has three examples, which are too many.
    drawn = draw_validation([1] * 6, [0, 1, 0, 1, 0, 5], 2, seed=0)
    assert list(drawn) == [0, 1, 0, 1, 0, 0]


def test_enough_of_every_size_is_taken_as_wanted() -> None:
    wanted = {Cell(1, 10): 3, Cell(2, 30): 2}
    assert allocate(wanted, {Cell(1, 10): 9, Cell(2, 30): 2, Cell(1, 11): 5}) == Counter(wanted)


def test_what_is_missing_comes_from_the_nearest_length_the_shorter_first() -> None:
    supply = {Cell(1, 10): 1, Cell(1, 9): 1, Cell(1, 11): 1, Cell(1, 12): 8}
    assert allocate({Cell(1, 10): 4}, supply) == {
        Cell(1, 10): 1,
        Cell(1, 9): 1,
        Cell(1, 11): 1,
        Cell(1, 12): 1,
    }


def test_a_size_lends_only_what_it_does_not_want_itself() -> None:
    wanted = {Cell(1, 10): 3, Cell(1, 11): 2}
    taken = allocate(wanted, {Cell(1, 10): 1, Cell(1, 11): 3})
    assert taken == {Cell(1, 10): 1, Cell(1, 11): 3}


def test_neither_two_sentences_nor_a_far_length_stand_in() -> None:
    assert not allocate({Cell(1, 10): 3}, {Cell(2, 10): 5, Cell(1, 14): 5})


def test_a_corpus_is_counted(tmp_path: Path) -> None:
    sizes = {Cell(1, 10): 3, Cell(2, 30): 2}
    quotas = Quotas.of_corpus(write_corpus(tmp_path / "like", sizes, validation=2), "en")
    assert (dict(quotas.wanted), quotas.validation, quotas.total) == (sizes, 2, 5)


def test_what_is_no_corpus_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(CorefmillError, match=r"no corpus is here.*build wikicrem --lang en"):
        Quotas.of_corpus(tmp_path, "en")


def test_a_corpus_of_another_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorefmillError, match=r"'en' is no measure for 'de'"):
        Quotas.of_corpus(write_corpus(tmp_path / "like", {Cell(1, 10): 1}), "de")


def test_a_unit_keeps_its_share_of_an_input_of_known_size() -> None:
    quotas = Quotas({Cell(1, 10): 100}, 0, "", "clean", "", inputs=[1], characters=1000)
    whole, share = quotas.for_inputs([2]), quotas.for_inputs([1])
    # Four times the share and four; of the whole corpus where its size is not known.
    assert whole.room(Cell(1, 10), 50) == 4 * 100 + 4
    assert share.room(Cell(1, 10), 50) == 4 * 100 * 50 // 1000 + 4
    assert (share.room(Cell(1, 12), 50), share.room(Cell(1, 14), 50)) == (4, 0)
