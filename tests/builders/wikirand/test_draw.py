"""The validation split, exact in size and of whole articles as far as that goes."""

from __future__ import annotations

from corefmill.builders.wikirand.draw import draw_validation


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
