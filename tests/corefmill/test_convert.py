"""`corefmill convert`: what it says, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.cli.main import COREFMILL
from corefmill.corpora.formats.registry import FORMATS
from tests.commands import command, json_result
from tests.corefmill.dumps import error_line

FIVE = "Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n"


def convert(*arguments: str | Path) -> None:
    COREFMILL.load("convert")(list(map(str, arguments)), standalone_mode=False)


def test_it_says_what_was_written_and_what_was_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(FIVE * 2)
    convert(tmp_path / "a.txt", tmp_path / "b.jsonl", "--lang", "it")
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'b.jsonl'}: 2 records as native-masked\n"
    assert said.err == ""
    convert(tmp_path / "b.jsonl", tmp_path / "c.txt", "--json")
    said = capsys.readouterr()
    assert said.err == "convert: five-line did not carry, of 2 records: id (2), lang (2)\n"
    done = json_result(said.out)
    assert (done["from"], done["to"], done["lost"]) == (
        ["native-masked"],
        "five-line",
        {"id": 2, "lang": 2},
    )


def test_the_list_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    convert("--list")
    shown = capsys.readouterr().out
    assert all(f"\n{name} " in shown for name in FORMATS)
    convert("--list", "--json")
    listed = json_result(capsys.readouterr().out)
    assert [form["name"] for form in listed] == list(FORMATS)


def test_files_of_no_format_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(FIVE)
    (tmp_path / "in" / "LICENCE").write_text("Free.\n")
    convert(tmp_path / "in", tmp_path / "out", "--to", "native-masked")
    assert "left out, of no known format: " in capsys.readouterr().err


def test_an_error_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FIVE + "Anna\n")
    done = command("corefmill", "convert", tmp_path / "a.txt", tmp_path / "b.jsonl")
    assert error_line(done).endswith("a.txt:6: the last block has too few lines")
    assert list(tmp_path.iterdir()) == [tmp_path / "a.txt"]
