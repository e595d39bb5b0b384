"""What a user may bound in a masked corpus: examples of a passage, of a source, of a gender.

Each bound is a draw: an example has a ticket, a hash of the seed and its id, and the lowest tickets
stay. So a draw is the same however the input was cut.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from corefmill.builders.corpus.split import hashed

GENDERS = ("", "male", "female")
"""The values of `meta["gender"]`, the first for none."""

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """`one_per_passage` leaves one example of those that share a sentence, `per_source` so many of
    one article, book or comment, `balance` ("gender") as many with a female answer as with a male.

    They are applied in this order, before the limit. Of answers whose gender is not known the same
    share stays as of the others together, so that the balance is no more than what is known of it.
    """

    one_per_passage: bool = False
    per_source: int | None = None
    balance: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The bounds for a fingerprint; nothing where there are none."""
        return {} if self == NO_BOUNDS else {"bounds": asdict(self)}

    @property
    def described(self) -> dict[str, str]:
        """The row of the card's first table, if there are any."""
        said = []
        if self.one_per_passage:
            said.append("one example of those that share a sentence")
        if self.per_source is not None:
            said.append(f"{self.per_source:,} of one source at most")
        if self.balance is not None:
            said.append("as many female as male answers, those of unknown gender in proportion")
        return {"Drawn": "; ".join(said)} if said else {}


NO_BOUNDS = Bounds()


class Tickets:
    """The tickets and the genders of examples in their order, nine bytes each."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._tickets, self._genders = array("Q"), array("b")

    def add(self, record: Mapping[str, Any]) -> None:
        """The next example."""
        self._tickets.append(hashed(f"{self._seed} bounds {record['id']}"))
        gender = record["meta"].get("gender", "")
        self._genders.append(GENDERS.index(gender) if gender in GENDERS else 0)

    def over(
        self, bounds: Bounds, faults: npt.NDArray[np.int8], groups: Numbers, articles: array[int]
    ) -> Iterator[tuple[str, Numbers]]:
        """Each bound's reason and the numbers of the examples that it drops, of those without a
        fault; the next one is asked once these have theirs. `groups` are by shared sentences."""
        if bounds.one_per_passage:
            left = np.flatnonzero(faults == 0)
            yield "shared_sentence", left[self._ranks(groups, left) >= 1]
        if bounds.per_source is not None:
            left = np.flatnonzero(faults == 0)
            ranks = self._ranks(np.array(articles), left)
            yield "over_per_source", left[ranks >= bounds.per_source]
        if bounds.balance is not None:
            left = np.flatnonzero(faults == 0)
            genders = np.array(self._genders)
            sizes = np.bincount(genders[left], minlength=len(GENDERS))
            fewer, known = min(sizes[1:]), sum(sizes[1:])
            unknown = round(sizes[0] * 2 * fewer / known) if known else sizes[0]
            most = np.array([unknown, fewer, fewer])
            yield "over_balance", left[self._ranks(genders, left) >= most[genders[left]]]

    def _ranks(self, keys: npt.NDArray[Any], left: Numbers) -> Numbers:
        """Of those `left`, each one's place among those with its key; the lowest ticket has 0."""
        own, tickets = keys[left], np.array(self._tickets)[left]
        order = np.lexsort((tickets, own))
        _, first, of_key = np.unique(own[order], return_index=True, return_inverse=True)
        ranks = np.empty(len(left), np.int64)
        ranks[order] = np.arange(len(left)) - first[of_key]
        return ranks
