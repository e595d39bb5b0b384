"""A builder made by docs/adding-a-builder.md gets all that the others have."""

from __future__ import annotations

import json
from pathlib import Path

from corefmill.cli.command import call_command, make_builder_command
from corefmill.corpora import manifest
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.toy import build as toy
from tests.builders.corpus.toy.options import ToyOptions

TEXT = """At noon Ann met Bob. Then Ann left.

It rained all day. It was late.

ann met nobody.

At noon Ann met Bob. Then Ann left.

At dusk Cyd sang to Dee, and Dee to Cyd.
"""


def test_a_new_builder_has_splits_forms_rejects_card_and_manifest(tmp_path: Path) -> None:
    out, tale = tmp_path / "out", tmp_path / "tale.txt"
    tale.write_text(TEXT, encoding="utf-8")
    command = make_builder_command("toy", ToyOptions, f"{toy.__name__}:Toy")
    options = {"nlp": "en_mini", "text": tale, "out": out, "workers": 1, "keep_rejects": True}
    call_command(command, {**options, "quiet": True})
    made = manifest.read(out)
    assert (made.schema, made.splits) == ("masked-example/1", {"train": 2, "validation": 0})
    first, second = manifest.records(out, "train")
    assert isinstance(first, MaskedExample) and isinstance(second, MaskedExample)
    assert first.masked_text == "At noon Ann met Bob. Then [MASK] left."
    assert second.answer == "Cyd"
    assert json.loads((out / "rejects.json").read_text("utf-8")) == {
        "input": {},
        "draft": {"nothing_repeated": 1, "one_name": 1},
        "corpus": {"repeated_passage": 1},
    }
    assert len((out / "rejects.jsonl").read_text("utf-8").splitlines()) == 3
    assert {"train.jsonl", "train.conll", "train.txt", "lengths.png"} <= set(made.files)
    card = (out / "README.md").read_text("utf-8")
    assert "\n# Masked repeats from tale\n" in card
    assert "- A capitalised word is taken for a name." in card
    assert "build toy --lang en --nlp en_mini --text" in card
