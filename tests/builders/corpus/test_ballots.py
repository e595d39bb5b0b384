"""Labels and agreement of the votes for candidates."""

from __future__ import annotations

import pytest

from corefmill.builders.corpus.ballots import Ballot, Vote, count_votes, measure_alpha


def test_votes_are_counted_by_candidate_and_the_decision_beside_them() -> None:
    votes = [Vote("i", "ann", "Bo"), Vote("i", "ben", None), Vote("j", "ann", "Ann")]
    names = {"i": ("Ann", "Bo"), "j": ("Ann", "Bo"), "k": ("Ann", "Bo")}
    assert count_votes(votes, names, [Vote("k", "eve", None)]) == {
        "i": Ballot((0, 1), 1),
        "j": Ballot((1, 0), 0),
        "k": Ballot((0, 0), 0, decision=2),
    }


@pytest.mark.parametrize(
    ("votes", "none", "label", "strength"),
    [((3, 2), 0, 0, 3), ((2, 2), 1, None, 2), ((1, 2), 2, None, 2), ((0, 0), 3, None, 3)],
)
def test_a_label_needs_a_majority(
    votes: tuple[int, int], none: int, label: int | None, strength: int
) -> None:
    ballot = Ballot(votes, none)
    assert (ballot.label, ballot.strength) == (label, strength)


def test_alpha_by_hand() -> None:
    # Two raters, answers AA BB AB: n = 6, A 3, B 3; D_o = 2, D_e = 36 - 18 = 18; 1 - 5 * 2 / 18.
    found = [Ballot((2, 0), 0), Ballot((0, 2), 0), Ballot((1, 1), 0)]
    assert measure_alpha(found) == pytest.approx(1 - 10 / 18)
    assert measure_alpha([Ballot((2, 0), 0), Ballot((0, 0), 2)]) == 1.0
    assert measure_alpha([Ballot((2, 0), 0)]) is None
    assert measure_alpha([Ballot((1, 0), 0)]) is None
