"""Passages as pieces: the words round the target, and the pieces of each candidate for it."""

from __future__ import annotations

from dataclasses import dataclass

from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True)
class CandidateInput:
    """One candidate in its passage, ready for the encoder.

    `sequence` is the passage with as many masks at the target as the candidate has pieces
    (section 4.2), from `first` on; `pieces` are the candidate's; `cut` counts the pieces of the
    passage that had no room in the window.
    """

    sequence: tuple[int, ...]
    first: int
    pieces: tuple[int, ...]
    cut: int = 0


def items(example: MaskedExample, pieces: Pieces, window: int) -> list[CandidateInput]:
    """One item for each candidate, in their order; none depends on the other candidates.

    The target is taken out by its offsets, so it may stand beside punctuation or twice in the text.
    A passage longer than `window` pieces (specials included) is cut round the target: both sides
    keep as much as there is room for. Raises `DataError` for a candidate that alone fills more
    than the window, or that has no piece.
    """
    start, end = example.target
    # The blank before the target goes with the candidate, whose pieces may depend on it.
    blank = example.text[start - 1] if start and example.text[start - 1].isspace() else ""
    left = pieces.text(example.text[: start - len(blank)])[0]
    found = []
    for candidate in example.candidates:
        middle, right = _in_place(pieces, blank + candidate, example.text[end:])
        if not middle:
            raise DataError(
                f"{example.id}: the tokenizer leaves nothing of candidate {candidate!r}",
                remedy="drop that example or that candidate",
            )
        room = window - sum(pieces.specials) - len(middle)
        if room < 0:
            raise DataError(
                f"{example.id}: candidate {candidate[:40]!r} takes {len(middle)} pieces;"
                f" the window has {window}",
                remedy="drop that candidate, or take an encoder with a longer window",
            )
        before, after = fitted(len(left), len(right), room)
        inner = (*left[len(left) - before :], *([pieces.mask_id] * len(middle)), *right[:after])
        found.append(
            CandidateInput(
                tuple(pieces.wrap(inner)),
                pieces.specials[0] + before,
                tuple(middle),
                len(left) + len(right) - before - after,
            )
        )
    return found


def _in_place(pieces: Pieces, middle: str, right: str) -> tuple[list[int], list[int]]:
    """Pieces of a candidate and of what follows it, as they are where the two stand together."""
    ids, spans = pieces.text(middle + right)
    size = len(middle)
    edge = next((at for at, (_, end) in enumerate(spans) if end > size), len(spans))
    if edge < len(spans) and spans[edge][0] < size:  # a piece with letters of both
        return pieces.text(middle)[0], pieces.text(right)[0]
    return ids[:edge], ids[edge:]


def fitted(left: int, right: int, room: int) -> tuple[int, int]:
    """How many pieces to keep on each side: half the room each, and what the other leaves."""
    before = min(left, max(room - right, (room + 1) // 2))
    return before, min(right, room - before)
