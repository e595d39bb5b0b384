"""A builder made by docs/adding-a-builder.md is small, and gets all that the others have."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from corefmill.cli.command import call_command, make_builder_command
from corefmill.corpora import manifest
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.toy import build as toy
from tests.builders.corpus.toy.options import ToyOptions

ROOT = Path(__file__).parents[3]
FOLDER = Path(toy.__file__).parent
MOST_FILES, MOST_LINES = 6, 150

TEXT = """At noon Ann met Bob. Then Ann left.

It rained all day. It was late.

ann met nobody.

At noon Ann met Bob. Then Ann left.

At dusk Cyd sang to Dee, and Dee to Cyd.
"""


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., Path]:
    """Build the toy, which its options and its builder make a command, on the text."""
    (tmp_path / "tale.txt").write_text(TEXT, encoding="utf-8")
    command = make_builder_command("toy", ToyOptions, f"{toy.__name__}:Toy")

    def run(out: str, **more: object) -> Path:
        options = {"nlp": "en_mini", "text": tmp_path / "tale.txt", "out": tmp_path / out, **more}
        call_command(command, {**options, "quiet": True})
        return tmp_path / out

    return run


def test_a_builder_is_small() -> None:
    files = list(FOLDER.glob("*.py"))
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in files)
    assert len(files) <= MOST_FILES
    assert lines <= MOST_LINES
    page = (ROOT / "docs/adding-a-builder.md").read_text("utf-8")
    assert f"{MOST_FILES} files and {MOST_LINES} lines" in page
    assert all(path.name in page for path in files)


def test_a_new_builder_has_splits_forms_rejects_card_and_manifest(
    build: Callable[..., Path],
) -> None:
    out = build("out", workers=1, keep_rejects=True)
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


def test_a_new_builder_gives_the_same_bytes_with_any_workers(build: Callable[..., Path]) -> None:
    one, two = build("one", workers=1), build("two", workers=2)
    for name in manifest.read(one).files:
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_a_new_builder_takes_a_limit(build: Callable[..., Path]) -> None:
    assert manifest.read(build("out", limit=1)).splits == {"train": 1, "validation": 0}
