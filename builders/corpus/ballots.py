"""Count raters' votes for the candidates of an example: the label, and the raters' agreement."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corefmill.corpora.scoring import agreement


@dataclass(frozen=True, slots=True)
class Vote:
    """One rater's answer to one item: the candidate's words, None for no answer."""

    item: str
    rater: str
    candidate: str | None


@dataclass(frozen=True, slots=True)
class Ballot:
    """The votes on one item: the number for each candidate, and the number for no candidate.

    `decision` is the adjudicator's: the index of a candidate, the number of candidates for none of
    them, or None without an adjudicator.
    """

    votes: tuple[int, ...]
    none: int
    decision: int | None = None

    @property
    def raters(self) -> int:
        """The number of answers by raters."""
        return sum(self.votes) + self.none

    @property
    def label(self) -> int | None:
        """The index of the adjudicator's candidate, else of the candidate with most votes; None for
        a tie, or if most votes are for no candidate."""
        if self.decision is not None:
            return self.decision if self.decision < len(self.votes) else None
        best = max(self.votes)
        if best <= self.none or self.votes.count(best) > 1:
            return None
        return self.votes.index(best)

    @property
    def strength(self) -> int:
        """The number of raters with the most frequent answer."""
        return max(*self.votes, self.none)


def count_votes(
    votes: Iterable[Vote], examples: Mapping[str, tuple[str, ...]], decided: Iterable[Vote] = ()
) -> dict[str, Ballot]:
    """Count the raters' votes on each item by candidate.

    `examples` has the candidates of each item. Each rater has one vote on an item, for one of its
    candidates or for none; of several decisions (`decided`) on an item the last counts.
    """
    counted: defaultdict[str, Counter[str | None]] = defaultdict(Counter)
    for vote in votes:
        counted[vote.item][vote.candidate] += 1
    decisions: dict[str, int] = {}
    for vote in decided:
        own = examples[vote.item]
        decisions[vote.item] = len(own) if vote.candidate is None else own.index(vote.candidate)
    return {
        item: Ballot(
            tuple(counted[item][candidate] for candidate in examples[item]),
            counted[item][None],
            decisions.get(item),
        )
        for item in dict.fromkeys((*counted, *decisions))
    }


def measure_alpha(found: Iterable[Ballot]) -> float | None:
    """Compute Krippendorff's alpha of the ballots; None if all raters gave one and the same answer.

    An answer is the index of a candidate in its record, or "none"; items with fewer than two
    answers do not count.
    """
    # "None" is the last column, whatever the number of candidates.
    ballots = list(found)
    most = max((len(ballot.votes) for ballot in ballots), default=0)
    counts = [(*ballot.votes, *[0] * (most - len(ballot.votes)), ballot.none) for ballot in ballots]
    value = float(agreement.alpha(counts)) if counts else math.nan
    return None if math.isnan(value) else value
