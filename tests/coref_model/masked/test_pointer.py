"""The pointer: its scores, and its task."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from corefmill.coref_model.encoder.encoder import EncodingCache
from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.masked.passages import pointed
from corefmill.coref_model.masked.pointer import (
    KIND,
    PLACES,
    Pointer,
    PointerSettings,
    PointerTask,
    answers,
    collate,
)
from corefmill.coref_model.prediction import predictor
from corefmill.coref_model.training.checkpoint import saved_parameters
from corefmill.coref_model.training.config import presets_of, resolve
from corefmill.coref_model.training.loop import train
from corefmill.coref_model.training.task import kind_of
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, MaskedExample
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


SETS = ["encoder=tiny", "trained=false", "lr=0.01", "hidden=8", "pair_width=16", "epochs=8"]

# Who does something to somebody is meant, whatever the names.
_NAMES = ("Ann", "Eve", "Joan", "Lucy", "Mary", "Ruth")
_VERBS = ("called", "told", "thanked")
SUBJECTS = tuple(
    example(
        f"{one} {verb} {two}, for she was glad.", "she", *sorted((one, two)), label=int(one > two)
    )
    for one in _NAMES
    for two in _NAMES
    for verb in _VERBS
    if one != two
)


def settings(*sets: str, presets: tuple[str, ...] = ()) -> PointerSettings:
    return resolve(PointerSettings, "pointer", presets=presets, sets=[*SETS, *sets])


def task(
    *sets: str,
    train: tuple[MaskedExample, ...] = PASSAGES,
    dev: tuple[MaskedExample, ...] = PASSAGES,
) -> PointerTask:
    made: PointerTask = KIND.make(
        load("tiny"), settings(*sets), {"train": train, "validation": dev}, 0
    )
    return made


def test_the_task_is_known_by_its_name() -> None:
    assert kind_of("pointer") is KIND


@pytest.mark.parametrize("preset", presets_of("pointer"))
def test_every_preset_is_whole(preset: str) -> None:
    assert resolve(PointerSettings, "pointer", presets=[preset])


def test_each_epoch_has_every_passage_once() -> None:
    made = task("batch_pieces=30")
    for epoch in (0, 1):
        drawn = [one.passage for batch in made.batches(epoch, 7) for one in batch]
        assert sorted(drawn) == [0, 1, 2]  # of the fourth passage the answer is not named
    assert made.batches(0, 7) == made.batches(0, 7)
    assert len(task("batch_pieces=1").batches(0, 0)) == 3


def test_a_share_of_the_pronouns_is_hidden_anew_each_epoch() -> None:
    made = task("hide=0.5", train=SUBJECTS)
    hidden = [
        {one.passage for batch in made.batches(epoch, 0) for one in batch if one.hidden}
        for epoch in (0, 1)
    ]
    assert all(20 < len(one) < 70 for one in hidden)
    assert hidden[0] != hidden[1]
    assert not any(one.hidden for batch in task("hide=0.0").batches(0, 0) for one in batch)


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
    first, second = (list(answers(one, made.settings, dev)) for one in (made.model, again))
    assert first == second


def test_the_loss_is_a_sum_over_passages() -> None:
    made = task("hide=0.0")
    made.model.eval()
    (batch,) = made.batches(0, 0)
    with torch.no_grad():
        whole, count = made.loss(batch)
        single = [made.loss((one,))[0].item() for one in batch]
    assert whole.item() == pytest.approx(sum(single), abs=1e-4)
    assert count == 3


def test_answers_are_those_of_evaluation_and_prediction() -> None:
    made = task()
    said = list(answers(made.model, made.settings, PASSAGES))
    ready = predictor.Predictor("pointer", made.model.eval(), made.model.encoder, made.settings)
    assert list(ready.answers(PASSAGES)) == said
    bare = [replace(one, label=None) for one in PASSAGES]
    labels = [one.label for one in ready.records(bare) if isinstance(one, MaskedExample)]
    assert labels == [one.choice for one in said]
    right = sum(one.label == label for one, label in zip(PASSAGES, labels, strict=True))
    assert made.evaluate()["accuracy"] == right / len(PASSAGES)


def test_a_corpus_of_another_kind_is_refused() -> None:
    with pytest.raises(DataError, match="split train holds a Document"):
        task(train=(Document("a", 0, "en", (), ()),))  # type: ignore[arg-type]


def test_a_frozen_encoder_reads_a_passage_once() -> None:
    made = task("hide=0.0")
    for _ in range(2):
        made.loss(made.batches(0, 0)[0])
    assert len(made.encodings) == 3
    (whole,) = made.batches(0, 0)
    made.model.eval()
    kept = made.loss(whole)[0].item()
    made.encodings = EncodingCache(0)
    assert made.loss(whole)[0].item() == pytest.approx(kept, abs=1e-5)
    assert len(made.encodings) == 0
