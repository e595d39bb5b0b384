"""What many raters say together: Dawid and Skene's model, and what a further answer would tell.

Dawid and Skene 1979, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm:
every item has one right answer that nobody sees, every rater a table of what he says where each
answer is right, and raters err independently of one another. Two runs of one model do not; then
their answers count for more here than they are worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from corefmill.corpora.scoring.agreement import Floats

_LEAST = 1e-10
"""What a share or an error rate is at least, so that nothing is ruled out for ever."""


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """The fitted model.

    `belief` (items, answers) is how likely each answer is the right one, `shares` (answers,) how
    often each is right, `errors` (raters, right, said) what a rater says where an answer is right.
    """

    belief: Floats
    shares: Floats
    errors: Floats

    def accuracy(self) -> Floats:
        """Of each rater the share of right answers, over items as they are."""
        right = np.diagonal(self.errors, axis1=1, axis2=2)
        made: Floats = right @ self.shares
        return made


def fit(counts: ArrayLike, most: int = 2000, precision: float = 1e-9) -> DawidSkene:
    """Fits by EM, from the shares of an item's votes, until no belief moves by `precision`.

    `counts`, of shape (items, raters, answers), says how often a rater gave an answer to an item.
    An item without any has the shares of all.
    """
    votes = np.asarray(counts, dtype=np.float64)
    total = votes.sum(axis=1)
    size = total.sum(axis=1, keepdims=True)
    even = np.full(votes.shape[-1], 1 / votes.shape[-1])
    belief = np.where(size > 0, total / np.maximum(size, 1), even)
    for _ in range(most if len(votes) else 0):
        shares, errors = _maximised(votes, belief)
        # The likelihood of an item's votes under each answer, in logarithms.
        logs = np.log(shares) + np.einsum("irs,rts->it", votes, np.log(errors))
        likely = np.exp(logs - logs.max(axis=1, keepdims=True))
        before, belief = belief, likely / likely.sum(axis=1, keepdims=True)
        if np.abs(belief - before).max() < precision:
            break
    return DawidSkene(belief, *_maximised(votes, belief))


def _maximised(votes: Floats, belief: Floats) -> tuple[Floats, Floats]:
    said = np.maximum(np.einsum("it,irs->rts", belief, votes), _LEAST)
    shares = np.maximum(belief.sum(axis=0) / max(len(belief), 1), _LEAST)
    return shares, said / said.sum(axis=-1, keepdims=True)


def information(belief: ArrayLike, errors: ArrayLike) -> Floats:
    """How much one further answer is expected to tell of each item, in bits.

    It is the mutual information of the right answer, as `belief` (items, answers) has it, and of
    what a rater with this table of `errors` (right, said) would say. So an item on which raters
    differ comes first, unless a person's answer is little better than a guess there.
    """
    now, table = np.asarray(belief, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    # H(said) - H(said | right)
    told: Floats = _entropy(now @ table) - now @ _entropy(table)
    return np.maximum(told, 0)


def _entropy(shares: Floats) -> Floats:
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    made: Floats = -(shares * logs).sum(axis=-1)
    return made
