"""What several raters together made of a document."""

from __future__ import annotations

import pytest

from corefmill.annotate.chaining.consensus import agreed
from corefmill.annotate.chaining.state import ChainState
from corefmill.annotate.questions import CHAINS
from tests.corefmill.annotate.chaining.chained import after, begun


def together(*raters: list[str]) -> str:
    clusters = agreed([after(*acts) for acts in raters])
    return ChainState(begun().own, clusters).digest(CHAINS)


@pytest.mark.parametrize(
    ("raters", "right"),
    [
        ([["assign 4 1"]], ["assign 4 1"]),
        ([["assign 4 1"], ["assign 4 1"]], ["assign 4 1"]),
        # One of two is no majority: the corpus's own answer stands.
        ([["assign 4 1"], []], []),
        ([["remove 4"], []], []),
        ([["add 11 11"], []], []),
        ([["assign 4 1"], ["assign 4 1"], ["assign 4 2"]], ["assign 4 1"]),
        ([["remove 4"], ["remove 4"], []], ["remove 4"]),
        ([["add 11 11"], ["add 11 11", "assign 5 1"], ["add 11 11", "assign 5 1"]],
         ["add 11 11", "assign 5 1"]),
        # Removed and added again it is the mention that it was.
        ([["remove 4", "add 4 4"], []], []),
        ([["merge 0 2"], ["merge 2 1"], []], ["merge 0 2"]),
        # She is Ann for two, Ann is Bea for two, but only one has all of them together.
        ([["assign 4 1"], ["merge 0 2"], ["assign 4 1", "merge 0 2"]],
         ["merge 0 2"]),
    ],
)  # fmt: skip
def test_a_change_counts_if_more_than_half_made_it(
    raters: list[list[str]], right: list[str]
) -> None:
    assert together(*raters) == after(*right).digest(CHAINS)
    assert together(*reversed(raters)) == together(*raters)
