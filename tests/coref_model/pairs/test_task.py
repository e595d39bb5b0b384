"""The task `events`: scores of clusters, the threshold, training."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from corefmill.coref_model.encoder import load
from corefmill.coref_model.pairs.clustering import link_average
from corefmill.coref_model.pairs.task import (
    KIND,
    EventSettings,
    EventTask,
    score_clusters,
    tune_threshold,
)
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import train
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import EventMention, Record
from tests.coref_model.pairs.made import mention


def test_singletons_count() -> None:
    # key {a b} {c} {d}, response {a b} {c d}
    found = score_clusters(np.array([0, 0, 1, 2]), np.array([0, 0, 1, 1]))
    muc = 2 * (1 / 1) * (1 / 2) / (1 / 1 + 1 / 2)
    b3 = 2 * (4 / 4) * (3 / 4) / (4 / 4 + 3 / 4)
    similarity = 1 + 2 / 3  # {a b} with itself, {c} or {d} with {c d}
    ceafe = 2 * (similarity / 3) * (similarity / 2) / (similarity / 3 + similarity / 2)
    assert found == pytest.approx(
        {"muc": muc, "bcub": b3, "ceafe": ceafe, "conll": (muc + b3 + ceafe) / 3}
    )


def test_the_threshold_is_the_lowest_of_the_best_in_hundredths() -> None:
    # a-b at 0.33, c-d at 0.62, the two pairs at 0.9; the key has a-b and c-d
    distances = np.array([0.33, 0.9, 0.9, 0.9, 0.9, 0.62])
    cut = partial(link_average, 4, *np.triu_indices(4, 1), distances)
    threshold, (found,) = tune_threshold([(cut, np.array([0, 0, 1, 1]))])
    assert threshold == 0.63
    assert found["conll"] == 1


EVENTS = ("flood", "fire", "quake", "war")


def _mentions(topics: str) -> list[EventMention]:
    """In each topic four events, each told three times by its own word."""
    return [
        mention(
            word,
            f"{topic}-{word}",
            topic=topic,
            before=f"{'So ' * number}the ",
            lemma=word,
            ident=f"{topic}{word}{number}",
        )
        for topic in topics
        for number in range(3)
        for word in EVENTS
    ]


def _task(*sets: str, dev: Sequence[Record] | None = None, lora: int = 0) -> EventTask:
    preset = [own[1:] for own in sets if own[0] == "@"]
    own = ["encoder=tiny", "cache=", "epochs=25", "evaluate_every=1000", "patience=0"]
    own += ["lr=0.005", "hidden=30", "batch_pairs=16", "dropout=0.2"]
    own += [f"lora={lora}", *(one for one in sets if one[0] != "@")]
    settings = resolve(EventSettings, "events", presets=preset, sets=own)
    torch.manual_seed(0)
    encoder = load("tiny", trained=settings.trained, lora=lora)
    splits = {"train": _mentions("abc"), "validation": _mentions("de") if dev is None else dev}
    return KIND.make(encoder, settings, splits, 0)


@pytest.mark.parametrize(
    "sets",
    [
        (),
        pytest.param(("@paper", "metric=conll"), marks=pytest.mark.thorough),
        pytest.param(("features=[]",), marks=pytest.mark.thorough),
        ("trained=true", "batch_pieces=200", "lr_encoder=0.001", "epochs=50"),
    ],
)
def test_it_learns_which_mentions_are_one_event(tmp_path: Path, sets: Sequence[str]) -> None:
    task = _task(*sets)
    task.model.eval()
    assert task.evaluate()["pairwise"] < 0.5
    train(task, task.settings, tmp_path, quiet=True)
    task.model.eval()
    found = task.evaluate()
    assert found["conll"] > 0.95 and found["pairwise"] > 0.9
    assert found["lemma"] == found["string"] == 1
    assert float(task.model.threshold) == pytest.approx(found["threshold"])


def test_a_trained_encoder_and_deltas_get_a_gradient_and_a_frozen_one_none() -> None:
    for sets, lora, moves in ((("trained=true",), 0, True), ((), 2, True), ((), 0, False)):
        task = _task(*sets, lora=lora)
        loss, items = task.loss(task.batches(0, 0)[0])
        loss.backward()
        assert items > 0
        own = [p.grad for p in task.model.encoder.parameters() if p.grad is not None]
        assert any(bool(grad.abs().sum() > 0) for grad in own) is moves
        assert [group.name for group in task.groups()] == ["scorer", "encoder"][: 1 + moves]


def test_a_batch_encoded_now_has_the_loss_of_vectors_at_hand() -> None:
    totals = []
    for trained in ("false", "true"):
        task = _task("dropout=0.0", "ratio=0", f"trained={trained}")
        task.model.eval()
        parts = [task.loss(batch) for batch in task.batches(0, 0)]
        totals.append((sum(loss.item() for loss, _ in parts), sum(n for _, n in parts)))
    # The same pairs of topics a, b, c: 3 (12 * 11 / 2), the vectors but for rounding.
    assert totals[0][1] == totals[1][1] == 198
    assert totals[0][0] == pytest.approx(totals[1][0], rel=1e-4)


def test_an_empty_split_and_one_without_links_are_refused() -> None:
    with pytest.raises(DataError, match="split validation has no event mentions"):
        _task(dev=[])
    encoder, settings = load("tiny"), _task().settings
    apart = [mention(word, word) for word in EVENTS]
    with pytest.raises(DataError, match="no two mentions of split train"):
        KIND.make(encoder, settings, {"train": apart, "validation": _mentions("d")}, 0)
