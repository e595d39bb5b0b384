"""Distributions and counts, and where a picture has them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora import manifest
from corefmill.show.corpus import PlacedRecord, opened
from corefmill.show.figures import MOST_BINS, Bin, CountBar, Histogram, PageSurvey, bars, cut_offs
from corefmill.show.pictures import HEIGHT, WIDTH, drawn
from tests.corefmill.show.shown import ITALIAN, built
from tests.corpora.test_records import EVENT

counters = st.dictionaries(st.integers(0, 10**6), st.integers(1, 10**6), min_size=1, max_size=9)


@given(counters, st.lists(st.integers(0, 300), max_size=3).map(tuple))
def test_a_histogram_has_every_value_and_its_picture_room_for_it(
    counts: dict[int, int], cuts: tuple[int, ...]
) -> None:
    histogram = Histogram("t", "Things", counts, cuts)
    bins = histogram.bins()
    assert len(bins) <= MOST_BINS
    assert sum(one.count for one in bins) == histogram.total == sum(counts.values())
    assert all(one.high + 1 == other.low for one, other in pairwise(bins))
    assert histogram.median in counts
    picture = drawn(histogram)
    for bar in picture.bars:
        assert 0 <= bar.x <= bar.x + bar.width <= WIDTH + 1
        assert 0 <= bar.y <= bar.y + bar.height <= HEIGHT
    assert 0 <= picture.median.x <= WIDTH
    assert all(0 <= mark.x <= WIDTH for mark in (*picture.ticks, *picture.cut_offs))
    apart = [mark.x for mark in picture.ticks]
    assert len(apart) < 8 and apart == sorted(apart)


def test_the_last_bar_has_the_hundredth_that_is_far_away() -> None:
    histogram = Histogram("t", "Things", {1: 60, 2: 60, 3: 79, 9_000: 1})
    assert histogram.bins() == [Bin(1, 1, 60), Bin(2, 2, 60), Bin(3, 3, 80)]
    picture = drawn(histogram)
    assert picture.bars[-1].said == "3 and more: 80"
    assert picture.caption == "Things: 200; median 2, from 1 to 9,000."


def test_a_cut_off_is_drawn_unless_it_is_far_away() -> None:
    picture = drawn(Histogram("t", "Things", {10: 1, 50: 1}, (8, 170, 900)))
    assert [one.said for one in picture.cut_offs] == ["cut-off 8", "cut-off 170"]
    assert picture.caption.endswith("; cut off at 8 and 170 and 900.")


def test_weights_are_hundredths() -> None:
    picture = drawn(Histogram("t", "Sentences", {25: 3, 100: 1}, (20,), 0.01))
    assert (picture.median.said, picture.cut_offs[0].said) == ("median 0.25", "cut-off 0.2")


def test_counts_by_name_are_ordered() -> None:
    made = bars("t", {"b": 1, "a": 1, "c": 4}, most=2)
    assert (made.bars, made.others) == ((CountBar("c", 4, 100.0), CountBar("a", 1, 25.0)), 1)


def test_what_is_counted_of_masked_examples(tmp_path: Path) -> None:
    corpus = opened(str(built(tmp_path / "out")), None, None, tmp_path)
    survey = PageSurvey(corpus.schema)
    assert len(list(survey.watch(corpus.records()))) == survey.records == 4
    assert {name: one["examples"] for name, one in survey.figures().items()} == {
        "train": 3,
        "validation": 1,
        "all": 4,
    }
    words, candidates = survey.histograms(corpus.manifest)
    assert (words.counts, words.cut_offs) == ({6: 4}, (8, 170))
    assert (candidates.counts, candidates.cut_offs) == ({2: 4}, ())
    gender, sources = survey.bars()
    assert [(one.name, one.count) for one in gender.bars] == [("female", 3), ("male", 1)]
    assert sources.title == "The largest of 4 sources"


def test_what_is_counted_of_a_translation_and_of_events() -> None:
    survey = PageSurvey("document/1")
    list(survey.watch([PlacedRecord(ITALIAN, "", Path("x"), 1)]))
    assert survey.histograms(None)[-1].counts == {25: 1, 100: 1}
    assert [one.title for one in survey.bars()] == ["What the rules changed"]
    survey = PageSurvey("event-mention/1")
    list(survey.watch([PlacedRecord(EVENT, "", Path("x"), 1)]))
    assert survey.bars()[0].bars == (CountBar("disaster", 1, 100.0),)


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ({"builder": "wikicrem", "options": {"filters": ["length"]}}, (8, 170)),
        ({"builder": "wikicrem", "options": {"filters": []}}, ()),
        ({"builder": "wikicrem", "options": 7}, ()),
        ({"builder": "knowref", "options": {"mode": "clean"}}, (7, 40, 60)),
        ({"builder": "knowref", "options": {"mode": "paper"}}, ()),
        ({"builder": []}, ()),
        (None, ()),
    ],
)
def test_cut_offs_are_those_of_the_builder(
    parts: object, wanted: tuple[int, ...], tmp_path: Path
) -> None:
    made = manifest.read(built(tmp_path / "out"))
    made.build["parts"] = parts
    assert cut_offs(made) == wanted
    assert cut_offs(None) == ()
