"""A name that is nearly right is told what it should be."""

from __future__ import annotations

from corefmill.corpora.spelling import did_you_mean


def test_the_nearest_name() -> None:
    assert did_you_mean("papper", ["cpu", "paper"]) == ", did you mean paper?"
    assert did_you_mean("nothing", ["cpu", "paper"]) == ""
