"""SpanVectors: against a loop over spans in float64, gradients, and refusals."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch import Tensor  # noqa: E402

from corefmill.coref_model.pairs.scorer import SpanVectors  # noqa: E402


def _spans() -> tuple[SpanVectors, Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    pieces = torch.randn(9, 4, dtype=torch.float64)  # [n, w]
    starts, ends = torch.tensor([0, 2, 2, 8]), torch.tensor([3, 3, 7, 9])  # overlapping, of one
    return SpanVectors(4, hidden=5).double(), pieces, starts, ends


def test_each_span_is_its_ends_and_the_softmax_of_its_pieces() -> None:
    spans, pieces, starts, ends = _spans()
    found = spans(pieces, starts, ends)
    assert found.shape == (4, spans.size)
    for row, start, end in zip(found, starts.tolist(), ends.tolist(), strict=True):
        inside = pieces[start:end]
        head = torch.softmax(spans.attend(inside), dim=0).T @ inside
        torch.testing.assert_close(row, torch.cat([inside[0], inside[-1], head[0]]))


def test_scores_of_any_size_make_weights() -> None:
    spans, pieces, starts, ends = _spans()
    assert spans(1e6 * pieces, starts, ends).isfinite().all()


def test_gradients_are_those_of_the_function() -> None:
    spans, pieces, starts, ends = _spans()
    pieces.requires_grad_()
    assert torch.autograd.gradcheck(lambda own: spans(own, starts, ends), (pieces,))
    spans(pieces, starts, ends).sum().backward()
    assert spans.attend[0].weight.grad is not None
    assert spans.attend[0].weight.grad.abs().sum() > 0


@pytest.mark.parametrize(("start", "end"), [(3, 3), (8, 10), (-1, 2)])
def test_a_span_that_is_empty_or_beyond_is_refused(start: int, end: int) -> None:
    spans, pieces, _, _ = _spans()
    with pytest.raises(ValueError, match="empty or beyond the 9 pieces"):
        spans(pieces, torch.tensor([start]), torch.tensor([end]))
