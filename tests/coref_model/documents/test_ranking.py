"""Antecedents: features, blocks, and what can be one."""

from __future__ import annotations

import pytest
import torch

from corefmill.coref_model.documents import ranking
from corefmill.coref_model.documents.inputs import joined
from corefmill.coref_model.documents.ranking import (
    OTHER,
    SAME,
    UNKNOWN,
    Ranker,
    SpanFeatures,
    bucket,
    relation,
)


def test_buckets_of_distance() -> None:
    distances = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64, 1000]
    buckets = [0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9]
    assert bucket(torch.tensor(distances)).tolist() == buckets


def test_speakers_to_each_other() -> None:
    one, other = torch.tensor([0, 0, -1, -1]), torch.tensor([0, 1, 1, -1])
    assert relation(one, other).tolist() == [SAME, OTHER, UNKNOWN, UNKNOWN]


def _ranker(antecedents: int) -> tuple[Ranker, SpanFeatures]:
    torch.manual_seed(1)
    made = Ranker(
        12,
        hidden=5,
        antecedents=antecedents,
        genre=True,
        speakers=True,
        surface=False,
        dropout=0.0,
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


def test_spans_far_before_a_block_are_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    ranker, spans = _ranker(30)
    monkeypatch.setattr(ranking, "REACH", 4)
    found = ranker(spans, 10, 12)
    assert sorted(found.antecedents[1].tolist()) == [6, 7, 8, 9, 10]
    whole = ranker(spans, 0, 23)
    for row, own in enumerate(found.antecedents.tolist()):
        scores = dict(
            zip(whole.antecedents[10 + row].tolist(), whole.scores[10 + row].tolist(), strict=True)
        )
        assert found.scores[row].tolist() == pytest.approx([scores[at] for at in own])


def test_an_antecedent_stands_before_its_span() -> None:
    ranker, spans = _ranker(6)
    ranked = ranker(spans)
    possible = ranked.scores > -torch.inf
    assert possible.sum(1).tolist() == [min(i, 6) for i in range(23)]
    assert bool((ranked.antecedents < torch.arange(23)[:, None])[possible].all())


def test_fewer_antecedents_are_the_best_by_the_coarse_score() -> None:
    ranker, spans = _ranker(22)
    every = ranker(spans)
    ranker.antecedents = 3
    few = ranker(spans)
    assert torch.equal(few.antecedents[3:], every.antecedents[3:, :3])
    torch.testing.assert_close(few.scores, every.scores[:, :3])


def test_links_join_and_a_span_alone_is_left_out_or_kept() -> None:
    links = [-1, 0, -1, 1, -1]
    assert joined("abcde", links, [False] * 5) == [["a", "b", "d"]]
    assert joined("abcde", links, [True, True, True, True, False]) == [["a", "b", "d"], ["c"]]
    with pytest.raises(ValueError, match="span 1 has no antecedent 1"):
        joined("ab", [-1, 1], [False, False])
