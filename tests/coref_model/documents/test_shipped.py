"""The model of documents that ships: small, found by its name, with a card; it answers at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.coref_model import SMALL, load
from corefmill.coref_model.encoder import names
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document
from tests.commands import command
from tools.en_coref import texts

EVERYDAY = Path(__file__).parent / "everyday.jsonl"
TEXT = "Ann met Eve. She smiled at her."


def words(document: Document) -> list[set[str]]:
    """Of each cluster of two and more the words of its mentions."""
    assert document.text is not None
    spans = [list(map(document.locate, own)) for own in document.clusters if len(own) > 1]
    return [{document.text[slice(*span)] for span in own if span} for own in spans]


def test_it_needs_no_encoder_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        names, "locate_encoder", lambda *_, **__: pytest.fail("asks for an encoder")
    )
    assert load().read("Ann met Eve.").clusters


def test_it_answers_text_on_standard_input(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    with (tmp_path / "text").open("rb") as given:
        done = command("corefmill", "predict", "-", stdin=given)
    assert done.returncode == 0, done.stderr
    piped = jsonl.loads(done.stdout, Document)
    assert words(piped) == words(load().read(TEXT)) == [{"Ann", "She"}, {"Eve", "her"}]


def test_everyday_texts() -> None:
    """The texts are gold, and not to be changed where a model errs; this is what it reaches."""
    found = texts(SMALL, EVERYDAY)
    assert found["names found"] >= 0.9
    assert found["repeated names linked"] >= 0.75
    assert found["pronouns right"] >= 0.45
