"""`build wec` as a user gives it."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.ownership import private
from corefmill.corpora.records import EventMention
from tests.builders.wiki.dump.dump_writer import dump, page
from tests.commands import command, json_result, one_core
from tests.corefmill.dumps import contents, error_line, sample_pages

CORPUS = {
    "README.md",
    "croissant.json",
    "manifest.json",
    "rejects.json",
    "uncontrolled.jsonl",
    "events.jsonl",
    *(
        f"{split}.{form}"
        for split in ("train", "dev", "test")
        for form in ("jsonl", "json", "conll", "key.conll")
    ),
}

WHOLE = ("--validation", "0", "--test", "0")
LISTED = ("--dump", "part.xml", "--event-list", "events.tsv", *WHOLE)


@pytest.fixture(scope="module", params=["en", pytest.param("it", marks=pytest.mark.thorough)])
def bare(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path, str]]:
    """The language, an empty folder where `build wec` was run bare, and what it printed."""
    folder = tmp_path_factory.mktemp("bare")
    # With workers in the one language, without in the other.
    with one_core() if request.param == "it" else nullcontext():
        done = command("build", "wec", "--lang", request.param, cwd=folder)
    assert done.returncode == 0, done.stderr  # where it takes long, with a bar
    yield request.param, folder, done.stdout


def wec(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return command("build", "wec", "--workers", "1", *arguments, cwd=cwd)


def made(done: subprocess.CompletedProcess[str]) -> manifest.Manifest:
    """The manifest of what a command with --json built."""
    assert done.returncode == 0, done.stderr
    return manifest.read(Path(json_result(done.stdout)["out"]))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A dump of the sample's hand-written pages, which have seven events."""
    path = tmp_path / "small.xml"
    path.write_bytes(dump(sample_pages()))
    return path


def test_the_files_are_those_of_the_design_and_the_manifest_has_their_sums(
    bare: tuple[str, Path, str],
) -> None:
    corpus = bare[1] / f"out/wec-{bare[0]}"
    files = contents(corpus)
    assert set(files) == CORPUS
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    del sums["manifest.json"]
    assert manifest.read(corpus).files == sums
    assert all(size > 0 for size in manifest.read(corpus).splits.values())


def test_a_finished_corpus_is_reported_and_not_built_again(bare: tuple[str, Path, str]) -> None:
    lang, folder, _ = bare
    corpus = folder / f"out/wec-{lang}"
    before = {path: path.stat().st_mtime_ns for path in corpus.glob("[!.]*")}
    left = private(corpus) / "passes"
    left.mkdir()  # as after a kill -9 in its last moment
    done = wec("--lang", lang, "--json", cwd=folder)
    assert made(done) == manifest.read(corpus)
    assert {path: path.stat().st_mtime_ns for path in corpus.glob("[!.]*")} == before
    assert not left.exists()


def test_options(small: Path, tmp_path: Path) -> None:
    options = ("--validation", "2", "--test", "0", "--quota", "1", "--limit", "20")
    options += (
        "--without",
        "unidentified",
        "--without",
        "section_link",
        "--keep-rejects",
        "--json",
    )
    result = made(wec("--dump", small, *options, cwd=tmp_path))
    parts = result.build["parts"]["options"]
    assert parts["quota"] == 1 and "unidentified" not in parts["filters"]
    assert result.splits["test"] == 0
    assert result.counts["splits"]["dev"]["clusters"] == 2
    assert "section_link" not in result.counts["rejected"]
    assert "rejects.jsonl" in result.files
    assert result.counts["splits"]["train"]["same_string"] == 1


def test_a_listed_event_needs_no_page(tmp_path: Path) -> None:
    text = (
        "After the [[1931 Orla flood|flood of 1931]] the people of Orla built a dam of stone."
        "\n\nEvery child of the town of Orla learns of the [[Great Orla flood]] of that year."
    )
    (tmp_path / "part.xml").write_bytes(dump([page("Orla", text)]))
    (tmp_path / "events.tsv").write_text(
        "title\tclass\taliases\n1931 Orla flood\tQ8068\tGreat Orla flood\n"
        "2002 Vesk floods\tQ8068\n",
        encoding="utf-8",
    )
    result = made(wec(*LISTED, "--json", cwd=tmp_path))
    assert (result.counts["read"]["pivots"], result.counts["read"]["pivots_without_page"]) == (2, 2)
    mentions = list(jsonl.read(tmp_path / "out/wec-en/train.jsonl", EventMention))
    assert [m.text[m.start : m.end] for m in mentions] == ["flood of 1931", "Great Orla flood"]
    assert {(m.cluster, m.cluster_title) for m in mentions} == {("1000000001", "1931 Orla flood")}


def test_listed_articles_of_other_classes_are_counted_and_named(
    small: Path, tmp_path: Path
) -> None:
    lines = "1974 Brannock earthquake\tQ7944\nOrla\tQ515\nVesk\tQ515\nX\ttown\n"
    (tmp_path / "events.tsv").write_text(lines, encoding="utf-8")
    options = ("--dump", small, "--event-list", "events.tsv", "--keep-rejects")
    result = made(wec(*options, "--json", cwd=tmp_path))
    (warning,) = (text for text in result.warnings if text.startswith("listed"))
    assert "class is not mapped: 3 (Q515 2, town 1)" in warning
    assert result.counts["class_not_mapped"] == {"Q515": 2, "town": 1}
    out = tmp_path / "out/wec-en"
    assert warning in (out / "README.md").read_text("utf-8")
    assert json.loads((out / "rejects.json").read_bytes())["list"] == {"class_not_mapped": 3}
    kept = [json.loads(line) for line in (out / "rejects.jsonl").read_text("utf-8").splitlines()]
    assert {"reason": "class_not_mapped", "record": {"title": "X", "class": "town"}} in kept


def test_infoboxes_are_listed(small: Path, tmp_path: Path) -> None:
    done = wec("--dump", small, "--list-infoboxes", "--json", cwd=tmp_path)
    rows = {row["template"]: row for row in json_result(done.stdout)}
    assert rows["Infobox earthquake"]["in_table"] == "Earthquake"
    assert not (tmp_path / "out").exists()
    plain = wec("--dump", small, "--list-infoboxes", cwd=tmp_path)
    assert "Infobox earthquake" in plain.stdout
    (tmp_path / "cut.xml").write_bytes(small.read_bytes()[:-200])
    cut = wec("--dump", "cut.xml", "--list-infoboxes", cwd=tmp_path)
    assert cut.returncode == 2 and "Infobox earthquake" in cut.stdout
    told = wec("--dump", "cut.xml", "--list-infoboxes", "--json", cwd=tmp_path)
    assert told.returncode == 2 and json_result(told.stdout) == json_result(done.stdout)
    assert json.loads(told.stdout)["warnings"][0] == error_line(told)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--without", "x"), "no filter 'x'; there are section_link,"),
        (("--dump", "-"), "standard input can be read but once"),
        (("--lang", "xx"), "no pipeline for language 'xx' is installed"),
        (("--infoboxes", "none.toml"), "none.toml: no such file"),
        (("--event-list", "none.tsv"), "none.tsv: cannot be opened"),
        (
            ("--event-list", "a.tsv", "--infoboxes", "b.toml"),
            "--event-list and --infoboxes exclude each other",
        ),
    ],
)
def test_errors_are_one_line(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    assert said in error_line(wec(*options, "--quiet", cwd=tmp_path))


def test_a_dump_that_is_cut_off_gives_what_came_before(small: Path, tmp_path: Path) -> None:
    whole = small.read_bytes()
    small.write_bytes(whole[: int(len(whole) * 0.9)])
    done = wec("--dump", small, "--quiet", cwd=tmp_path)
    assert "the corpus in" in error_line(done)
    result = manifest.read(tmp_path / "out/wec-en")
    assert sum(result.splits.values()) > 10
    assert result.warnings
