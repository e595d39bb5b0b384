"""Which filters are in force, and the refusal of one that does not exist."""

from __future__ import annotations

import pytest

from corefmill.builders.wikicrem.options import FILTERS, SENTENCES, WikicremOptions
from corefmill.corpora.files.errors import UsageError


def of_language(unasked: str) -> tuple[str, ...]:
    return tuple(name for name in FILTERS if name != unasked)


def test_clean_mode_has_every_filter_of_its_language_and_paper_mode_none() -> None:
    english, dutch = (WikicremOptions.make(lang, "clean", "tiny") for lang in ("en", "nl"))
    assert english.filters == of_language("rival_pronoun")
    assert dutch.filters == of_language("doubtful")
    assert WikicremOptions.make("en", "paper", "tiny").filters == ()


def test_the_longest_passage_is_clean_modes_to_choose() -> None:
    assert WikicremOptions.make("en", "clean", "tiny").sentences == SENTENCES
    assert WikicremOptions.make("en", "clean", "tiny", sentences=1).sentences == 1
    with pytest.raises(UsageError, match="--sentences is clean mode's"):
        WikicremOptions.make("en", "paper", "tiny", sentences=2)


@pytest.mark.parametrize(
    ("lang", "mode", "without"),
    [("en", "paper", ()), ("nl", "clean", ()), ("en", "clean", ("doubtful",))],
)
def test_a_least_confidence_that_nothing_asks_for_is_refused(
    lang: str, mode: str, without: tuple[str, ...]
) -> None:
    assert WikicremOptions.make("en", "clean", "tiny", least=0.8).least == 0.8
    with pytest.raises(UsageError, match="--least is asked by the filter doubtful"):
        WikicremOptions.make(lang, mode, "tiny", without, least=0.8)  # type: ignore[arg-type]


def test_without_takes_filters_out_and_keeps_the_order() -> None:
    options = WikicremOptions.make("en", "clean", "tiny", ("quoted", "repeated_passage", "quoted"))
    left = [
        name for name in of_language("rival_pronoun") if name not in ("quoted", "repeated_passage")
    ]
    assert options.filters == tuple(left)


@pytest.mark.parametrize("mode", ["clean", "paper"])
def test_an_unknown_filter_is_refused_with_the_legal_ones(mode: str) -> None:
    with pytest.raises(UsageError, match="no filter 'qouted'") as caught:
        WikicremOptions.make("en", mode, "tiny", ("qouted",))  # type: ignore[arg-type]
    assert all(name in str(caught.value) for name in FILTERS)
