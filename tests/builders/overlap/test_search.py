"""Words, queries, order, distance and BM25, in an index on disk."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Sequence
from math import log
from pathlib import Path

import pytest

from corefmill.builders.nlp import Analysis
from corefmill.builders.overlap.search import (
    SLOP,
    Query,
    SentenceIndex,
    build_index,
    contains_phrase,
    index_words,
    make_query,
)
from corefmill.corpora.files.errors import DataError
from tests.builders.wikicrem.passages import words_of

pytest.importorskip("tantivy", reason="needs the extra overlap")


def indexed(folder: Path, texts: Sequence[str]) -> SentenceIndex:
    """An index of these sentences of a book."""
    build_index(folder, [{"title": "book", "sentences": texts}])
    return SentenceIndex(folder)


def query(phrase: str, content: str) -> Query:
    return Query(tuple(phrase.split()), tuple(content.split()), "")


def test_words_are_those_of_whoosh() -> None:
    text = "The man couldn't lift U.S.A. x_y 3.5, if you will"
    assert index_words(text) == ["man", "couldn", "lift", "u.s.a", "x_y", "3.5"]


@pytest.mark.parametrize(
    ("phrase", "text", "found"),
    [
        ("aa bb", "aa" + " xx" * (SLOP - 1) + " bb", True),
        ("aa bb", "aa" + " xx" * SLOP + " bb", False),
        ("aa bb", "bb aa", False),
        ("aa bb", "aa" + " xx" * SLOP + " aa bb", True),
        # The first a is too far from b, and the first b too far from c.
        ("aa bb cc", "aa bb xx bb" + " xx" * (SLOP - 1) + " cc", True),
        ("aa bb cc", "aa bb" + " xx" * SLOP + " cc", False),
        ("aa aa", "aa", False),
        ("aa aa", "aa xx aa", True),
    ],
)
def test_a_phrase_stands_in_order_and_within_the_slop(
    phrase: str, text: str, found: bool, tmp_path: Path
) -> None:
    assert contains_phrase(phrase.split(), text.split()) is found
    hits = indexed(tmp_path, [f"{text} dd", "no"]).search(query(phrase, "dd"), 9)
    assert [hit.number for hit in hits] == [0] * found


TEXTS = ["ann saw eve", "bob saw big dog run", "eve ran", "nobody came so all too late"]


def test_the_score_is_whooshs_sum_of_the_words_that_are_there(tmp_path: Path) -> None:
    first, second = indexed(tmp_path, TEXTS).search(query("saw", "eve bob"), 5)
    # N = 4, "saw" stands in two sentences, "bob" in one; 16 words in all, 5 of them here.
    norm = 2.2 / (1 + 1.2 * (0.25 + 0.75 * 5 / 4))
    assert (first.text, second.text) == (TEXTS[0], TEXTS[1])
    assert second.score == pytest.approx((log(4 / 3) + 1 + log(4 / 2) + 1) * norm, abs=5e-4)
    assert second.matched == ("saw", "bob")


def test_a_word_of_the_phrase_and_the_content_counts_twice(tmp_path: Path) -> None:
    index = indexed(tmp_path, TEXTS)
    (once,) = index.search(query("ran", "eve"), 1)
    (twice,) = index.search(query("ran", "eve ran"), 1)
    norm = 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 4))
    assert twice.score - once.score == pytest.approx((log(4 / 2) + 1) * norm, abs=1e-3)
    # One content word is needed.
    assert [hit.number for hit in index.search(query("saw", "eve none"), 5)] == [0]
    assert index.search(query("saw", "none"), 5) == []
    assert index.search(query("none", "eve"), 5) == []


def test_all_sentences_are_searched_and_of_equal_ones_the_first_come_first(tmp_path: Path) -> None:
    draw = random.Random(0)
    texts = [" ".join(draw.choices(["aa", "bb", "cc"], k=4)) for _ in range(900)]
    asked = query("aa bb", "cc")
    meeting = [
        number
        for number, text in enumerate(texts)
        if contains_phrase(asked.phrase, text.split()) and "cc" in text
    ]
    index = indexed(tmp_path, texts)
    every = index.search(asked, 900)
    assert sorted(hit.number for hit in every) == meeting
    assert every == sorted(every, key=lambda one: (-one.score, one.number))
    assert len(Counter(hit.score for hit in every)) > 1
    for top in (1, 7, 100):
        assert index.search(asked, top) == every[:top]


def test_what_a_kill_left_is_made_anew_and_a_finished_index_kept(tmp_path: Path) -> None:
    (tmp_path / "tantivy.unfinished").mkdir()
    (tmp_path / "tantivy.unfinished" / "meta.json").write_text("{")
    assert indexed(tmp_path, TEXTS).sentences == 4
    assert indexed(tmp_path, ["another"]).sentences == 4
    # An index that lost its files is refused.
    shutil.rmtree(tmp_path / "tantivy")
    (tmp_path / "tantivy").mkdir()
    with pytest.raises(DataError, match="broken"):
        SentenceIndex(tmp_path)


def _tagged(forms: str, upos: str) -> Analysis:
    return Analysis(forms, words_of(forms), ((0, len(forms)),), (), upos=tuple(upos.split()))


def test_a_query_does_with_coarse_tags() -> None:
    made = make_query(_tagged("Anna vede il cane", "PROPN VERB DET NOUN"))
    assert not isinstance(made, str)
    assert (made.phrase, made.content) == (("vede",), ("il", "cane"))
    assert make_query(_tagged("the cat", "DET NOUN")) == "no_predicate"
    assert make_query(_tagged("Ann saw", "PROPN VERB")) == "no_content"
