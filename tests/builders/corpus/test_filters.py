"""Which filters are in force, and what the card says of those that cannot work."""

from __future__ import annotations

import pytest

from corefmill.builders.corpus.filters import chosen, described, idle_warnings
from corefmill.corpora.errors import UsageError


def test_all_but_those_left_out_in_their_order() -> None:
    assert chosen(("wet", "dry", "old"), {"dry"}) == ("wet", "old")
    assert chosen(("wet", "dry", "old"), {"dry"}, ("dry", "old")) == ("old",)


def test_a_name_that_no_filter_has_is_refused() -> None:
    with pytest.raises(
        UsageError, match=r"no filter 'dryy', did you mean dry\?; there are wet, dry"
    ):
        chosen(("wet", "dry"), ("dryy",), ())


def test_filters_that_cannot_work_are_apart_from_those_that_do() -> None:
    assert described(("wet", "dry"), ()) == {"Filters": "wet, dry"}
    assert described(("wet", "dry"), ("dry",)) == {
        "Filters": "wet",
        "Filters that cannot work here": "dry",
    }


def test_filters_that_cannot_work_are_a_warning() -> None:
    assert idle_warnings((), "de") == ()
    (warning,) = idle_warnings(("dry",), "de")
    assert warning == "filters that stop nothing, having no words of 'de': dry"
