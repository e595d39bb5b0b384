"""The control corpus from texts whose sentences have known lengths."""

from __future__ import annotations

from collections import Counter
from itertools import cycle, islice
from pathlib import Path

import pytest

from corefmill.builders.wikirand.quotas import Cell
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample
from tests.builders.wikirand.small import built, pipeline, write_corpus, write_text
from tests.commands import command

# Single sentences of 6, 9 and 12 tokens, and pairs of neighbours: 6 + 9, 9 + 12, 12 + 6.
LENGTHS = list(islice(cycle([6, 9, 12]), 150))
SIZES = {Cell(1, 6): 10, Cell(1, 12): 7, Cell(2, 15): 8, Cell(2, 21): 5}


@pytest.fixture(scope="module")
def nlp(tmp_path_factory: pytest.TempPathFactory) -> str:
    return pipeline(tmp_path_factory.mktemp("pipeline"))


def _sizes(examples: list[MaskedExample]) -> Counter[Cell]:
    return Counter(Cell(len(e.sentences), len(e.meta["tokens"])) for e in examples)


def test_the_sizes_are_met_exactly_where_the_text_suffices(tmp_path: Path, nlp: str) -> None:
    like = write_corpus(tmp_path / "like", SIZES, validation=6)
    texts = [write_text(tmp_path / f"{n}.txt", LENGTHS[n:]) for n in range(3)]
    examples = built(like, texts, nlp, tmp_path / "out")
    made = manifest.read(tmp_path / "out")
    assert _sizes(examples) == SIZES
    assert made.splits == {"train": 24, "validation": 6}
    assert made.counts["fit"]["same_size"] == 30
    assert (made.name, made.warnings) == ("wikirand-en", [])
    assert len({e.text.casefold() for e in examples}) == len({e.id for e in examples}) == 30
    for example in examples:
        assert example.answer is not None and example.answer.isalpha() and len(example.answer) > 1
        assert example.answer == example.text[slice(*example.target)]


def test_the_quotation_mark_between_two_sentences_is_in_passages_of_both_alone(
    tmp_path: Path, nlp: str
) -> None:
    # Clean mode leaves the mark that opens the next sentence out of both. It was a token at -1.
    text = tmp_path / "novel.txt"
    text.write_text('He said so. "You may go now, Ada.\n', encoding="utf-8")
    like = write_corpus(tmp_path / "like", {Cell(1, 7): 1, Cell(1, 4): 1, Cell(2, 12): 1})
    examples = built(like, [text], nlp, tmp_path / "out")
    found = {e.text: " ".join(e.text[slice(*span)] for span in e.meta["tokens"]) for e in examples}
    assert found == {
        "You may go now, Ada.": "You may go now , Ada .",
        "He said so.": "He said so .",
        'He said so. "You may go now, Ada.': 'He said so . " You may go now , Ada .',
    }


def test_too_little_text_gives_fewer_and_says_so(tmp_path: Path, nlp: str) -> None:
    like = write_corpus(tmp_path / "like", {Cell(1, 6): 4, Cell(1, 60): 6}, validation=5)
    text = write_text(tmp_path / "novel.txt", [6, 7, 9, 58])
    examples = built(like, [text], nlp, tmp_path / "out")
    # 7 and 9 are within reach of 6, 58 is within reach of 60; five of that are missing.
    made = manifest.read(tmp_path / "out")
    assert _sizes(examples) == {Cell(1, 6): 1, Cell(1, 7): 1, Cell(1, 9): 1, Cell(1, 58): 1}
    assert made.splits == {"train": 2, "validation": 2}
    assert [warning.split(",")[0] for warning in made.warnings] == [
        "passages of the nearest length in place of the one wanted: 3",
        "examples missing: 6 of 10",
    ]


def test_nothing_of_the_wanted_sizes_is_an_error(tmp_path: Path, nlp: str) -> None:
    like = write_corpus(tmp_path / "like", {Cell(1, 60): 6})
    text = write_text(tmp_path / "novel.txt", [6, 7, 9])
    with pytest.raises(DataError, match="no passage of any length that the corpus in --like has"):
        built(like, [text], nlp, tmp_path / "out")


def test_a_repeated_passage_is_drawn_once(tmp_path: Path, nlp: str) -> None:
    like = write_corpus(tmp_path / "like", {Cell(1, 6): 5})
    text = tmp_path / "novel.txt"
    text.write_text("The old mill stood there.\n\n" * 60 + "Nobody knew who built it.\n")
    examples = built(like, [text], nlp, tmp_path / "out")
    assert sorted(e.text for e in examples) == [
        "Nobody knew who built it.",
        "The old mill stood there.",
    ]


def test_paper_mode_masks_ascii_words_the_right_one_first(tmp_path: Path, nlp: str) -> None:
    like = write_corpus(tmp_path / "like", {Cell(1, 5): 3})
    text = tmp_path / "novel.txt"
    text.write_text("Eine alte Mühle stand.\n\nDer Müller ging früh.\n\nÖdön mäht über Äste.\n")
    examples = built(like, [text], nlp, tmp_path / "out", mode="paper")
    assert len(examples) == 2
    assert all(word.isascii() for e in examples for word in e.candidates)
    assert {e.label for e in examples} == {0}


def test_one_worker_or_two_give_the_same_bytes(
    tmp_path: Path, nlp: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    like = write_corpus(tmp_path / "like", SIZES, validation=6)
    # Whole texts of about so many characters are a unit.
    monkeypatch.setattr("corefmill.builders.sources.text._PACK", 10_000)
    texts = [write_text(tmp_path / f"{n}.txt", LENGTHS[n:]) for n in range(3)]
    files = {}
    for workers in (1, 2):
        out = tmp_path / f"out{workers}"
        built(like, texts, nlp, out, workers=workers)
        files[workers] = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
    assert manifest.read(tmp_path / "out1").build["units"] > 1
    assert files[1] == files[2]


def test_what_is_no_corpus_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    done = command("build", "wikirand", "--lang", "en", "--like", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"build: {tmp_path}: no corpus is here")
    assert "build wikicrem --lang en" in done.stderr
    assert done.stderr.count("\n") == 1
