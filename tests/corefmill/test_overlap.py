"""`corefmill overlap`: from a test set and texts to tables, rows and a picture; its refusals."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.overlap import run as overlap_run
from corefmill.builders.run.job import Job, RunResult
from corefmill.cli import overlap
from corefmill.corpora.files.errors import DataError, UsageError
from tests.commands import ROOT, json_result
from tests.waiting import running, wait_until

pytest.importorskip("tantivy", reason="needs the extra overlap")

PROBLEMS = """\
Ann could not lift her son because he was so heavy.
he
Ann,her son
her son

Bob scolded Tom after he had broken the old window.
he
Bob,Tom
Tom

"""
STORY = """\
We tried it. She could not lift the box because it was heavy.

Ann could not lift her son because he was so heavy.

Nobody came. The rest of the story is about the weather and other things of that kind.
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "problems.txt").write_text(PROBLEMS)
    (tmp_path / "story.txt").write_text(STORY)
    (tmp_path / "model.csv").write_text("id,correct\nproblems-1,1\nproblems-2,0\n")
    return tmp_path


def run(here: Path, **more: Any) -> None:
    options: dict[str, Any] = {
        "test": str(here / "problems.txt"),
        "text": [str(here / "story.txt")],
        "out": here / "out",
        "data_dir": here,
        "workers": 1,
    }
    overlap.overlap(**{**options, **more})


def rows(here: Path) -> list[dict[str, Any]]:
    lines = (here / "out" / "overlap.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_rows_tables_and_picture(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(here, answers=[here / "model.csv"], as_json=True)
    told = json_result(capsys.readouterr().out)
    first, second = rows(here)
    assert [hit["sentence"] for hit in first["best"]] == [
        "Ann could not lift her son because he was so heavy.",
        "She could not lift the box because it was heavy.",
    ]
    # "it" and the stop words are gone, "because" and "so" are content words: both sentences meet.
    assert first["query"].startswith('("could lift was heavy"~10) AND (')
    assert first["best"][0]["title"] == "story"
    assert first["score"] == first["best"][0]["score"] > 0
    assert first["gram"]["value"] == 11
    assert (second["score"], second["best"], second["gram"]) == (0, [], None)
    summary = json.loads((here / "out" / "overlap.json").read_text("utf-8"))
    assert summary["corpora"]["problems"]["over"] == {"0": 1, "25": 0, "35": 0}
    assert summary["corpora"]["problems"]["gram"] == 1
    assert summary["sources"] == {"text": 5}
    own = summary["models"][0]["splits"][0]
    assert (own["overlapping"]["right"], own["rest"]["right"]) == (1, 0)
    assert (here / "out" / "overlap.png").read_bytes().startswith(b"\x89PNG")
    assert "| problems |" in (here / "out" / "tables.md").read_text("utf-8")
    assert told.pop("out") == str(here / "out") and told == summary


def test_a_dump_and_a_text_are_two_sources(here: Path) -> None:
    run(here, dump="sample")
    summary = json.loads((here / "out" / "overlap.json").read_text("utf-8"))
    assert summary["sources"].keys() == {"text", "dump"}


def test_an_index_is_used_again(here: Path) -> None:
    run(here)
    before = sorted((here / "out" / "index").glob("*/tantivy"))
    stamp = before[0].stat().st_mtime_ns
    run(here, overwrite=True)
    assert sorted((here / "out" / "index").glob("*")) == [before[0].parent]
    assert before[0].stat().st_mtime_ns == stamp


def test_results_half_written_are_ones_own(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("corefmill.builders.overlap.report.draw_figure", lambda *drawn: interrupt())
        run(here)
    assert not (here / "out" / "overlap.json").exists()
    run(here)
    with pytest.raises(UsageError, match="is there already"):
        run(here)


def test_only_what_was_made_is_removed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = overlap_run.run_job

    @contextmanager
    def with_a_note(job: Job, **options: Any) -> Iterator[RunResult]:
        with real(job, **options) as result:
            (job.out_dir / "note.txt").write_text("mine")
            yield result

    monkeypatch.setattr(overlap_run, "run_job", with_a_note)
    run(here)
    (copies,) = (here / "out" / "index").glob("copies-*")
    assert (copies / "note.txt").read_text() == "mine"
    assert not list(copies.rglob("*.json"))


def interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"text": None}, "no text to search is named"),
        ({"dump": "-"}, "is standard input, which cannot be indexed"),
        ({"test": " , "}, "no corpus is named"),
        ({"test": "dpr,dpr"}, "named twice"),
        ({"test": "dprr"}, "did you mean dpr"),
        ({"test": "wec"}, "the corpus wec is not in|event mentions"),
        ({"lang": "xy"}, "no pipeline for language 'xy'.*models list --lang xy"),
    ],
)
def test_refusals(here: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=message):
        run(here, **more)
    assert not (here / "out" / "overlap.jsonl").exists()


def test_a_file_where_results_should_go_is_refused(here: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written to"):
        run(here, out=here / "story.txt")
    assert (here / "story.txt").read_text() == STORY


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"caf\xe9 was here\n", "not UTF-8"), (b"...\n\n!\n", "no sentence"), (b"", "no sentence")],
)
def test_bad_texts(here: Path, text: bytes, message: str) -> None:
    (here / "story.txt").write_bytes(text)
    with pytest.raises(DataError, match=message):
        run(here)


@pytest.mark.thorough
def test_a_killed_run_goes_on_to_the_same_bytes(here: Path) -> None:
    story = "".join(  # a little more than the million characters of a unit
        f"In year {number} she could not lift it because it was heavy{' and big' * 90}.\n\n"
        for number in range(1500)
    )
    (here / "story.txt").write_text(story)
    command = [sys.executable, "-c", "from corefmill.cli.main import main; main()", "overlap"]
    command += ["--test", str(here / "problems.txt"), "--text", str(here / "story.txt")]
    command += ["--workers", "1", "--out", str(here / "killed")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with running(*command, cwd=here, env=environment) as process:
        units = (here / "killed").glob
        wait_until(
            lambda: any(units("index/*/.corefmill/work/*/00000.json")),
            "a unit is done",
            process=process,
        )
    run(here, out=here / "killed")
    run(here)
    for name in ("overlap.jsonl", "overlap.json", "overlap.png"):
        assert (here / "killed" / name).read_bytes() == (here / "out" / name).read_bytes()


def test_of_a_text_that_breaks_off_the_results_are_of_what_came_before(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corefmill.builders.sources.text._PACK", 100)
    text = here / "crawl.jsonl"
    line = json.dumps({"title": "story", "text": STORY}) + "\n"
    text.write_text(line * 3 + "{broken\n")
    with pytest.raises(DataError, match=r"the results in .* cover the text before the fault"):
        run(here, text=[str(text)])
    assert rows(here)[0]["gram"]["value"] == 11
    assert not list((here / "out" / "index").glob("copies-*"))
