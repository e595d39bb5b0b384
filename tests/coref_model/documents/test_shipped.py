"""The models that ship: small, found by name or by what they are given; they answer at once."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from corefmill.coref_model import SHIPPED_FOR, SMALL, load
from corefmill.coref_model.encoder import names
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document, MaskedExample, Source
from tests.commands import command, json_result
from tools.en_coref import texts

NAME = re.compile(r"[A-Z]\w+ [A-Z]\w+")
PRONOUN = re.compile(r"\b(she|his|her)\b")
EVERYDAY = Path(__file__).parent / "everyday.jsonl"
TEXT = "Ann met Eve. She smiled at her."


def make_example(text: str, right: int) -> MaskedExample:
    """An example of the first two full names and the last pronoun of a text."""
    names = [(found.span(), found.group()) for found in NAME.finditer(text)][:2]
    *_, pronoun = PRONOUN.finditer(text)
    mentions = tuple((at, *span) for at, (span, _) in enumerate(names))
    candidates = tuple(name for _, name in names)
    source = Source("ours", 0)
    return MaskedExample(text, "en", text, (), pronoun.span(), candidates, mentions, right, source)


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


def test_pronouns_with_candidates_are_answered_by_the_pointer(tmp_path: Path) -> None:
    """Items of ours; the model's card has its scores."""
    texts = {
        "When Ann Lee left the firm, she met Eve Ford. In York she wrote her first novel.": 0,
        "Tom Hill met Ben Wood. Later Wood became a painter. In Paris they hang his pictures.": 1,
        "Ann Lee told the story to Eve Ford. She had heard it from her father.": 0,
        "Ann Lee saw Eve Ford in the garden and waved to her.": 1,
    }
    given = tmp_path / "pronouns.jsonl"
    jsonl.write(given, [make_example(text, right) for text, right in texts.items()])
    answered = command("corefmill", "predict", given)
    assert answered.returncode == 0, answered.stderr
    lines = map(json.loads, answered.stdout.splitlines())
    assert [one["label"] for one in lines] == list(texts.values())
    scored = command("corefmill", "evaluate", "--model", "en", "--corpus", given, "--json")
    assert json_result(scored.stdout)["model"] == SHIPPED_FOR["masked"]


def test_no_single_model_reads_events_or_a_mixture(tmp_path: Path) -> None:
    example = make_example("Ann Lee met Eve Ford when she came.", 0)
    jsonl.write(tmp_path / "pronouns.jsonl", [example])
    (tmp_path / "story.txt").write_text(TEXT)
    done = command("corefmill", "predict", tmp_path / "pronouns.jsonl", tmp_path / "story.txt")
    assert done.returncode == 2
    assert "no single English model ships for documents and masked" in done.stderr
