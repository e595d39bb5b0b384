"""Whole-word masking: which pieces are hidden, and what stands in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Masking:
    """`share` of the pieces are hidden, by whole words.

    Of the hidden words `random` are replaced by pieces at random and `unchanged` left as they are,
    in the hope that the encoder does not rest on the mask alone (Devlin et al. 2018: .1 and .1);
    the others become masks.
    """

    share: float
    random: float
    unchanged: float


@dataclass(frozen=True, slots=True)
class Hidden:
    """A sequence's pieces as the encoder gets them, and what is to be predicted."""

    pieces: NDArray[np.int32]  # [n]
    positions: NDArray[np.int64]  # [m], where it is asked
    answers: NDArray[np.int32]  # [m], what stood there


def hide(
    pieces: NDArray[np.int32],
    begins: NDArray[np.bool_],
    masking: Masking,
    mask: int,
    replacements: Sequence[int] | NDArray[np.int32],
    rng: np.random.Generator,
) -> Hidden:
    """Hides words of a sequence of n pieces, taken at random until they make up the share.

    `begins`, [n], says which pieces begin a word; `replacements` are the pieces that may stand in
    for others. At least one word is hidden; the word that would reach too far is taken all the
    same with the chance that makes the share right on average.
    """
    words = np.cumsum(begins, dtype=np.int64)  # [n]
    words -= words[0]
    sizes = np.bincount(words)  # [words]
    order = rng.permutation(len(sizes))
    reached = np.cumsum(sizes[order])
    wanted = masking.share * len(pieces)
    count = int(np.searchsorted(reached, wanted, side="right"))
    if count < len(order):
        left = wanted - (reached[count - 1] if count else 0)
        count += bool(rng.random() < left / sizes[order[count]]) or count == 0
    hidden = np.zeros(len(sizes), np.bool_)
    hidden[order[:count]] = True
    positions = np.flatnonzero(hidden[words])  # [m]
    fate = rng.random(len(sizes))[words[positions]]  # one for a whole word
    given = np.array(pieces)
    given[positions[fate >= masking.random + masking.unchanged]] = mask
    swapped = positions[fate < masking.random]
    given[swapped] = rng.choice(replacements, len(swapped))
    return Hidden(given, positions, np.array(pieces[positions]))
