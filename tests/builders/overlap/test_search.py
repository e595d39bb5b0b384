"""Order, distance and BM25."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.overlap.query import Query
from corefmill.builders.overlap.search import BM25, rounded, search
from tests.builders.overlap.made import InMemory


def stands(phrase: Sequence[str], words: Sequence[str], slop: int) -> bool:
    """Whether a sentence of these words, behind another, meets the phrase."""
    asked = query(" ".join(phrase), slop=slop)
    found = search(InMemory([" ".join(phrase[:1]), " ".join(words)]), asked, BM25(), 9)
    return 1 in [hit.number for hit in found.best]


def query(phrase: str, content: str = "", slop: int = 10, needs_content: bool = False) -> Query:
    words, more = tuple(phrase.split()), tuple(content.split())
    return Query(words, more, tuple(dict.fromkeys((*words, *more))), needs_content, slop, "")


@pytest.mark.parametrize(
    ("phrase", "text", "slop", "found"),
    [
        ("a b", "a x b", 2, True),
        ("a b", "a x x b", 2, False),
        ("a b", "b a", 2, False),
        ("a b", "a x x a b", 2, True),
        # The first a is too far from b, and the first b too far from c.
        ("a b c", "a b x b x c", 3, True),
        ("a b c", "a b x x x c", 3, False),
        ("a a", "a", 3, False),
        ("a a", "a x a", 3, True),
        ("", "a", 3, False),
    ],
)
def test_a_phrase_stands_in_order_and_within_the_slop(
    phrase: str, text: str, slop: int, found: bool
) -> None:
    assert stands(phrase.split(), text.split(), slop) is found


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=4),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=8),
    st.integers(1, 4),
)
def test_a_phrase_stands_where_some_choice_of_places_does(
    phrase: list[str], words: list[str], slop: int
) -> None:
    def anywhere(rest: list[str], after: int) -> bool:
        return not rest or any(
            words[place] == rest[0] and anywhere(rest[1:], place)
            for place in range(after + 1, min(len(words), after + slop + 1))
        )

    starts = [place for place, word in enumerate(words) if word == phrase[0]]
    assert stands(phrase, words, slop) is any(anywhere(phrase[1:], place) for place in starts)


TEXTS = ["ann saw eve", "bob saw a dog run", "eve ran", "nobody came at all to it"]


def test_the_score_is_the_sum_of_the_words_that_are_there() -> None:
    found = search(InMemory(TEXTS), query("saw", "eve run"), BM25(k1=1.2, b=0.75), top=1)
    # N = 4, "saw" and "eve" stand in two sentences each; 16 words in all, 3 of them here.
    weight = log(4 / 3) + 1
    assert found.score == pytest.approx(2 * weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 4)))
    assert found.number == 2
    assert found.best[0].matched == ("saw", "eve")


@pytest.mark.parametrize(
    ("idf", "value"),
    [("whoosh", log(4 / 3) + 1), ("robertson", log(2.5 / 2.5)), ("lucene", log(1 + 2.5 / 2.5))],
)
def test_idf_has_three_forms(idf: str, value: float) -> None:
    found = search(InMemory(TEXTS), query("saw"), BM25(k1=1.2, b=0, idf=idf), top=1)
    assert found.score == pytest.approx(value)


def test_content_words_are_optional_unless_the_query_needs_one() -> None:
    assert search(InMemory(TEXTS), query("saw", "it"), BM25(), 5).number == 2
    assert search(InMemory(TEXTS), query("saw", "it", needs_content=True), BM25(), 5).number == 0


def test_of_equal_sentences_the_first_comes_first() -> None:
    found = search(InMemory(["a b", "a b", "a b"]), query("a b"), BM25(), 2)
    assert [hit.number for hit in found.best] == [0, 1]
    assert found.number == 3


@pytest.mark.parametrize(
    ("length", "kept"), [(0, 0), (10, 10), (11, 12), (15, 16), (50, 52), (9999, 9999)]
)
def test_lengths_are_rounded_up_as_whoosh_does(length: int, kept: int) -> None:
    assert rounded(np.array([length])).tolist() == [kept]


@settings(deadline=None, max_examples=50)
@given(
    texts=st.lists(
        st.lists(st.sampled_from("abcd"), min_size=1, max_size=9).map(" ".join), min_size=1
    ),
    phrase=st.lists(st.sampled_from("abe"), min_size=1, max_size=3).map(" ".join),
    slop=st.integers(1, 4),
    needs=st.booleans(),
)
def test_many_sentences_are_found_as_few_are(
    texts: list[str], phrase: str, slop: int, needs: bool
) -> None:
    asked, made = query(phrase, "d e", slop, needs), InMemory(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corefmill.builders.overlap.search._FEW", 0)
        together = search(made, asked, BM25(), 5)
    alone = search(made, asked, BM25(), 5)
    assert together.number == alone.number
    for one, other in zip(together.best, alone.best, strict=True):
        assert one.score == pytest.approx(other.score)
