"""The task: it learns, says what it leaves out, and refuses what it cannot learn from."""

from __future__ import annotations

from collections.abc import Sequence
from csv import DictReader
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from corefmill.coref_model.documents.task import KIND, DocumentTask
from corefmill.coref_model.encoder import load
from corefmill.coref_model.trainer import CorefTraining, TrainingRequest, prepare
from corefmill.coref_model.training.checkpoint import saved_parameters
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.find import find_corpus
from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Document, Mention
from tests.coref_model.documents.made import document, sample, settings


def task(train: Sequence[Any], dev: Sequence[Any], **own: Any) -> DocumentTask:
    encoder = load("tiny", trained=bool(own.get("trained", False)))
    torch.manual_seed(0)
    return KIND.make(encoder, settings(**own), {"train": train, "validation": dev}, 0)


def test_singletons_need_a_loss_for_mentions() -> None:
    with pytest.raises(UsageError, match="mention_loss"):
        task(sample()[:2], sample()[:2], singletons="keep", mention_loss=0.0)


def test_what_is_left_out_is_said_and_counts_as_missed() -> None:
    one = document("a b c d", clusters=[[(0, 0, 1), Mention(0, 1, 1, zero=True)]])
    made = task([one], [one])
    assert made.notes == [
        "split train: 1 mentions are zero mentions",
        "split validation: 1 mentions are zero mentions",
    ]


def test_a_long_document_is_learnt_in_parts_and_that_is_said() -> None:
    made = task(sample()[:2], sample()[:2], batch_pieces=60)
    assert made.notes[-1].startswith("long documents of split train were cut into")
    batches = made.batches(0, 0)
    assert sorted(batches) == [[at] for at in range(len(batches))] and len(batches) > 4


def test_several_development_splits_and_a_checkpoint() -> None:
    encoder = load("tiny")
    splits = {"train": sample()[:2], "one": sample()[:1], "two": sample("validation")[:1]}
    made = KIND.make(encoder, settings(singletons="keep"), splits, 0)
    scores = made.evaluate()
    assert scores["conll"] == pytest.approx((scores["one.conll"] + scores["two.conll"]) / 2)
    again = KIND.load(load("tiny"), settings(), saved_parameters(made.model))
    assert bool(again.singletons)
    one = sample()[3]
    made.model.eval()
    assert again.eval()(one) == made.model(one)


@pytest.mark.parametrize(
    ("train", "dev", "message"),
    [
        ([], sample()[:1], "split train has no documents"),
        (sample()[:1], [], "split validation has no documents"),
        ([document("a b")], sample()[:1], "none of the 1 documents of split train has clusters"),
        (["x"], sample()[:1], "split train holds a str, not documents"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(train: Any, dev: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        task(train, dev)


def _weighing(one: Document, weights: Sequence[float]) -> Document:
    said = [[at, f"# weight = {weight}"] for at, weight in enumerate(weights)]
    return replace(one, meta={"conll": {"comments": said}})


def _trained(train: Sequence[Document]) -> dict[str, torch.Tensor]:
    """The scorers after an epoch."""
    made = task(train, sample()[:1])
    optimizer = torch.optim.AdamW([{"params": g.parameters, "lr": g.lr} for g in made.groups()])
    made.model.train()
    for batch in made.batches(0, 0):
        loss, number = made.loss(batch)
        (loss / number).backward()
        optimizer.step()
        optimizer.zero_grad()
    return saved_parameters(made.model)


def test_weights_of_1_change_no_bit_and_others_do() -> None:
    plain = sample()[:2]
    whole = [_weighing(one, [1.0] * len(one.sentences)) for one in plain]
    # The second half of each document is taken to be wrong.
    half = [
        _weighing(one, [float(at < len(one.sentences) / 2) for at in range(len(one.sentences))])
        for one in plain
    ]
    unweighted = _trained(plain)
    for name, tensor in _trained(whole).items():
        assert torch.equal(tensor, unweighted[name]), name
    assert any(not torch.equal(x, unweighted[name]) for name, x in _trained(half).items())


def test_a_split_that_weighs_nothing_is_refused() -> None:
    one = sample()[0]
    with pytest.raises(DataError, match="every sentence of split train has the weight 0"):
        task([_weighing(one, [0.0] * len(one.sentences))], [one])


def test_an_encoder_that_is_tuned_learns_at_its_own_rate_and_goes_on_when_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for split, its in (("train", sample()[:4]), ("dev", sample()[:1])):
        (tmp_path / "mine").mkdir(exist_ok=True)
        conll2012.write(tmp_path / f"mine/{split}.conll", its)

    def training(out: str) -> CorefTraining:
        request = TrainingRequest(
            corpora=[find_corpus(str(tmp_path / "mine"), data_dir=tmp_path)],
            out=tmp_path / out,
            presets=("cpu", "tuned"),
            sets=("encoder=tiny", "epochs=3", "hidden=8", "save_every=2"),
            quiet=True,
        )
        return prepare(request)

    whole = training("whole")
    assert (whole.settings.trained, whole.settings.lr_encoder) == (True, 1e-4)
    model = whole.run()
    with monkeypatch.context() as patched:
        losses = iter([DocumentTask.loss] * 7)
        patched.setattr(DocumentTask, "loss", lambda *given: next(losses)(*given))
        with pytest.raises(StopIteration):
            training("parts").run()
    resumed = training("parts").run()
    assert resumed.sha256 == model.sha256 and resumed.encoder.trained
    with (tmp_path / "parts/log.csv").open() as file:
        rates = [(float(row["lr encoder"]), float(row["lr ranking"])) for row in DictReader(file)]
    encoder = [rate for rate, _ in rates]
    assert encoder == pytest.approx([rate / 10 for _, rate in rates])
    top = encoder.index(max(encoder))
    assert encoder[: top + 1] == sorted(encoder[: top + 1]) and top < len(encoder) - 1
    assert encoder[top:] == sorted(encoder[top:], reverse=True) and encoder[-1] > 0
