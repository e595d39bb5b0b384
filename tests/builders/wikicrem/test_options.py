"""Which filters are in force, and the refusal of one that does not exist."""

from __future__ import annotations

import pytest

from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.options import FILTERS, ON_CORPUS, WikicremOptions
from corefmill.corpora.errors import UsageError


def test_clean_mode_has_every_filter_and_paper_mode_none() -> None:
    assert WikicremOptions.make("en", "clean", "tiny").filters == FILTERS
    assert WikicremOptions.make("en", "paper", "tiny").filters == ()


def test_filters_have_names_of_their_own() -> None:
    assert len(set(FILTERS)) == len(FILTERS) == len(SURFACE) + len(SYNTAX) + len(ON_CORPUS)


def test_without_takes_filters_out_and_keeps_the_order() -> None:
    options = WikicremOptions.make("en", "clean", "tiny", ("quoted", "repeated_passage", "quoted"))
    left = [name for name in FILTERS if name not in ("quoted", "repeated_passage")]
    assert options.filters == tuple(left)


@pytest.mark.parametrize("mode", ["clean", "paper"])
def test_an_unknown_filter_is_refused_with_the_legal_ones(mode: str) -> None:
    with pytest.raises(UsageError, match="no filter 'qouted'") as caught:
        WikicremOptions.make("en", mode, "tiny", ("qouted",))  # type: ignore[arg-type]
    assert all(name in str(caught.value) for name in FILTERS)


def test_options_are_json_for_the_manifest() -> None:
    assert WikicremOptions.make("en", "paper", "tiny").as_json() == {
        "lang": "en",
        "mode": "paper",
        "nlp": "tiny",
        "filters": (),
    }
