"""Which filters are in force, and the refusal of one that does not exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.options import FILTERS, ON_CORPUS, SENTENCES, WikicremOptions
from corefmill.corpora.files.errors import UsageError


def asked(lang: str = "en", **more: Any) -> WikicremOptions:
    return WikicremOptions(lang=lang, nlp="tiny", **more)


def of_language(unasked: str) -> tuple[str, ...]:
    return tuple(name for name in FILTERS if name != unasked)


def test_clean_mode_has_every_filter_of_its_language_and_paper_mode_none() -> None:
    english, dutch = (asked(lang) for lang in ("en", "nl"))
    assert english.filters == of_language("rival_pronoun")
    assert dutch.filters == of_language("doubtful")
    assert asked(mode="paper").filters == ()


def test_the_longest_passage_is_clean_modes_to_choose() -> None:
    assert asked().most_sentences == SENTENCES
    assert asked(sentences=1).most_sentences == 1
    with pytest.raises(UsageError, match="--sentences is clean mode's"):
        asked(mode="paper", sentences=2)


@pytest.mark.parametrize(
    ("lang", "mode", "without"),
    [("en", "paper", ()), ("nl", "clean", ()), ("en", "clean", ("doubtful",))],
)
def test_a_least_confidence_that_nothing_asks_for_is_refused(
    lang: str, mode: str, without: tuple[str, ...]
) -> None:
    assert asked(min_confidence=0.8).min_confidence == 0.8
    with pytest.raises(UsageError, match="--min-confidence is asked by the filter doubtful"):
        asked(lang, mode=mode, without=without, min_confidence=0.8)


def test_filters_have_names_of_their_own() -> None:
    assert len(set(FILTERS)) == len(FILTERS) == len(SURFACE) + len(SYNTAX) + len(ON_CORPUS)


def test_without_takes_filters_out_and_keeps_the_order() -> None:
    options = asked(without=("quoted", "repeated_passage", "quoted"))
    left = [
        name for name in of_language("rival_pronoun") if name not in ("quoted", "repeated_passage")
    ]
    assert options.filters == tuple(left)


@pytest.mark.parametrize("mode", ["clean", "paper"])
def test_an_unknown_filter_is_refused_with_the_legal_ones(mode: str) -> None:
    with pytest.raises(UsageError, match="no filter 'qouted'") as caught:
        asked(mode=mode, without=("qouted",))
    assert all(name in str(caught.value) for name in FILTERS)


def test_what_decides_the_corpus_is_in_its_identity() -> None:
    held = asked(mode="paper", workers=3, out=Path("x"), dump="sample").identity()
    assert held == {
        "lang": "en",
        "nlp": "tiny",
        "validation": None,
        "per_source": None,
        "balance": None,
        "mode": "paper",
        "without": (),
        "sentences": None,
        "min_confidence": None,
        "persons": None,
    }
