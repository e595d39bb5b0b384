"""`build wikicrem` as a user gives it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import spacy

from corefmill.builders.wikicrem.options import SENTENCES
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.ownership import private
from corefmill.corpora.records import MaskedExample
from tests.commands import command, json_result
from tests.corefmill.dumps import CORPUS, contents, made, small, wikicrem


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """An empty folder where `build wikicrem --lang en` was run, and what it printed."""
    folder = tmp_path_factory.mktemp("bare")
    done = command("build", "wikicrem", "--lang", "en", "--quiet", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    yield folder, done.stdout


def examples(corpus: Path) -> list[MaskedExample]:
    return [
        record
        for split in ("train", "validation")
        for record in jsonl.read(corpus / f"{split}.jsonl", MaskedExample)
    ]


def test_the_files_are_those_of_the_design_and_the_manifest_has_their_sums(
    bare: tuple[Path, str],
) -> None:
    corpus = bare[0] / "out/wikicrem-en"
    files = contents(corpus)
    assert set(files) == CORPUS
    assert b"\n```\nbuild wikicrem --lang en --out FOLDER\n```\n" in files["README.md"]
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    del sums["manifest.json"]
    assert manifest.read(corpus).files == sums


def test_every_example_obeys_the_rules(bare: tuple[Path, str]) -> None:
    """What clean mode promises, read off the records alone."""
    every = examples(bare[0] / "out/wikicrem-en")
    for one in every:
        start, end = one.target
        assert one.text[start:end] == one.answer
        assert all(one.text[left:right] == one.candidates[n] for n, left, right in one.mentions)
        spans = sorted([one.target, *((left, right) for _, left, right in one.mentions)])
        assert all(left[1] <= right[0] for left, right in pairwise(spans))
        # No word touches the mask.
        assert not re.search(r"\w$", one.text[:start]) and not re.match(r"\w", one.text[end:])
        # Of at most three sentences the last is masked, and all candidates stand before the mask.
        *_, (first, last) = one.sentences
        assert first <= start and end <= last and len(one.sentences) <= SENTENCES
        before = [(n, left) for n, left, right in one.mentions if right <= start]
        assert {n for n, _ in before} == set(range(len(one.candidates)))
    masked = {f"{one.text[: one.target[0]]}[]{one.text[one.target[1] :]}" for one in every}
    assert len(masked) == len({one.id for one in every}) == len(every) > 10


def test_a_finished_corpus_is_reported_and_not_built_again(bare: tuple[Path, str]) -> None:
    folder, _ = bare
    corpus = folder / "out/wikicrem-en"
    before = {path: path.stat().st_mtime_ns for path in corpus.glob("[!.]*")}
    left = private(corpus) / "work"
    left.mkdir()  # as after a kill -9 in its last moment
    done = wikicrem("--json", cwd=folder)
    assert made(done) == manifest.read(corpus)
    assert done.stderr == ""
    assert {path: path.stat().st_mtime_ns for path in corpus.glob("[!.]*")} == before
    assert not left.exists()


def test_overwrite_leaves_nothing_of_the_old_corpus_and_claims_no_stranger(tmp_path: Path) -> None:
    common = ("--dump", small(tmp_path), "--out", "out", "--json")
    kept = made(wikicrem(*common, "--keep-rejects", cwd=tmp_path))
    lines = (tmp_path / "out/rejects.jsonl").read_text(encoding="utf-8").splitlines()
    assert {"reason", "record"} == set(json.loads(lines[0]))
    assert "rejects.jsonl" in kept.files
    (tmp_path / "out/notes.txt").write_text("mine", encoding="utf-8")
    replaced = made(wikicrem(*common, "--overwrite", "--seed", "1", cwd=tmp_path))
    assert replaced.seed == 1
    assert set(replaced.files) == CORPUS - {"manifest.json"}
    assert set(contents(tmp_path / "out")) == CORPUS | {"notes.txt"}


def test_limit_and_validation_and_json(tmp_path: Path) -> None:
    options = ("--limit", "9", "--validation", "4")
    done = wikicrem("--dump", small(tmp_path), *options, "--json", cwd=tmp_path)
    result = made(done)
    assert sum(result.splits.values()) == 9
    assert 1 <= result.splits["validation"] <= 4
    # And of --json: one line, nothing else.
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
    shown = json_result(done.stdout)
    assert (shown["examples"], shown["splits"]) == (9, result.splits)


@pytest.mark.thorough
def test_least_keeps_what_is_as_sure(tmp_path: Path, bare: tuple[Path, str]) -> None:
    done = wikicrem(
        "--dump", "sample", "--min-confidence", "0.8", "--quiet", "--out", "sure", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    every, sure = (
        {one.id: one.meta["confidence"] for one in examples(corpus)}
        for corpus in (bare[0] / "out/wikicrem-en", tmp_path / "sure")
    )
    assert min(every.values()) < 0.7 < 0.799 < min(sure.values())
    assert set(sure) >= {key for key, confidence in every.items() if confidence > 0.801}


def test_paper_mode_has_no_filter_and_its_names_recur_as_strings(tmp_path: Path) -> None:
    done = wikicrem("--dump", small(tmp_path), "--mode", "paper", "--json", cwd=tmp_path)
    result = made(done)
    corpus = Path(json_result(done.stdout)["out"])
    assert (result.mode, result.build["parts"]["options"]["filters"]) == ("paper", [])
    for example in examples(corpus):
        assert example.text.isascii()
        assert example.answer in example.text[: example.target[0]]
    assert (corpus / "train.txt").read_bytes().isascii()


def test_filters_without_words_of_the_language_are_named(tmp_path: Path) -> None:
    """Swedish has no table; the card once listed filters that could never stop anything."""
    swedish = spacy.blank("sv")
    swedish.add_pipe("sentencizer")
    ruler = swedish.add_pipe("entity_ruler")
    names = [{"label": "PER", "pattern": name} for name in ("Anna", "Emil")]
    ruler.add_patterns(names)  # type: ignore[attr-defined]
    swedish.to_disk(tmp_path / "swedish")
    (tmp_path / "tale.txt").write_text(
        "Vid middagen såg Anna där den gamle Emil, och sedan gick Anna igen.\n\n"
        "Man såg att Anna och Emil var där igen.\n"
    )
    options = ("--lang", "sv", "--nlp", "swedish", "--text", "tale.txt")
    done = wikicrem(*options, "--without", "genitive", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    idle = "relative_clause"
    warning = f"without word lists of 'sv' these filters have no effect: {idle}"
    assert done.stderr.splitlines().count(warning) == 1 and "these filters" not in done.stdout
    card = (tmp_path / "out/wikicrem-sv/README.md").read_text("utf-8")
    unread = "modified, doubtful"
    assert (
        done.stderr.count(f"entities (--nlp swedish) these filters have no effect: {unread}") == 1
    )
    assert f"| Filters that cannot work here | {idle}, {unread} |" in card.replace("\\_", "_")
    (row,) = (line for line in card.splitlines() if line.startswith("| Filters |"))
    row = row.replace("\\_", "_")
    assert "odd_name" in row and "relative_clause" not in row
