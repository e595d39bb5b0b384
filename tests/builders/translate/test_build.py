"""The corpus on disk: every form says the same, and a killed build goes on to the same bytes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from corefmill.builders.translate import build as builder
from corefmill.builders.translate.contents import BELOW, summarise
from corefmill.builders.translate.source_side.source import sample
from corefmill.builders.translate.stages import DATASETS
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.ownership import is_unsettled
from corefmill.corpora.formats import conll2012, corefud, ontocorefit, registry
from corefmill.corpora.records import Document
from tests.builders.translate.conll import NEWS
from tests.builders.translate.running import OPTIONS, build
from tests.commands import ROOT

SPLITS = ("train", "validation")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus of some documents of the sample: daily_0008, of which it loses something, ..."""
    folder, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("whole")
    for split, chosen in (("train", slice(17, 21)), ("validation", slice(2))):
        _, *documents = (sample() / f"{split}.conll").read_text("utf-8").split("#begin ")
        text = "".join(f"#begin {one}" for one in documents[chosen])
        (folder / f"{split}.conll").write_text(text, "utf-8")
    with mock.patch.object(builder, "sample", lambda: folder):
        build(folder, out)
    return out


def records(corpus: Path, split: str) -> list[Document]:
    return list(jsonl.read(corpus / f"{split}.jsonl", Document))


def columns(document: Document, name: str) -> list[list[Any]]:
    return [[getattr(token, name) for token in s.tokens] for s in document.sentences]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.thorough
def test_a_killed_build_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    module = "tests.builders.translate.running"
    source, killed, whole = sample() / "validation.conll", tmp_path / "killed", tmp_path / "whole"
    command = [sys.executable, "-m", module, str(source), str(killed)]
    died = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300, check=False)
    assert died.returncode == -9, died.stderr
    assert not (killed / manifest.NAME).exists()
    assert len(list(killed.rglob("work/*/0000?.json"))) == 1
    build(source, killed)
    build(source, whole, workers=2)
    assert bytes_of(killed) == bytes_of(whole)


def test_every_dataset_is_a_corpus_with_its_counts(corpus: Path) -> None:
    top = manifest.read(corpus)
    assert top.splits == {"train": 4, "validation": 2}
    assert top.counts["read"]["refined.mentions_shifted"] > 3
    assert not is_unsettled(corpus)
    for name in DATASETS[:-1]:
        made = manifest.read(corpus / BELOW / name)
        documents = [d for split in SPLITS for d in manifest.records(corpus / BELOW / name, split)]
        assert made.lang == ("it" if name == "gamma" else "en")
        mentions = sum(len(c) for d in documents if isinstance(d, Document) for c in d.clusters)
        assert mentions == sum(made.counts["read"][f"{name}.{split}.mentions"] for split in SPLITS)
    found, others = registry.files_below(corpus)
    assert sorted(path.name for path in found) == ["train.jsonl", "validation.jsonl"]
    assert [path.name for path in others] == ["rejects.jsonl"]


def test_conll_and_ontocorefit_hold_what_the_records_do(corpus: Path) -> None:
    for split in SPLITS:
        for form, suffix in ((conll2012, "conll"), (ontocorefit, "json")):
            read = [document for _, document in form.read(corpus / f"{split}.{suffix}", "it")]
            for one, other in zip(records(corpus, split), read, strict=True):
                assert columns(one, "form") == columns(other, "form")
                assert [s.speaker for s in one.sentences] == [s.speaker for s in other.sentences]
                if form is conll2012:  # whose column has UPOS where there is no other tag
                    assert columns(one, "upos") == columns(other, "xpos")
                assert set(map(frozenset, one.clusters)) == set(map(frozenset, other.clusters))


def test_corefud_has_contractions_and_dropped_subjects_again(corpus: Path, tmp_path: Path) -> None:
    native = [d for d in records(corpus, "train") if d.sentences]
    corefud.write(tmp_path / "train.conllu", native)
    text = (tmp_path / "train.conllu").read_text("utf-8")
    told = [u for d in native for u in d.meta["ontocorefit"]["utterances"].values()]
    for utterance in told:
        assert f"# text = {utterance['modified_text']}\n" in text
    assert re.search(r"\n\d+\.\d+\t_\t(lui|lei|loro|esso|egli|ella)\tPRON\t", text)
    # What is read again is what the records have: no multiword token is told as not carried.
    for one, (_, other) in zip(native, corefud.read(tmp_path / "train.conllu", "it"), strict=True):
        for number, extra in one.meta.get("corefud", {}).get("sentences", {}).items():
            assert other.meta["corefud"]["sentences"][number] == extra
        assert set(map(frozenset, one.clusters)) == set(map(frozenset, other.clusters))


def test_the_parallel_file_is_aligned(corpus: Path) -> None:
    head, *rows = (corpus / "train.parallel.tsv").read_text("utf-8").splitlines()
    assert head == "doc\tpart\tutterance\tenglish\titalian\tmentions"
    documents = records(corpus, "train")
    assert len(rows) == sum(len(d.sentences) for d in documents)
    numbers = [f"{d.doc_id} {n}" for d in documents for n in d.meta["source"]["sentences"]]
    for row, number in zip(rows, numbers, strict=True):
        doc, _, utterance, english, italian, mentions = row.split("\t")
        assert f"{doc} {utterance}" == number
        for _, start, end, left, right in json.loads(mentions):
            assert 0 <= start < end <= len(english.split(" "))
            assert 0 <= left < right <= len(italian.split(" "))


def test_the_card_has_the_papers_tables(corpus: Path) -> None:
    card = (corpus / "README.md").read_text("utf-8")
    for table in (2, 15, 16):
        assert f"(table {table}" in card
    rejects = json.loads((corpus / "rejects.json").read_text("utf-8"))
    for stage, reasons in rejects.items():
        for reason, number in reasons.items():
            assert f"| {stage} | {reason} | {number} |" in card
    said = manifest.read(corpus).counts["summary"]
    assert said[0].startswith("In -> out: utterances 50 -> 49 (98 %), mentions 130 -> 124 (95 %), ")
    assert card.index(said[0]) < card.index("| Languages | en to it |")
    assert "# The sample documents in Italian: coreference by placeholders and rules" in card
    kept = (corpus / "rejects.jsonl").read_text("utf-8").splitlines()
    assert len(kept) == sum(n for counted in rejects.values() for n in counted.values())
    assert all(json.loads(line)["record"] for line in kept)


def test_a_source_that_is_cut_off_gives_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "own.conll"
    path.write_text(NEWS + NEWS.replace("own_0001", "own_0002")[:-20], encoding="utf-8")
    build(path, tmp_path / "out")
    made = manifest.read(tmp_path / "out")
    assert made.splits == {"train": 1}
    assert "cut off within a document" in made.warnings[0]


def test_a_document_without_a_verb_gives_an_empty_corpus(tmp_path: Path) -> None:
    path = tmp_path / "own.conll"
    path.write_text(NEWS.replace("VBZ", "NN"), encoding="utf-8")
    build(path, tmp_path / "out", options=replace(OPTIONS, without=("any-utterance",)))
    made = manifest.read(tmp_path / "out")
    assert made.splits == {"train": 0}
    assert made.counts["summary"] == [
        "In -> out: utterances 3 -> 0 (0 %), mentions 6 -> 0 (0 %), clusters 5 -> 0 (0 %).",
        "Mentions lost: 6 utterance no verb (change: clean mode without --without any-utterance).",
        "Utterances lost: 3 no verb (change: clean mode without --without any-utterance).",
    ]
    build(path, tmp_path / "clean")
    assert manifest.read(tmp_path / "clean").splits == {"train": 1}


def test_the_largest_losses_come_with_what_changes_them() -> None:
    counts = {
        f"{name}.train.{what}": number
        for name, numbers in (("source", (4, 100, 30)), ("delta", (3, 40, 9)))
        for what, number in zip(("utterances", "mentions", "clusters"), numbers, strict=True)
    }
    rejects = {
        "alpha mentions": {"contains_another": 30, "crosses_another": 1},
        "gamma mentions": {"mark_missing": 9, "utterance_lost": 20},
        "gamma utterances": {"answer_language": 1},
    }
    assert summarise(counts, ["train"], rejects) == [
        "In -> out: utterances 4 -> 3 (75 %), mentions 100 -> 40 (40 %), clusters 30 -> 9 (30 %).",
        "Mentions lost: 30 contains another (change: clean mode without --without marks),"
        " 20 utterance lost (change: another --translator), 9 mark missing, 1 crosses another.",
        "Utterances lost: 1 answer language (change: --without answers).",
    ]
