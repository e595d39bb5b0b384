"""Documents longer than the encoder's window, in overlapping segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from corefmill.coref_model.encoder.encoder import Encoder
from corefmill.coref_model.encoder.packed import pack
from corefmill.corpora.errors import UsageError

# Pieces that go through the encoder at once.
_AT_ONCE = 8192


def encode(encoder: Encoder, ids: Sequence[int], *, length: int, overlap: int) -> Tensor:
    """The vectors, [len(ids), w], of a document's pieces (without specials).

    Segments are of `length` pieces at most, without specials, neighbours sharing `overlap` or
    more. A piece is taken from the segment in which it stands farthest from an edge that is not
    the document's own. UsageError where `length` and the specials exceed the window, or `overlap`
    is not shorter than `length`.
    """
    before, after = encoder.pieces.specials
    if not 0 < length <= encoder.window - before - after:
        raise UsageError(
            f"segments of {length} pieces",
            remedy=f"{encoder.name} takes 1 to {encoder.window - before - after}",
        )
    if not 0 <= overlap < length:
        raise UsageError(f"an overlap of {overlap} in segments of {length}")
    if not ids:
        return encoder.word_embeddings.new_zeros(0, encoder.width)
    kept = []
    for batch in _batches(cuts(len(ids), length, overlap), length):
        sequences = [encoder.pieces.wrap(ids[start:end]) for start, end, _, _ in batch]
        vectors = encoder(pack(sequences)).split([len(sequence) for sequence in sequences])
        for (start, _, first, last), rows in zip(batch, vectors, strict=True):
            kept.append(rows[before + first - start : before + last - start])
    return torch.cat(kept)


def cuts(n: int, length: int, overlap: int) -> list[tuple[int, int, int, int]]:
    """Segments of `n` pieces: start and end, and start and end of what is taken from each.

    Segments are full but for a document shorter than one; the last ends with the document.
    """
    starts = [*range(0, max(n - length, 0), length - overlap), max(n - length, 0)]
    ends = [min(start + length, n) for start in starts]
    # Two neighbours part at the middle of what they share.
    bounds = [0, *((b + e) // 2 for b, e in zip(starts[1:], ends[:-1], strict=True)), n]
    return [
        (start, end, bounds[at], bounds[at + 1])
        for at, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def _batches(
    segments: Sequence[tuple[int, int, int, int]], length: int
) -> Iterator[Sequence[tuple[int, int, int, int]]]:
    step = max(1, _AT_ONCE // length)
    for at in range(0, len(segments), step):
        yield segments[at : at + step]
