"""Which filters are in force, and what the card says of those that cannot work."""

from __future__ import annotations

import pytest

from corefmill.builders.corpus.options import choose_filters, describe_filters, idle_warnings
from corefmill.corpora.files.errors import UsageError


def test_all_but_those_left_out_in_their_order() -> None:
    assert choose_filters(("wet", "dry", "old"), {"dry"}) == ("wet", "old")
    assert choose_filters(("wet", "dry", "old"), {"dry"}, ("dry", "old")) == ("old",)


def test_a_name_that_no_filter_has_is_refused() -> None:
    said = r"no filter 'dryy', did you mean dry\?; there are wet, dry"
    with pytest.raises(UsageError, match=said):
        choose_filters(("wet", "dry"), ("dryy",), ())


def test_filters_that_cannot_work_are_apart_from_those_that_do() -> None:
    assert describe_filters(("wet", "dry"), ()) == {"Filters": "wet, dry"}
    assert describe_filters(("wet", "dry"), ("dry",)) == {
        "Filters": "wet",
        "Filters that cannot work here": "dry",
    }


def test_a_filter_that_cannot_work_for_two_reasons_is_named_once() -> None:
    assert idle_warnings(("dry",), "de", ("dry", "wet"), "--nlp wiki") == (
        "without word lists of 'de' these filters have no effect: dry",
        "without tags, trees or entities (--nlp wiki) these filters have no effect: wet",
    )
    assert len(idle_warnings(("dry",), "de", ("dry",), "--nlp wiki")) == 1
