"""Which filters are in force, and the refusal of one that does not exist."""

from __future__ import annotations

from typing import Any

import pytest

from corefmill.builders.wikicrem.options import FILTERS, OF_TEXT, SENTENCES, WikicremOptions
from corefmill.corpora.files.errors import UsageError


def asked(lang: str = "en", **more: Any) -> WikicremOptions:
    return WikicremOptions(lang=lang, nlp="tiny", **more)


def test_clean_mode_has_every_filter_and_paper_mode_none() -> None:
    assert asked("nl").filters == asked().filters == FILTERS
    assert asked(mode="paper").filters == ()
    left_out = ("quoted", "repeated_passage", "quoted")
    left = tuple(name for name in asked().filters if name not in left_out)
    assert asked(without=left_out).filters == left


def test_the_longest_passage_is_clean_modes_to_choose() -> None:
    assert asked().most_sentences == SENTENCES
    assert asked(text=("tale.txt",)).most_sentences == OF_TEXT
    assert asked(sentences=1).most_sentences == 1
    with pytest.raises(UsageError, match="--sentences has no effect with --mode paper"):
        asked(mode="paper", sentences=2)


@pytest.mark.parametrize(("mode", "without"), [("paper", ()), ("clean", ("doubtful",))])
def test_a_least_confidence_that_nothing_asks_for_is_refused(
    mode: str, without: tuple[str, ...]
) -> None:
    assert asked(min_confidence=0.8).min_confidence == 0.8
    with pytest.raises(UsageError, match="--min-confidence needs the filter doubtful"):
        asked(mode=mode, without=without, min_confidence=0.8)


@pytest.mark.parametrize("mode", ["clean", "paper"])
def test_an_unknown_filter_is_refused_with_the_legal_ones(mode: str) -> None:
    with pytest.raises(UsageError, match="no filter 'qouted'") as caught:
        asked(mode=mode, without=("qouted",))
    assert all(name in str(caught.value) for name in FILTERS)
