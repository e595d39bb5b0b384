"""Names without end: all combinations of a table's pieces, in an order that looks drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod

_NUMERALS = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


@dataclass(frozen=True, slots=True)
class Names:
    """All combinations of one piece of each of `pieces`, in a shuffled order.

    Beyond the last they begin again with a numeral behind: Sea Lark II.
    """

    pieces: tuple[tuple[str, ...], ...]
    seed: int

    @classmethod
    def of(cls, table: Mapping[str, Sequence[str]], keys: Sequence[str], seed: int) -> Names:
        """The combinations of the lists that stand under `keys`."""
        return cls(tuple(tuple(table[key]) for key in keys), seed)

    def __len__(self) -> int:
        return prod(len(piece) for piece in self.pieces)

    def pick(self, index: int) -> tuple[str, ...]:
        """The pieces of the name `index`, which no other index below the length has."""
        rest = shuffled(index % len(self), len(self), self.seed)
        chosen = []
        for piece in self.pieces:
            rest, here = divmod(rest, len(piece))
            chosen.append(piece[here])
        return tuple(chosen)

    def name(self, index: int, between: str = "") -> str:
        """The name `index`: its pieces that are not empty, with `between` between them."""
        name = between.join(piece for piece in self.pick(index) if piece)
        round_ = index // len(self)
        return f"{name} {_roman(round_ + 1)}" if round_ else name


def shuffled(index: int, size: int, seed: int) -> int:
    """Where `index` comes to lie when range(`size`) is shuffled, without a list of it."""
    step = max(1, round(size * 0.6180339887))
    while gcd(step, size) != 1:
        step += 1
    return (index * step + seed * 7919 + size // 3) % size


def _roman(number: int) -> str:
    letters = ""
    for value, letter in _NUMERALS:
        letters += letter * (number // value)
        number %= value
    return letters
