"""The pointer's scores: of candidates in a batch, of several mentions, of one without any."""

from __future__ import annotations

import math

import pytest
import torch

from corefmill.coref_model.masked.passages import pointed
from corefmill.coref_model.masked.pointer import PLACES, Pointer, collate
from corefmill.corpora.records import MaskedExample
from tests.coref_model.masked.passages import PASSAGES, example, tiny


def pointer(*, features: bool = True) -> Pointer:
    """A random pointer, the features' weights not 0 either."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        made = Pointer(tiny(), hidden=8, pair_width=12, features=features, dropout=0.0)
        if made.features is not None:
            torch.nn.init.normal_(made.features.table.weights.weight)
    return made.eval()


def scores(model: Pointer, *examples: MaskedExample) -> list[list[float]]:
    passages = [pointed(one, model.encoder.pieces, 512, hidden=False) for one in examples]
    with torch.no_grad():
        rows: list[list[float]] = model(collate(passages)).tolist()
    return [row[: one.count] for row, one in zip(rows, passages, strict=True)]


@pytest.mark.parametrize("features", [True, False])
def test_a_passage_has_the_same_scores_alone_and_in_a_batch(features: bool) -> None:
    model = pointer(features=features)
    together = scores(model, *PASSAGES)
    for one, row in zip(PASSAGES, together, strict=True):
        assert row == pytest.approx(scores(model, one)[0], abs=1e-4)


def test_a_candidate_that_is_named_twice_has_the_sum_of_both() -> None:
    """With one score for every mention the one named twice has log 2 more."""
    model = pointer(features=False)
    for parameter in model.pairs.last.parameters():
        torch.nn.init.zeros_(parameter)
    ((ann, bob),) = scores(
        model, example("Ann saw Bob; Ann left, for he slept.", "he", "Ann", "Bob")
    )
    assert ann - bob == pytest.approx(math.log(2), abs=1e-5)


def test_a_candidate_that_stands_nowhere_cannot_be_meant() -> None:
    ((eve, bob), (ann, _)) = scores(
        pointer(), example("Ann met Bob; he left.", "he", "Eve", "Bob"), PASSAGES[0]
    )
    assert eve == -math.inf
    assert math.isfinite(bob) and math.isfinite(ann)


def test_the_loss_of_such_a_batch_has_gradients_that_are_numbers() -> None:
    model = pointer()
    passages = [
        pointed(one, model.encoder.pieces, 512, hidden=False)
        for one in (example("Ann met Bob; he left.", "he", "Eve", "Bob"), *PASSAGES)
    ]
    made = model(collate(passages))
    torch.nn.functional.cross_entropy(made, torch.tensor([1, 0, 0, 1, 0])).backward()
    grads = [one.grad for one in model.parameters() if one.grad is not None]
    assert all(bool(torch.isfinite(grad).all()) for grad in grads)
    assert any(bool(grad.abs().sum() > 0) for grad in grads)


def test_roles_and_distances_are_the_passage_s_own() -> None:
    """A mention behind the target has a class of its own; the words beside end with the passage."""
    one = example("Before she left, Ann met Bob.", "she", "Ann", "Bob")
    batch = collate([pointed(x, tiny().pieces, 512, hidden=False) for x in (one, PASSAGES[3])])
    assert batch.order.tolist()[:2] == [PLACES * PLACES] * 2
    assert batch.beside[:, 0].eq(0).tolist() == [
        False,
        False,
        False,
        False,
        True,
    ]  # the first "Bob"
    assert batch.shape == (2, 2, 1)
