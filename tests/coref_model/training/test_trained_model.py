"""The card of a trained model: what a reader asks, and front matter that the hub reads."""

from __future__ import annotations

from typing import Any

import pytest
from huggingface_hub import ModelCard

from corefmill.coref_model.training.trained_model import (
    EarlierModel,
    EncoderUsed,
    TrainedModel,
    find_hub_name,
    render_card,
)
from tests.coref_model.training.test_checkpoint import about


def model(**changes: Any) -> TrainedModel:
    corpora = {
        "gap": {"lang": "en", "train": 2000, "validation": 454, "licence": "Apache-2.0"},
        "mine": {"lang": "it", "train": 9, "validation": 1, "held_out": 0.1, "licence": ""},
    }
    own = {
        "corpus": "gap,mine",
        "metric": "accuracy",
        "scores": {"accuracy": 0.75, "gap.ties": float("inf")},
        "encoder": EncoderUsed("minilm", "f" * 64, False, 8),
        "corpora": corpora,
    }
    return TrainedModel(**about() | own | {"sha256": "s" * 64} | changes)


def test_the_hub_reads_its_front_matter() -> None:
    data = ModelCard(render_card(model())).data
    assert (data.base_model, data.library_name) == (
        "sentence-transformers/all-MiniLM-L6-v2",
        "corefmill",
    )
    assert (data.language, data.license) == (["en", "it"], "other")
    [result] = data.eval_results or []
    assert (result.metric_type, result.metric_value) == ("accuracy", 0.75)
    assert (result.dataset_name, result.dataset_split) == ("gap,mine", "validation")


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("bert-base-uncased", "bert-base-uncased"),
        ("org/small-bert", "org/small-bert"),
        ("tiny", None),
        ("/home/ann/secret/bert", None),
        ("a/b/c", None),
        ("./encoders", None),
        ("../ours", None),
    ],
)
def test_no_path_of_the_machine_is_on_it(name: str, base: str | None) -> None:
    made = model(encoder=EncoderUsed(name, "f", True, 0), init_from="/home/ann/models/first")
    assert find_hub_name(name) == base
    assert "/home" not in render_card(made)
    assert "It began with another model" in render_card(made)


def test_a_name_is_no_markup() -> None:
    text = render_card(model(corpus="<b>|x\n# y"))
    assert "\n# y" not in text and "<b>" not in text.partition("---\n\n")[2]


def test_it_names_the_model_that_it_began_with() -> None:
    own = {"mine": {"licence": "MIT"}}
    before = EarlierModel("9" * 64, {"first": {"licence": "CC-BY-SA-4.0"}})
    text = render_card(model(corpora=own, init_from="/m/first", began_with=(before,)))
    assert f"for the same task, SHA-256 of its weights {'9' * 16}." in text
    assert "The data's: CC-BY-SA-4.0, MIT." in text and "/m/first" not in text
