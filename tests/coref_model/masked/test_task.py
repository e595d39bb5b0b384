"""The task: batches of pairs, the loss of a batch, accuracy, and a scorer that learns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from peft import get_peft_model_state_dict

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.masked.heads import HeadWithDeltas
from corefmill.coref_model.masked.task import (
    KIND,
    MaskedNames,
    MaskedSettings,
    PassagePairs,
    collate,
    drop_unused,
    make_inputs,
    margin_loss,
)
from corefmill.coref_model.training.checkpoint import saved_parameters
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import train
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.records import MaskedExample
from tests.coref_model.masked.passages import PASSAGES, scorer

SETS = ["encoder=tiny", "lora=0", "lr=0.05", "weight_decay=0.0", "batch_pairs=4", "epochs=6"]


def settings(*sets: str, presets: tuple[str, ...] = ()) -> MaskedSettings:
    return resolve(MaskedSettings, "masked", presets=presets, sets=[*SETS, *sets])


def task(
    *sets: str,
    train: tuple[MaskedExample, ...] = PASSAGES,
    dev: tuple[MaskedExample, ...] = PASSAGES,
    **encoder: int,
) -> MaskedNames:
    splits = {"train": train, "validation": dev}
    return KIND.make(load("tiny", **encoder), settings(*sets), splits, 0)


def test_each_epoch_has_every_pair_once() -> None:
    made = task("batch_pairs=2")
    for epoch in (0, 1):
        pairs = [pair for batch in made.batches(epoch, 7) for pair in batch]
        assert sorted(pairs, key=lambda pair: pair.passage) == [
            PassagePairs(0, (1,)),
            PassagePairs(1, (1,)),
            PassagePairs(2, (1, 2)),
            PassagePairs(3, (0,)),
        ]
    assert made.batches(0, 7) == made.batches(0, 7)
    assert made.batches(0, 7) != made.batches(1, 7)


def test_of_many_wrong_candidates_some_are_drawn_and_never_the_right_one() -> None:
    made = task("wrong=1")
    drawn = {pair for epoch in range(20) for batch in made.batches(epoch, 7) for pair in batch}
    assert drawn == {
        *(PassagePairs(0, (1,)), PassagePairs(1, (1,)), PassagePairs(3, (0,))),
        *(PassagePairs(2, (1,)), PassagePairs(2, (2,))),
    }


@pytest.mark.parametrize("margin", ["example", "batch"])
def test_the_loss_is_the_sum_over_pairs(margin: str) -> None:
    made = task(f"margin={margin}", "batch_pairs=99", "alpha=3.0", "beta=0.5")
    made.model.eval()
    (batch,) = made.batches(0, 0)
    loss, count = made.loss(batch)
    values = []
    for passage in (made.train[pair.passage] for pair in batch):
        scores = made.model(collate(make_inputs(passage, made.model.encoder.pieces, 512))).tolist()
        assert passage.label is not None
        values += [(scores[passage.label], x) for i, x in enumerate(scores) if i != passage.label]
    mean = sum(wrong for _, wrong in values) / len(values)
    expected = sum(
        -a + 3 * max(0, (b if margin == "example" else mean) - a + 0.5) for a, b in values
    )
    assert (loss.item(), count) == (pytest.approx(expected, abs=1e-4), 5)


def test_it_learns_and_comes_back_from_its_tensors(tmp_path: Path) -> None:
    made = task(lora=2)
    before = made.loss(made.batches(0, 0)[0])[0].item()
    done = train(made, made.settings, tmp_path, quiet=True)
    assert made.loss(made.batches(0, 0)[0])[0].item() < before
    assert done.scores == made.evaluate()
    again = KIND.load(load("tiny", lora=2), made.settings, saved_parameters(made.model)).eval()
    batch = collate(make_inputs(PASSAGES[2], made.model.encoder.pieces, 512))
    with torch.no_grad():
        assert torch.equal(again(batch), made.model.eval()(batch))


def with_deltas(**encoder: int | bool) -> MaskedNames:
    """A task whose head came with deltas of rank 2."""
    source = load("tiny", lora=2)
    with torch.no_grad():
        for parameter in source.parameters():
            if parameter.requires_grad:
                parameter.normal_()
    head = HeadWithDeltas(scorer().head, get_peft_model_state_dict(source.adapter), "here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corefmill.coref_model.masked.heads.find_head", lambda *_: head)
        return task("lr=0.0", "lr_encoder=0.0", **encoder)


@pytest.mark.parametrize("encoder", [{}, {"lora": 2}, {"trained": True}])
def test_a_checkpoint_holds_the_deltas_that_came_with_the_head(encoder: dict[str, int]) -> None:
    made = with_deltas(**encoder)
    batch = collate(make_inputs(PASSAGES[2], made.model.encoder.pieces, 512))
    again = KIND.load(load("tiny", **encoder), made.settings, saved_parameters(made.model)).eval()
    plain = scorer().eval()
    with torch.no_grad():
        assert torch.equal(again(batch), made.model.eval()(batch))
        assert not torch.allclose(again(batch), plain(batch), atol=1e-3)


def test_a_model_to_begin_with_over_other_deltas_is_refused() -> None:
    made = with_deltas()
    assert made.batches(0, 0)
    next(iter(made.model.base.buffers())).add_(1)
    with pytest.raises(UsageError, match="trained over another head"):
        made.batches(0, 0)


def test_an_empty_split_is_refused() -> None:
    with pytest.raises(DataError, match="split validation has no example"):
        task(dev=())


def test_near_duplicates_are_known_as_such_when_examples_are_held_out() -> None:
    whole = replace(PASSAGES[0], meta={"group": "1", "confidence": 0.9})
    assert drop_unused(whole).meta == {"group": "1"}


def test_a_length_beyond_the_window_is_refused() -> None:
    with pytest.raises(UsageError, match="length is 600 pieces; the encoder tiny reads 512"):
        task("length=600")


Array = NDArray[np.float64]


def reference(right: Array, wrong: Array, alpha: float, beta: float, margin: str) -> Array:
    """Section 4.3 (example) and the published code (batch), read off letter by letter."""
    others = wrong if margin == "example" else [np.mean(wrong)] * len(wrong)
    return np.array(
        [-a + alpha * max(0.0, beta - a + b) for a, b in zip(right, others, strict=True)]
    )


scores = st.lists(
    st.tuples(st.floats(-30, 0, width=32), st.floats(-30, 0, width=32)), min_size=1, max_size=6
)


@hypothesis.settings(max_examples=50, deadline=None)
@given(scores, st.sampled_from(["example", "batch"]), st.sampled_from([(10.0, 0.2), (0.0, 0.4)]))
def test_the_loss_equals_the_reference(
    pairs: list[tuple[float, float]], margin: Any, alpha_beta: tuple[float, float]
) -> None:
    alpha, beta = alpha_beta
    right, wrong = np.array(pairs, np.float64).T
    both = torch.tensor(right), torch.tensor(wrong)
    given_ = margin_loss(*both, alpha=alpha, beta=beta, margin=margin)
    np.testing.assert_allclose(given_, reference(right, wrong, alpha, beta, margin), atol=1e-12)
