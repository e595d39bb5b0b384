"""The card of a trained model: what a reader asks, and front matter that the hub reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from huggingface_hub import ModelCard

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.training.trained_model import (
    EarlierModel,
    EncoderUsed,
    TrainedModel,
    base_of,
    render_card,
)


def model(**changes: object) -> TrainedModel:
    made = TrainedModel(
        task="masked",
        corpus="gap,mine",
        metric="accuracy",
        score=0.75,
        steps=9,
        best_step=6,
        ended_by="epochs",
        seconds=1.5,
        identity="x",
        sha256="s" * 64,
        init_from="",
        encoder=EncoderUsed("minilm", "f" * 64, False, 8),
        scores={"accuracy": 0.75, "gap.ties": float("inf")},
        settings={"seed": 3},
        corpora={
            "gap": {"lang": "en", "train": 2000, "validation": 454, "licence": "Apache-2.0"},
            "mine": {"lang": "it", "train": 9, "validation": 1, "held_out": 0.1, "licence": ""},
        },
        versions={"corefmill": "0.1.0"},
    )
    return replace(made, **changes)  # type: ignore[arg-type]


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


def test_no_share_of_a_few_examples_and_no_count_is_a_metric_of_the_hub() -> None:
    """One example once gave accuracy 1.0, with examples 1.0 and untrained 1.0 beside it."""
    scores = {"accuracy": 1.0, "examples": 1.0, "cut": 0.0, "ties": 0.0, "untrained": 1.0}
    text = render_card(model(scores=scores))
    assert not ModelCard(text).data.eval_results
    assert "| accuracy | too few to measure (n = 1) |" in text
    assert "| untrained | too few to measure (n = 1) |" in text and "1.0000 |" in text
    text = render_card(model(scores=scores | {"examples": 30.0}))
    [result] = ModelCard(text).data.eval_results or []
    assert (result.metric_type, result.metric_value) == ("accuracy", 1.0)
    several = {"gap.accuracy": 0.5, "gap.examples": 454.0, "dpr.accuracy": 1.0, "dpr.examples": 2.0}
    [result] = ModelCard(render_card(model(scores=several))).data.eval_results or []
    assert result.metric_type == "gap.accuracy"


def test_it_says_base_data_seed_and_licence() -> None:
    text = render_card(model())
    for said in (
        "frozen, with LoRA deltas of rank 8",
        "| GAP: gendered ambiguous pronouns in Wikipedia | en | 2000 + 454 | Apache-2.0 |",
        "| mine | it | 9 + 1, 10% held out | not known |",
        "| accuracy | 0.7500 |",
        "Seed 3",
        "after step 6 of 9",
        "no test data were",
    ):
        assert said in text


@pytest.mark.parametrize(
    ("licence", "said"),
    [
        ("Apache-2.0", "apache-2.0"),
        ("CC BY-NC-SA 4.0", "cc-by-nc-sa-4.0"),
        ("CC0 1.0", "cc0-1.0"),
        ("CC BY-SA 4.0 and more", "other"),
        ("", "other"),
    ],
)
def test_the_hub_gets_the_licence_by_its_name(licence: str, said: str) -> None:
    only = {"gap": model().corpora["gap"] | {"licence": licence}}
    assert f"\nlicense: {said}\n" in render_card(model(corpora=only, corpus="gap"))


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
    assert base_of(name) == base
    assert "/home" not in render_card(made)
    assert "It began with another model" in render_card(made)


def test_a_folder_of_such_a_name_is_no_name_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it become one where it is not: base_of looked into the current folder."""
    load("tiny").save(tmp_path / "encoders/ours")
    monkeypatch.chdir(tmp_path)
    used = EncoderUsed(load("encoders/ours").name, "f", True, 0)
    (tmp_path / "bert").mkdir()
    monkeypatch.chdir(tmp_path / "bert")
    assert base_of(used.name) is None
    assert "encoders/ours" not in render_card(model(encoder=used))
    monkeypatch.chdir(tmp_path)
    assert base_of("bert") == "bert"


def test_a_name_is_no_markup() -> None:
    text = render_card(model(corpus="<b>|x\n# y"))
    assert "\n# y" not in text and "<b>" not in text.partition("---\n\n")[2]


def test_it_names_the_files_and_the_model_that_it_began_with() -> None:
    own = {"files": [c * 64 for c in "abcdef"], "validation_files": ["0" * 64], "licence": "MIT"}
    before = EarlierModel("9" * 64, {"first": {"files": ["8" * 64], "licence": "CC-BY-SA-4.0"}})
    text = render_card(model(corpora={"mine": own}, init_from="/m/first", began_with=(before,)))
    assert f"for the same task, SHA-256 of its weights {'9' * 16}." in text
    digests = ", ".join(c * 16 for c in "abcd")
    assert f"- mine: learnt from {digests} and 2 more; development split {'0' * 16}\n" in text
    assert f"- first: learnt from {'8' * 16}\n" in text
    assert "The data's: CC-BY-SA-4.0, MIT." in text and "/m/first" not in text


def test_it_lists_no_files_where_none_are_known() -> None:
    assert "Files, by SHA-256" not in render_card(model())
