"""The model whole: segments, blocks, memory, and scores that do not depend on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from corefmill.coref_model.documents import model as module
from corefmill.coref_model.documents.ranking import Ranker, SpanFeatures
from tests.coref_model.documents.made import document, model, sample, settings


class _Largest(TorchDispatchMode):
    """Remembers how many numbers the largest tensor has that any operation made."""

    numel = 0

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        for one in made if isinstance(made, (tuple, list)) else (made,):
            if isinstance(one, torch.Tensor):
                self.numel = max(self.numel, one.untyped_storage().nbytes() // 4)
        return made


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made, documents = model(), sample()[:3]
    whole = list(map(made, documents))
    monkeypatch.setattr(module, "_WORDS", 7)
    monkeypatch.setattr(module, "_PAIRS", 100)
    assert list(map(made, documents)) == whole


def test_a_long_document_in_bounded_memory() -> None:
    text = ("the", "man", "was", "there", "and", "she", "went", "with", "him", "to", "it")
    words = [text[i * i % 97 % len(text)] for i in range(6_000)]
    one = document(*(" ".join(words[i : i + 16]) for i in range(0, len(words), 16)))
    made = model(max_width=4, ratio=0.4, antecedents=10, pair_width=16)
    with _Largest() as largest:
        found = made(one)
    assert found.sentences == one.sentences
    # 2,400 spans: all pairs would be 5.8 million scores.
    assert largest.numel <= 4_000_000


def test_a_document_without_words_has_no_clusters() -> None:
    assert model()(document()).clusters == ()
    assert model()(document("x")).clusters == ()


def test_singletons_are_spans_whose_own_score_is_positive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEWEST", 0)
    made = model()
    torch.nn.init.constant_(made.mentions.out.bias, 5.0)
    torch.nn.init.constant_(made.ranker.pairs.last.bias, -100.0)
    one = document("the man saw her", "it was so")
    assert made(one).clusters == ()
    made.singletons.fill_(True)
    assert [len(cluster) for cluster in made(one).clusters] == [1, 1, 1]


def test_scores_are_probabilities_of_mentions_and_links() -> None:
    made = model(singletons="keep")
    made.with_scores = True
    one = sample()[0]
    found = made(one)
    told = found.meta["scores"]
    assert [len(cluster) for cluster in told] == [len(cluster) for cluster in found.clusters]
    linked = [(n, score) for cluster in told for n, score in enumerate(cluster) if "link" in score]
    assert linked and all(0 < score["link"] <= 1 for _, score in linked)
    assert all(score["antecedent"] < n for n, score in linked)
    assert all(0 <= score["mention"] <= 1 for cluster in told for score in cluster)
    assert not any("link" in cluster[0] for cluster in told)


def _ranker(antecedents: int) -> tuple[Ranker, SpanFeatures]:
    torch.manual_seed(1)
    made = Ranker(12, settings(hidden=5, antecedents=antecedents, surface=False)).double()
    vectors, scores = (torch.randn(*size, dtype=torch.float64) for size in ((23, 12), (23,)))
    return made, SpanFeatures(
        vectors, scores, torch.randint(-1, 3, (23,)), torch.tensor(7), torch.tensor(0), None
    )


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
