"""`build wec` as a user gives it."""

from __future__ import annotations

import json
import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import EventMention
from tests.builders.wiki.dump.dump_writer import dump, page
from tests.commands import command, json_result, one_core
from tests.corefmill.dumps import contents, error_line, made, sample_pages

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


def wec(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return command("build", "wec", "--workers", "1", *arguments, cwd=cwd)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A dump of the sample's hand-written pages, which have seven events."""
    path = tmp_path / "small.xml"
    path.write_bytes(dump(sample_pages()))
    return path


@pytest.mark.parametrize("lang", ["en", pytest.param("it", marks=pytest.mark.thorough)])
def test_the_files_are_those_of_the_design(lang: str, tmp_path: Path) -> None:
    with one_core() if lang == "it" else nullcontext():  # with workers in the one, not in the other
        done = command("build", "wec", "--lang", lang, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    corpus = tmp_path / f"out/wec-{lang}"
    assert set(contents(corpus)) == CORPUS
    assert all(size > 0 for size in manifest.read(corpus).splits.values())


def test_options(small: Path, tmp_path: Path) -> None:
    options = ("--validation", "2", "--test", "0", "--quota", "1", "--limit", "20")
    options += ("--without", "unidentified", "--without", "section_link")
    options += ("--keep-rejects", "--json")
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
        (("--dump", "-"), "standard input can be read only once"),
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
