"""`--translator table`: what is asked for in rounds, until a corpus is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.builders.translate.conll import NEWS
from tests.builders.translate.double import WordForWord
from tests.commands import command


def write_line(folder: Path, *more: str | Path) -> list[str | Path]:
    """A small source and the command that translates it by tables."""
    source = folder / "own.conll"
    source.write_text(NEWS, encoding="utf-8")
    asked = ["build", "translate", "--to", "it", "--source", source, "--nlp", "en_mini", "-q"]
    asked += ["--nlp-to", "it_mini", "--workers", "1", "--out", folder / "out"]
    return [*asked, "--translator", "table", *more]


def rounds(folder: Path, *more: str, spoil: Callable[[int, str], str]) -> list[list[str]]:
    """What each round asks for, answered word for word (and spoilt) until nothing is missing."""
    asked = write_line(folder, *more)
    found: list[list[str]] = []
    while True:
        listed = folder / f"{len(found)}.tsv"
        made = command(*map(str, asked), "--list-texts", str(listed))
        if made.returncode == 0:
            assert not listed.exists()
            return found
        assert made.returncode == 2, made.stderr
        lines = listed.read_text("utf-8").splitlines()
        assert f"{len(lines)} texts have no translation yet" in made.stderr
        assert made.stderr.count("\n") == 1
        assert not (folder / "out" / "README.md").exists()
        texts = [line.removesuffix("\t") for line in lines]
        answers = WordForWord().translate(texts)
        rows = [
            f"{text}\t{spoil(len(found), answer)}\n"
            for text, answer in zip(texts, answers, strict=True)
        ]
        listed.write_text("".join(rows), encoding="utf-8")
        asked += ["--table", listed]
        found.append(texts)
        assert len(found) < 6


def test_mentions_then_a_draw_and_another_where_one_is_lost(tmp_path: Path) -> None:
    found = rounds(tmp_path, spoil=lambda turn, text: "niente." if turn == 1 else text)
    assert len(found) == 3
    assert not any(text.endswith(".") for text in found[0])
    # The second draw stands in for the first, whose placeholders were lost.
    assert 0 < len(found[2]) <= len(found[1])
    assert not set(found[1]) & set(found[2])
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "| Translated by | table 0.tsv 1.tsv 2.tsv |" in card


def test_marks_are_asked_for_one_way_at_a_time(tmp_path: Path) -> None:
    found = rounds(tmp_path, "--method", "marks", spoil=lambda turn, text: text)
    assert len(found) == 1
    assert any("<1>" in text for text in found[0])
    assert not any("[1]" in text for text in found[0])


def test_what_is_listed_is_no_table_and_no_file_that_is_there(tmp_path: Path) -> None:
    table = tmp_path / "a.tsv"
    table.write_text("a\tb\n")
    asked = write_line(tmp_path, "--table", table)
    made = command(*map(str, asked), "--list-texts", str(table), "--overwrite")
    assert made.returncode == 2
    assert "is one of the tables" in made.stderr
    (tmp_path / "mine").write_text("precious")
    made = command(*map(str, asked), "--list-texts", str(tmp_path / "mine"))
    assert made.returncode == 2
    assert "is there already" in made.stderr
    made = command(*map(str, asked))
    assert made.returncode == 2
    assert "--list-texts FILE writes the missing texts" in made.stderr
    assert table.read_text() == "a\tb\n"


def test_what_is_missing_may_be_left_out(tmp_path: Path) -> None:
    table, listed = tmp_path / "a.tsv", tmp_path / "ask.tsv"
    table.write_text("")
    more = ("--allow-missing", "--table", table, "--list-texts", listed, "--method", "marks")
    asked = write_line(tmp_path, *more)
    made = command(*map(str, asked))  # an empty corpus once, and success
    assert made.returncode == 2 and "no document is left without them" in made.stderr
    lines = listed.read_text("utf-8").splitlines()
    assert not (tmp_path / "out" / "manifest.json").exists()
    texts = [line.removesuffix("\t") for line in lines][:-1]
    rows = zip(texts, WordForWord().translate(texts), strict=True)
    table.write_text("".join(f"{text}\t{answer}\n" for text, answer in rows))
    made = command(*map(str, asked), "--overwrite")
    assert (made.returncode, made.stderr) == (0, "")
    assert len(listed.read_text("utf-8").splitlines()) == 1
