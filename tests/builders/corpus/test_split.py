"""Whole articles drawn for validation."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.corpus.split import (
    article_of,
    draw_articles,
    draw_validation,
    hashed,
    split_warnings,
)

ARTICLES = st.lists(st.integers(0, 8), max_size=60)


def test_the_hash_is_the_same_on_every_machine() -> None:
    assert hashed("Ann") == 0xDEF35119F486965E


def test_articles_of_one_title_differ_by_page_and_the_other_way_round() -> None:
    sources = [{"page_id": page, "title": title} for page in (1, 2) for title in ("Ann", "Bob")]
    assert len(set(map(article_of, sources))) == 4
    assert article_of({**sources[0], "paragraph": 3}) == article_of(sources[0])


def test_an_empty_split_is_said() -> None:
    assert split_warnings([0, 1, 1], [0, 0, 1], "examples", 1) == ()
    (none_held_out,) = split_warnings([0, 0], [0, 0], "examples", 1)
    assert "all examples are in train" in none_held_out
    (none_to_train_on,) = split_warnings([1, 0, 1], [0, 2, 0], "documents", None)
    assert "all documents are in validation" in none_to_train_on


def test_no_validation_split_is_no_fault_where_none_was_asked_for() -> None:
    assert split_warnings([0, 0], [0, 0], "examples", 0) == ()


@given(ARTICLES, st.integers(0, 70), st.integers(0, 3))
def test_articles_stay_whole_and_the_size_is_not_passed(
    articles: list[int], wanted: int, seed: int
) -> None:
    chosen = draw_articles(articles, [0] * len(articles), wanted, seed)
    assert sum(chosen) <= wanted
    by_article = {(article, split) for article, split in zip(articles, chosen, strict=True)}
    assert len(by_article) == len(set(articles))


@given(ARTICLES, st.integers(0, 3))
def test_no_article_that_would_still_fit_is_left(articles: list[int], seed: int) -> None:
    wanted = len(articles) // 2
    chosen = draw_articles(articles, [0] * len(articles), wanted, seed)
    left = wanted - sum(chosen)
    rest = Counter(a for a, split in zip(articles, chosen, strict=True) if not split)
    assert not left or all(size > left for size in rest.values())


def test_dropped_examples_do_not_count() -> None:
    chosen = draw_articles([1, 1, 1, 2], [2, 3, 0, 1], 1, 0)
    assert list(chosen) == [1, 1, 1, 0]


def test_the_draw_is_the_seeds() -> None:
    articles, none = list(range(50)), [0] * 50
    draws = [list(draw_articles(articles, none, 10, seed)) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert [sum(draw) for draw in draws] == [10, 10, 10]


def novels(*sizes: int) -> list[int]:
    return [number for number, size in enumerate(sizes) for _ in range(size)]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(0, 3))
def test_by_default_validation_has_thirty_or_five_percent_and_never_more_than_a_fifth(
    sizes: list[int], seed: int
) -> None:
    articles = novels(*sizes)
    chosen = draw_validation(articles, [0] * len(articles), None, seed)
    assert not any(chosen) or max(30, len(articles) // 20) <= sum(chosen) <= len(articles) / 5
    assert len({*zip(articles, chosen, strict=True)}) == len(sizes)


def test_under_150_examples_there_is_no_validation_split() -> None:
    for total, size in ((149, 0), (150, 30)):
        assert sum(draw_validation(range(total), [0] * total, None, 0)) == size


def test_no_validation_split_where_every_source_is_more_than_a_fifth() -> None:
    articles = novels(100, 100, 100)
    assert not any(draw_validation(articles, [0] * 300, None, 0))


def test_a_source_is_not_chosen_by_its_size() -> None:
    """Eight novels once gave one example, that of the poorest; now any that may go goes."""
    articles = novels(1, 8, 15, 43, 27, 53, 62, 40)
    drawn = set()
    for seed in range(40):
        chosen = draw_validation(articles, [0] * len(articles), None, seed)
        assert 30 <= sum(chosen) <= len(articles) / 5
        drawn |= {article for article, one in zip(articles, chosen, strict=True) if one}
    assert drawn >= {2, 3, 4, 7}


def test_of_many_sources_one_in_twenty_and_ten_thousand_at_most() -> None:
    for total, size in ((2000, 100), (300_000, 10_000)):
        assert sum(draw_validation(range(total), bytes(total), None, 1)) == size


def test_dropped_examples_are_no_part_of_any_share() -> None:
    articles, faults = [*range(200), *[500] * 900], [0] * 200 + [1] * 900
    assert sum(draw_validation(articles, faults, None, 0)[:200]) == 30
