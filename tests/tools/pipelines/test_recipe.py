"""The recipe: its parts on a few lines of data written here, and its errors."""

import bz2
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from typer.testing import CliRunner

from tools.pipelines import augment, clean, novels, recipe, sources, teacher
from tools.pipelines.english import DUMP, GUM, HELD_OUT_NOVELS
from tools.pipelines.sources import Sample

WORDS = clean.word_tables("en")


def _columns(sentences: list[list[tuple[str, str]]], line: str) -> str:
    """Sentences of (word, tag), one word a line, in the shape of `line`."""
    return "".join(
        "".join(line.format(i=i, word=w, tag=t) + "\n" for i, (w, t) in enumerate(s, 1)) + "\n"
        for s in sentences
    )


def _surfaces(sample: Sample) -> list[tuple[str, str]]:
    return [(sample.text[start:end], label) for start, end, label in sample.spans]


def _document(rows: str) -> str:
    return f"#begin document (x); part 0\n{rows}#end document\n"


def _little_data(folder: Path) -> Path:
    """The folders that the recipe reads, with a few sentences in each file."""
    named = [("Anna", "B-PER"), ("saw", "O"), ("Leeds", "B-LOC"), (".", "O")]
    bodies = [("Acme", "B-ORG"), ("made", "O"), ("Pong", "B-MISC"), (".", "O")]
    texts = {
        "ner/wikineural/en-train.conllu": _columns([named, bodies] * 60, "{i}\t{word}\t{tag}"),
        "ner/wikineural/en-train2.conllu": _columns([bodies, named] * 60, "{i}\t{word}\t{tag}"),
        "gap/gap-development.tsv": "ID\tText\tPronoun\tA\tA-offset\tB\tB-offset\n"
        "1\tAnna met Carl and she left.\tshe\tAnna\t0\tCarl\t9\n",
    }
    row = "{i}\t{word}\t{tag}\t-\t-"
    for part in ("en_ewt-ud-dev", "en_pud-ud-test"):
        lines = _columns([named] * 5, row).replace("1\tAnna", "# text = Anna saw Leeds .\n1\tAnna")
        texts[f"ner/uner/{part}.iob2"] = lines
    tree = (
        "1\tAnna\tAnna\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\t_\n"
        "2\tsaw\tsee\tVERB\tVBD\tTense=Past\t0\troot\t_\t_\n"
        "3\tLeeds\tLeeds\tPROPN\tNNP\tNumber=Sing\t2\tobj\t_\tSpaceAfter=No\n"
        "4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
    )
    for part in ("train", "dev"):
        texts[f"ud/en/en_ewt-ud-{part}.conllu"] = tree * 30
    for book in ("1_a_book", HELD_OUT_NOVELS[0]):
        row = "{word}\t{tag}"
        chain = [("Anna", "(1)"), ("said", "_"), ("she", "(1)"), ("knew", "_"), (".", "_")]
        prefix = "x\t0\t0\t{word}" + "\t_" * 8 + "\t{tag}"
        texts[f"litbank/conll/{book}_brat.conll"] = _document(_columns([chain] * 3, prefix))
        texts[f"litbank/original/{book}.txt"] = "Then, Anna said that she knew. " * 9 + "\n\n"
    texts["/".join(GUM)] = _document(_columns([chain] * 2, prefix))
    page = (
        "<page><title>Anna</title><ns>0</ns><id>1</id><revision><text>{}</text></revision></page>"
    )
    said = "Anna went to Leeds, and there Anna saw what nobody else had seen before. " * 4
    dump = "<mediawiki><siteinfo><dbname>enwiki</dbname></siteinfo>{}</mediawiki>"
    packed = folder.joinpath(*DUMP)
    packed.parent.mkdir(parents=True)
    packed.write_bytes(bz2.compress(dump.format(page.format(said)).encode()))
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


class Teacher:
    """Stands for the real one, whose weights are not here: a capital makes a person."""

    def __init__(self, labels: Sequence[str], seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def train(self, samples: Sequence[Sample], epochs: int, say: Any) -> None:
        say(f"teacher: {len(samples)} samples")

    def label(self, texts: Sequence[str]) -> list[Sample]:
        return [Sample(text, ((0, text.index(" "), "PER"),)) for text in texts]

    def vocabulary(self) -> list[str]:
        return ["anna", "the", "of"]

    def word_states(self, words: Sequence[str]) -> Iterator[Any]:
        yield from self.rng.normal(size=(len(words), 3, 64))


def test_a_little_data_gives_a_pipeline_that_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teacher, "Teacher", Teacher)
    monkeypatch.setattr(teacher, "weights", lambda: Path())
    data, out = _little_data(tmp_path / "data"), tmp_path / "not" / "there" / "en_mini"
    work = tmp_path / "work"
    arguments = ["en_mini", "--data", str(data), "--out", str(out), "--work", str(work)]
    options = ["--epochs", "1", "--tree-epochs", "1", "--jobs", "1"]
    # Stopped before the scores, it goes on from there; begun otherwise, it refuses.
    with monkeypatch.context() as broken:
        broken.setattr(recipe.save, "write", lambda *_: 1 / 0)
        assert CliRunner().invoke(recipe.app, [*arguments, *options]).exit_code == 1
    refused = CliRunner().invoke(recipe.app, [*arguments, *options, "--seed", "2"])
    assert (refused.exit_code, "delete it or name another --work" in refused.output) == (2, True)
    done = CliRunner().invoke(recipe.app, [*arguments, *options])
    assert done.exit_code == 0, done.output
    assert "taking up what is there" in done.output
    assert "epoch 1 of 1" not in done.output
    assert not work.exists()
    assert "| UNER PUD | PER |" in (out / "README.md").read_text(encoding="utf-8")
    doc = spacy.load(out)("Anna saw Leeds.")
    assert [token.lemma_ for token in doc] == ["Anna", "see", "Leeds", "."]


def test_missing_data_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    arguments = ["en_mini", "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(recipe.app, arguments)
    assert done.exit_code == 2
    assert len(done.output.splitlines()) == 1
    assert DUMP[-1] in done.output


def test_unknown_recipe_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    arguments = ["xx_mini", "--data", str(tmp_path), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(recipe.app, arguments)
    assert (done.exit_code, done.output) == (
        2,
        f"no recipe for 'xx_mini'; legal names: {', '.join(recipe.RECIPES)}\n",
    )


def test_printed_form_is_restored() -> None:
    words = [
        "He",
        "said",
        ",",
        '"',
        "well-known",
        '"',
        "(",
        "1984",
        "–",
        "85",
        ")",
        "was",
        "Ann",
        "'s",
        "15th",
        "-",
        "largest",
        ".",
    ]
    text = sources.from_words(words, sources.detokenise(words), []).text
    assert text == 'He said, "well-known" (1984–85) was Ann\'s 15th-largest.'


def test_held_out_blocks_share_no_sentence_with_training() -> None:
    samples = [Sample(f"sentence {i % 900}") for i in range(1000)]
    training, kept = sources.held_out(samples, 0.1, seed=1)
    assert len(kept) == 100
    assert not {s.text for s in training} & {s.text for s in kept}


def test_titles_and_possessives_are_cut() -> None:
    text = "Sir Walter Elliot's"
    assert clean.trim(text, (0, len(text), "PER"), WORDS) == (4, 17, "PER")
    assert clean.trim("Captain", (0, 7, "PER"), WORDS) is None
    assert clean.trim("Don Carter", (0, 10, "PER"), WORDS) == (0, 10, "PER")


MIX = augment.Mix(shares={}, others=1, swapped={}, others_swapped=0, single=1, joined={})


def test_swaps_move_the_offsets() -> None:
    sample = Sample("Al saw Bo. Al left.", ((0, 2, "PER"), (11, 13, "PER")), ((7, 9),), (0, 11))
    names = augment.Names(("Wilhelmina",), ("Wilhelmina",), {})
    swapped = augment.swap(sample, names, random.Random(1), 1.0, MIX)
    assert swapped.text == "Wilhelmina saw Bo. Wilhelmina left."
    assert _surfaces(swapped) == [("Wilhelmina", "PER")] * 2
    assert [swapped.text[a:b] for a, b in swapped.unknown] == ["Bo"]
    assert swapped.text[swapped.starts[1] :] == "Wilhelmina left."


def test_a_swapped_person_keeps_its_build_and_a_place_is_swapped_as_often() -> None:
    sample = Sample("Ada van der Velde left Ghent.", ((0, 17, "PER"), (23, 28, "LOC")))
    names = augment.Names(("Wilma",), ("Bos",), {"LOC": ("Delft",)})
    mix = replace(MIX, single=0, places=1.0, linked=True)
    swapped = augment.swap(sample, names, random.Random(1), 1.0, mix)
    assert _surfaces(swapped) == [("Wilma van der Bos", "PER"), ("Delft", "LOC")]
    swapped = augment.swap(sample, names, random.Random(1), 1.0, replace(mix, linked=False))
    assert _surfaces(swapped)[0] == ("Ada van der Velde", "PER")  # four words are too many


def test_mentions_of_litbank_become_persons_places_and_the_unknown(tmp_path: Path) -> None:
    sentences = [
        [("Then", "-"), ("Mrs.", "(1"), ("Anna", "1)"), ("met", "-"), ("Bob", "(2)"), (".", "-")],
        [("She", "(1)"), ("lived", "-"), ("in", "-"), ("Leeds", "(3|(4)"), ("Road", "3)")],
        [("``", "-"), ("Anna", "(1)|(5)"), ("''", "-"), ("saw", "-"), ("old", "(6"), ("Tom", "6)")],
    ]
    path = tmp_path / "a.conll"
    path.write_text(_document(_columns(sentences, "x\t0\t0\t{word}" + "\t_" * 8 + "\t{tag}")))
    first, second, third = novels.litbank(path, WORDS)
    assert (_surfaces(first), first.unknown) == ([("Anna", "PER")], ((19, 22),))
    assert (_surfaces(second), second.unknown) == ([("Leeds Road", "LOC")], ())
    assert (_surfaces(third), third.unknown) == ([("Anna", "PER")], ((15, 18),))
    assert [len(words) for words in novels.tokens(path)] == [17]


def test_a_book_tells_its_persons_from_its_places() -> None:
    told = "Then, Emma said so. At night Emma smiled. But Emma replied. " * 2
    placed = "They live in Bath. We met in Bath. He was in Bath. "
    book = novels.Book(told + placed, WORDS)
    assert (book.persons, book.places) == ({"Emma"}, {"Bath"})
    sample = book.label("Miss Emma and Zenobia went to Bath.")
    assert _surfaces(sample) == [("Emma", "PER"), ("Bath", "LOC")]
    assert [sample.text[a:b] for a, b in sample.unknown] == ["Zenobia"]


def test_a_line_with_a_broken_mark_is_named(tmp_path: Path) -> None:
    path = tmp_path / "marked.txt"
    path.write_text("# a comment\n[Ann|PER] left.\n[Bo] stayed.\n", encoding="utf-8")
    try:
        list(sources.marked(path))
    except ValueError as error:
        assert "line 3" in str(error)
    else:
        raise AssertionError("a broken mark was read")
