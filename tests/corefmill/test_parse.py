"""`corefmill parse`: what it writes and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import spacy

from corefmill.corpora import find, record_meta
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import EventMention, MaskedExample, Source
from tests.commands import called, command, json_result
from tests.corefmill.dumps import error_line

TEXT = "The striking workers of Oslo attacked two men ."


def parse(*arguments: str | Path) -> Any:
    """The result of the command, which must end well."""
    code, told, errors = called("corefmill", "parse", *arguments, "--json")
    assert code == 0, errors
    return json_result(told)


def refused(*arguments: str | Path) -> str:
    return error_line(command("corefmill", "parse", *arguments))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    start = TEXT.index("attacked")
    one = EventMention("1", "en", TEXT, start, start + 8, "c", "", "", "", Source("d", 1))
    jsonl.write(tmp_path / "in.jsonl", [one])
    return tmp_path / "in.jsonl"


def test_a_verb_gets_its_lemma(source: Path) -> None:
    out = source.with_name("out.jsonl")
    told = parse(source, out, "--nlp", "en_mini")
    (found,) = jsonl.read(out, EventMention)
    assert (found.lemma, found.pos, found.ner) == ("attack", "VERB", None)
    assert TEXT[slice(*found.head or ())] == "attacked"
    assert (told["mentions"], told["lemmas"], told["entities"]) == (1, 1, 0)
    assert told["nlp"].startswith("en_")


def test_a_folder_keeps_its_splits_apart(source: Path, tmp_path: Path) -> None:
    (one,) = jsonl.read(source, EventMention)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    jsonl.write(corpus / "train.jsonl", [one, one])
    jsonl.write(corpus / "validation.jsonl", [one])
    jsonl.write(corpus / "test.jsonl", [])
    out = tmp_path / "out"
    assert parse(corpus, out, "--nlp", "en_mini")["mentions"] == 3
    found = find.open_corpus(out)
    assert {split: len(list(find.records(found, split))) for split in found.splits} == {
        "train": 2,
        "validation": 1,
    }
    assert "is there already" in refused(corpus, out, "--nlp", "en_mini", "--overwrite")
    parse(corpus, tmp_path / "all.jsonl", "--nlp", "en_mini")
    assert len(list(jsonl.read(tmp_path / "all.jsonl", EventMention))) == 3


def test_masked_examples_get_their_roles(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = "Anna thanked Bella. She smiled.\nShe\nAnna,Bella\nAnna\n\n"
    (tmp_path / "a.txt").write_text(text)
    told = parse(tmp_path / "a.txt", tmp_path / "out.jsonl", "--nlp", "en_mini")
    assert (told["examples"], told["unparsed"]) == (1, 0)
    (found,) = jsonl.read(tmp_path / "out.jsonl", MaskedExample)
    assert found.mentions == ((0, 0, 4), (1, 13, 18))
    assert [one and (one.role, one.sentence) for one in record_meta.read_syntax(found)] == [
        ("subject", 2),
        ("subject", 1),
        ("object", 1),
    ]


def test_each_record_is_parsed_in_its_own_language(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    said = {"en": "Anna saw Maria, and she smiled.", "it": "Anna vide Maria, ed ella sorrise."}
    examples = []
    for lang, text in said.items():
        start = text.index("she" if lang == "en" else "ella")
        target = (start, text.index(" ", start))
        names = ("Anna", "Maria")
        examples.append(MaskedExample(lang, lang, text, (), target, names, (), 0, Source("d", 1)))
    jsonl.write(tmp_path / "in.jsonl", [*examples, *examples[:1]])
    used = parse(tmp_path / "in.jsonl", tmp_path / "out.jsonl")["nlp"].split(", ")
    assert [one.split("_")[0] for one in used] == ["en", "it"]  # each is loaded once
    given = tmp_path / "in.jsonl", tmp_path / "other.jsonl", "--nlp", "en_mini"
    assert "'it'" in refused(*given)
    assert not (tmp_path / "other.jsonl").exists()


def test_a_pipeline_without_trees_gives_no_heads(source: Path, tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert "has no parser" in refused(source, tmp_path / "out.jsonl", "--nlp", tmp_path / "blank")
    assert not (tmp_path / "out.jsonl").exists()
