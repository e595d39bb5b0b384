"""`corefmill show`: records in the terminal, rejects, JSON, and a page."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from corefmill.corpora.files import jsonl
from corefmill.corpora.files.terminal import PrintableStream
from tests.commands import command, json_result
from tests.corefmill.show.shown import built
from tests.corpora.test_records import EVENT, EXAMPLE


def test_the_first_records_are_shown_without_reading_on(tmp_path: Path) -> None:
    jsonl.write(tmp_path / "train.jsonl", [EXAMPLE] * 2)
    with (tmp_path / "train.jsonl").open("a") as file:
        file.write("broken\n")
    done = command("corefmill", "show", tmp_path / "train.jsonl", "--limit", "2")
    assert (done.returncode, done.stderr) == (0, "")
    block = (
        "1  train  A day\n"
        "  [1 Anna] met [2 Bob]. [1* Anna] left.\n"
        "  1 Anna (the answer)  2 Bob\n"
        "  answer Anna; where paragraph 2\n\n"
    )
    said = "The first 2; --limit N shows more, --seed N draws them at random.\n"
    assert done.stdout == 2 * block + said
    quiet = command("corefmill", "show", tmp_path / "train.jsonl", "--limit", "2", "--quiet")
    assert quiet.stdout == 2 * block
    done = command("corefmill", "show", tmp_path / "train.jsonl")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "train.jsonl:3: not a MaskedExample" in done.stderr


def test_json_is_the_records_themselves(tmp_path: Path) -> None:
    jsonl.write(tmp_path / "in.jsonl", [EVENT] * 2)
    done = command("corefmill", "show", tmp_path / "in.jsonl", "--json", "--cluster", "a flood")
    lines = (tmp_path / "in.jsonl").read_text("utf-8").splitlines()
    assert json_result(done.stdout) == [json.loads(line) for line in lines]
    drawn = command("corefmill", "show", tmp_path / "in.jsonl", "--json", "--seed", "3")
    assert drawn.stdout == done.stdout
    none = command("corefmill", "show", tmp_path / "in.jsonl", "--search", "nowhere")
    assert (none.returncode, none.stdout) == (0, "No record meets all filters.\n")


def test_what_was_left_out(tmp_path: Path) -> None:
    folder = built(tmp_path / "out")
    done = command("corefmill", "show", folder, "--reason", "quoted", "--source", "wall")
    assert done.stdout.startswith("quoted:  A wall\n  He said [?* Ann]. </script>")
    assert "\x1b" not in done.stdout
    done = command("corefmill", "show", folder, "--reason", "quoted", "--limit", "1", "--json")
    (one,) = json_result(done.stdout)
    assert one["record"]["title"] == "A wall"


def test_a_page_is_written_whole_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    folder, out = built(tmp_path / "out"), tmp_path / "new" / "page.html"
    done = command("corefmill", "show", folder, "--html", out, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json_result(done.stdout) == {
        "out": str(out),
        "records": 4,
        "shown": 4,
        "rejected": 6,
        "bytes": out.stat().st_size,
    }
    first = out.read_bytes()
    done = command("corefmill", "show", folder, "--html", out)
    assert (done.returncode, done.stdout) == (2, "") and "--overwrite replaces it" in done.stderr
    done = command("corefmill", "show", folder, "--html", out, "--overwrite")
    assert done.stdout == (f"{out}: 4 of 4 records, {out.stat().st_size:,} bytes\n")
    assert out.read_bytes() == first
    (folder / "train.jsonl").write_text("broken\n")
    done = command("corefmill", "show", folder, "--html", out, "--overwrite", "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert out.read_bytes() == first and list(out.parent.iterdir()) == [out]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--reason", "no"],
            "the build rejected no record for 'no' (the reasons are uncounted 3, quoted 2",
        ),
        (["--reason", "quoted", "--split", "train"], "--split does not work with --reason"),
        (["--reason", "quoted", "--html", "x"], "--reason does not work with --html"),
        (["--overwrite"], "--overwrite needs --html"),
    ],
)
def test_what_is_refused(options: list[str], said: str, tmp_path: Path) -> None:
    done = command("corefmill", "show", built(tmp_path / "out"), *options, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


def test_a_terminal_has_colours_of_ours_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = built(tmp_path / "out")
    monkeypatch.setattr(PrintableStream, "isatty", lambda self: True, raising=False)
    monkeypatch.setitem(os.environ, "TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = ("corefmill", "show", folder, "--reason", "quoted", "--limit", "1")
    done = command(*shown)
    assert "\x1b[1;7m[?* \x1b[0m" in done.stdout
    assert r"\u001b[31m" in done.stdout and "\x1b[31m" not in done.stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in command(*shown).stdout
