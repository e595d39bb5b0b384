"""The English recipe on a few lines of data written here, stopped and gone on with."""

import bz2
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from typer.testing import CliRunner

from tools.pipelines import recipe, teacher
from tools.pipelines.english import DUMP, GUM, HELD_OUT_NOVELS
from tools.pipelines.sources import Sample


def _columns(sentences: list[list[tuple[str, str]]], line: str) -> str:
    """Sentences of (word, tag), one word a line, in the shape of `line`."""
    return "".join(
        "".join(line.format(i=i, word=w, tag=t) + "\n" for i, (w, t) in enumerate(s, 1)) + "\n"
        for s in sentences
    )


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
    pytest.importorskip("stanza", reason="its CoNLL-18 program scores the pipeline")
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
