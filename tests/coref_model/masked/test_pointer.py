"""The pointer: its scores, and its task."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import pytest
import torch

from corefmill.coref_model.encoder.encoder import EncodingCache
from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.masked.passages import make_passage
from corefmill.coref_model.masked.pointer import (
    KIND,
    Pointer,
    PointerSettings,
    PointerTask,
    collate,
    score_examples,
)
from corefmill.coref_model.training.checkpoint import saved_parameters
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import train
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample
from tests.coref_model.masked.passages import PASSAGES, example, tiny


def pointer(*, features: bool = True) -> Pointer:
    """A random pointer, the features' weights not 0 either."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        sets = ["hidden=8", "pair_width=12", f"features={str(features).lower()}", "dropout=0.0"]
        made = Pointer(tiny(), resolve(PointerSettings, "pointer", sets=sets))
        if made.features is not None:
            torch.nn.init.normal_(made.features.table.weights.weight)
    return made.eval()


def scores(model: Pointer, *examples: MaskedExample) -> list[list[float]]:
    passages = [make_passage(one, model.encoder.pieces, 512, hidden=False) for one in examples]
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


SETS = ["encoder=tiny", "trained=false", "lr=0.01", "hidden=8", "pair_width=16", "epochs=8"]

# Who does something to somebody is meant, whatever the names.
SUBJECTS = tuple(
    example(f"{a} {verb} {b}, for she was glad.", "she", *sorted((a, b)), label=int(a > b))
    for a, b in permutations(("Ann", "Eve", "Joan", "Lucy", "Mary", "Ruth"), 2)
    for verb in ("called", "told", "thanked")
)


def task(
    *sets: str,
    train: tuple[MaskedExample, ...] = PASSAGES,
    dev: tuple[MaskedExample, ...] = PASSAGES,
) -> PointerTask:
    settings = resolve(PointerSettings, "pointer", sets=[*SETS, *sets])
    made: PointerTask = KIND.make(load("tiny"), settings, {"train": train, "validation": dev}, 0)
    return made


def test_what_cannot_be_pointed_at_teaches_nothing_and_is_told() -> None:
    nowhere = example("Ann met Bob; he left.", "he", "Eve", "Bob")
    unknown = example("Ann met Bob; he left.", "he", "Ann", "Bob", label=None)
    made = task(train=(nowhere, unknown, *PASSAGES))
    assert len(made.train) == 3
    assert made.notes == ["split train: the answers of 2 of 5 examples are not named"]
    with pytest.raises(DataError, match="no example whose right candidate stands"):
        task(train=(nowhere,))


def test_a_window_without_the_answer_counts_no_item() -> None:
    one = example("Ann met Bob and then for a long time she was late for all.", "she", "Ann", "Bob")
    made = task("length=8", train=(one,))
    loss, count = made.loss(made.batches(0, 0)[0])
    assert (loss.item(), count) == (0.0, 0)


def test_it_learns_who_is_meant_by_roles_of_names_never_seen(tmp_path: Path) -> None:
    dev = tuple(one for one in SUBJECTS if "Ruth" in one.text)
    rest = tuple(one for one in SUBJECTS if "Ruth" not in one.text)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        made = task("lr=0.003", train=rest, dev=dev)
    assert made.evaluate()["accuracy"] < 0.9
    done = train(made, made.settings, tmp_path, quiet=True)
    assert done.score > 0.95
    again = KIND.load(load("tiny"), made.settings, saved_parameters(made.model)).eval()
    assert isinstance(again, Pointer)
    first, second = (list(score_examples(one, made.settings, dev)) for one in (made.model, again))
    assert first == second


def test_a_frozen_encoder_reads_a_passage_once() -> None:
    made = task("hide=0.0")
    for _ in range(2):
        made.loss(made.batches(0, 0)[0])
    assert len(made.encodings._encodings) == 3
    (whole,) = made.batches(0, 0)
    made.model.eval()
    kept = made.loss(whole)[0].item()
    made.encodings = EncodingCache(0)
    assert made.loss(whole)[0].item() == pytest.approx(kept, abs=1e-5)
    assert not made.encodings._encodings
