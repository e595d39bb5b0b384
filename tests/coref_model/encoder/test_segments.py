"""A long document loses no piece, and a short one is encoded as it is."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from corefmill.coref_model.encoder import segments
from corefmill.coref_model.encoder.packed import pack
from corefmill.corpora.errors import UsageError
from tests.coref_model.encoder.networks import encoder, sequences

ENCODER = encoder("bert")


@st.composite
def cuttings(draw: st.DrawFn) -> tuple[int, int, int]:
    """Pieces of a document, longest segment, overlap."""
    length = draw(st.integers(1, 60))
    return draw(st.integers(1, 400)), length, draw(st.integers(0, length - 1))


@given(cuttings())
def test_every_piece_is_taken_once_where_it_has_most_context(cutting: tuple[int, int, int]) -> None:
    n, length, overlap = cutting
    made = segments.cuts(n, length, overlap)
    taken = [piece for _, _, first, last in made for piece in range(first, last)]
    assert taken == list(range(n))
    assert all(end - start == min(n, length) for start, end, _, _ in made)
    for (_, end, _, _), (start, _, _, _) in pairwise(made):
        assert end - start >= overlap

    def context(piece: int, start: int, end: int) -> int:
        left = n if start == 0 else piece - start
        right = n if end == n else end - 1 - piece
        return min(left, right)

    for own, (start, end, first, last) in enumerate(made):
        # Neighbours suffice: those farther off hold the piece nearer to their edge.
        near = made[max(own - 1, 0) : own + 2]
        for piece in range(first, last):
            most = max(context(piece, b, e) for b, e, _, _ in near if b <= piece < e)
            assert context(piece, start, end) == most


@pytest.mark.parametrize("n", [1, 20, 62])
def test_a_document_that_fits_is_one_window(n: int) -> None:
    (ids,) = sequences(n)
    whole = ENCODER(pack([ENCODER.pieces.wrap(ids)]))[1:-1]
    assert_close(segments.encode(ENCODER, ids, length=62, overlap=20), whole, rtol=0, atol=1e-5)


def test_each_piece_has_the_vector_of_its_segment() -> None:
    (ids,) = sequences(50)
    made = segments.encode(ENCODER, ids, length=20, overlap=8)
    # Segments [0, 20) [12, 32) [24, 44) [30, 50): pieces 16 to 27 are the second's.
    second = ENCODER(pack([ENCODER.pieces.wrap(ids[12:32])]))[1:-1]
    assert made.shape == (50, 32)
    assert_close(made[16:28], second[4:16], rtol=0, atol=1e-5)


def test_batches_of_segments_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (ids,) = sequences(300)
    whole = segments.encode(ENCODER, ids, length=30, overlap=10)
    monkeypatch.setattr(segments, "_AT_ONCE", 60)
    assert_close(segments.encode(ENCODER, ids, length=30, overlap=10), whole, rtol=0, atol=1e-5)


def test_no_pieces_give_no_vectors() -> None:
    assert torch.equal(segments.encode(ENCODER, [], length=9, overlap=2), torch.zeros(0, 32))


@pytest.mark.parametrize(("length", "overlap"), [(63, 0), (0, 0), (10, 10), (10, -1)])
def test_segments_that_cannot_be_are_refused(length: int, overlap: int) -> None:
    with pytest.raises(UsageError, match=r"segments of|overlap of"):
        segments.encode(ENCODER, [5, 6], length=length, overlap=overlap)
