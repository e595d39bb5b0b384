"""The model whole: segments, blocks, memory, and scores that do not depend on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from corefmill.coref_model.documents import model as module
from corefmill.corpora.files.errors import DataError
from tests.coref_model.documents.made import document, model, sample


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


def test_segments_change_nothing_where_the_document_fits_one() -> None:
    one = sample()[0]
    every = []
    for segment, overlap in ((0, 0), (510, 64), (300, 0)):
        made = model(segment=segment, overlap=overlap)
        own = made.input(one)
        assert len(own.ids) <= 300
        x = made.encoded(own)
        every.append((made.mention_scores(own, x), made.clusters(own, x)))
    for scores, clusters in every[1:]:
        torch.testing.assert_close(scores, every[0][0])
        assert clusters == every[0][1]


def test_segments_drop_no_piece() -> None:
    one = sample()[0]
    made = model(segment=32, overlap=8)
    own = made.input(one)
    assert made.encoded(own).shape == (len(own.ids), made.encoder.width)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = model()
    for one in sample()[:3]:
        own = made.input(one)
        x = made.encoded(own)
        whole = made.mention_scores(own, x)
        clusters = made.clusters(own, x)
        with monkeypatch.context() as patch:
            patch.setattr(module, "_WORDS", 7)
            patch.setattr(module, "_PAIRS", 100)
            assert made.clusters(own, x) == clusters
        torch.testing.assert_close(
            torch.cat([made.mention_scores(own, x, a, a + 7) for a in range(0, own.words, 7)]),
            whole,
        )


def test_twenty_thousand_words_in_bounded_memory() -> None:
    text = ("the", "man", "was", "there", "and", "she", "went", "with", "him", "to", "it")
    words = [text[i * i % 97 % len(text)] for i in range(20_000)]
    one = document(*(" ".join(words[i : i + 16]) for i in range(0, len(words), 16)))
    made = model(max_width=4, ratio=0.4, antecedents=10, pair_width=16)
    with _Largest() as largest:
        found = made(one)
    assert found.sentences == one.sentences
    # 8,000 spans: all pairs would be 64 million scores.
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


def test_a_short_document_has_room_for_all_of_its_mentions() -> None:
    made = model(ratio=0.2)
    for words, room in ((6, 11), (120, module.FEWEST), (500, 100)):
        one = made.input(document("a " * words))
        assert len(made.to_rank(one, torch.ones(len(one.starts)))) == room


def test_a_convention_is_an_input() -> None:
    made = model(conventions='["gum", "litbank"]')
    torch.nn.init.normal_(made.marks.weight)
    one = document("the man saw her dog")
    first, named, other = (
        made.input(replace(one, meta=meta))
        for meta in ({}, {"convention": "gum"}, {"convention": "litbank"})
    )
    scores = [
        made.mention_scores(own, made.scaled(own, made.encoded(own)))
        for own in (first, named, other)
    ]
    assert torch.equal(scores[0], scores[1])
    assert not torch.allclose(scores[0], scores[2])
    with pytest.raises(DataError, match=r"no convention 'x' .there are gum, litbank"):
        made.input(replace(one, meta={"convention": "x"}))


def test_mentions_of_one_name_are_in_one_cluster() -> None:
    one = model().input(document("then Ann Lee left", "then Eve saw Ann Lee , and she smiled"))
    clusters = [[(1, 3)], [(5, 6), (11, 12)], [(7, 9)]]
    joined = [[(1, 3), (7, 9)], [(5, 6), (11, 12)]]
    spans = [span for own in clusters for span in own]
    found = module.find_names(one.written, *np.array(spans).T)
    assert module.join_names(clusters, dict(zip(spans, found, strict=True))) == joined


def test_a_genre_never_met_says_nothing() -> None:
    made = model()
    clusters = [[(0, 0, 1), (0, 2, 3)]]
    losses = []
    for name in ("nw/a", "zz/a", "-"):
        own = made.input(document("she saw her dog", clusters=clusters, name=name))
        losses.append(made.loss(own, made.encoded(own))[0])
    assert losses[0] == losses[1] == losses[2]


def test_bf16_is_near() -> None:
    made = model()
    own = made.input(sample()[0])
    x = made.encoded(own)
    with torch.autocast("cpu", torch.bfloat16):
        half, number = made.loss(own, made.encoded(own))
    full, due = made.loss(own, x)
    assert number == due
    torch.testing.assert_close(half, full, rtol=0.05, atol=0.5)


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


def test_links_less_probable_than_asked_for_are_not_made() -> None:
    made = model()
    one = sample()[0]
    own = made.input(one)
    x = made.encoded(own)
    scores: module.Scores = {}
    before = made.clusters(own, x, scores)
    links = sorted(link for _, link, antecedent in scores.values() if antecedent)
    assert before and len(set(links)) > 1
    made.min_confidence = (links[0] + links[-1]) / 2
    after: module.Scores = {}
    made.clusters(own, x, after)
    kept = [link for _, link, antecedent in after.values() if antecedent]
    assert kept == [p for _, p, a in scores.values() if a and p >= made.min_confidence]
    made.min_confidence = 1.0
    assert made.clusters(own, x) == []
