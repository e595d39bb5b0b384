"""Antecedents: features, blocks, and what can be one."""

from __future__ import annotations

import pytest
import torch

from corefmill.coref_model.documents.inputs import join_links
from corefmill.coref_model.documents.ranking import Ranker, SpanFeatures


def _ranker(antecedents: int) -> tuple[Ranker, SpanFeatures]:
    torch.manual_seed(1)
    made = Ranker(
        12, hidden=5, antecedents=antecedents, genre=True, speakers=True, surface=False, dropout=0.0
    )
    m = 23
    spans = SpanFeatures(
        torch.randn(m, 12), torch.randn(m), torch.randint(-1, 3, (m,)), torch.tensor(7)
    )
    return made.double(), SpanFeatures(spans.vectors.double(), spans.scores.double(), *_rest(spans))


def _rest(spans: SpanFeatures) -> tuple[torch.Tensor, torch.Tensor]:
    return spans.speakers, spans.genre


@pytest.mark.parametrize("rows", [1, 4, 22, 23])
def test_blocks_of_rows_change_nothing(rows: int) -> None:
    ranker, spans = _ranker(6)
    whole = ranker(spans)
    for start in range(0, 23, rows):
        block = ranker(spans, start, min(start + rows, 23))
        k = block.scores.shape[1]
        own = whole.scores[start : start + rows, :k]
        assert torch.equal(block.scores > -torch.inf, own > -torch.inf)
        real = own > -torch.inf
        found = whole.antecedents[start : start + rows, :k]
        assert torch.equal(block.antecedents[real], found[real])
        torch.testing.assert_close(block.scores, own)


def test_links_join_and_a_span_alone_is_left_out_or_kept() -> None:
    links = [-1, 0, -1, 1, -1]
    assert join_links("abcde", links, [False] * 5) == [["a", "b", "d"]]
    assert join_links("abcde", links, [True, True, True, True, False]) == [["a", "b", "d"], ["c"]]
