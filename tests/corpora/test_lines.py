"""Blocks of lines read by the piece are those that are read line by line, and so are the errors."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from corefmill.corpora import disk, lines
from corefmill.corpora.errors import DataError

PLAIN = ["1\ta\n", "# b\n", "\n", "\n", "à\n"]
ODD = ["  \n", "\u3000\n", "x\r\n", "\ufeffy\n", "z\n\n\n\n", "w"]


@pytest.mark.parametrize("words", [PLAIN, PLAIN + ODD])
def test_they_are_those_of_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    draw, path = random.Random(5), tmp_path / "a.conllu"
    for _ in range(300):
        monkeypatch.setattr(lines, "_PIECE", draw.choice((1, 3, 10, 1000)))
        path.write_bytes("".join(draw.choices(words, k=draw.randint(0, 15))).encode())
        assert list(lines.blocks(path)) == list(lines._blocks(path, 1))


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (b"a\x00", "a.conllu:4: a NUL byte"),
        (b"a\n\xff\n", "a.conllu:5: not UTF-8 at byte 1"),
        (b"a\t" * 200_000, "a.conllu:4: a row of over 100,000 cells"),
    ],
)
def test_errors_name_their_line(tmp_path: Path, end: bytes, said: str) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(b"x\ny\n\n" + end)
    with pytest.raises(DataError) as raised:
        list(lines.blocks(path))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-16", "UTF-16"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE")],
)
def test_utf_16_is_called_so(tmp_path: Path, encoding: str, name: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Zoë left.\nShe ran.\n".encode(encoding))
    said = re.escape(f"a.txt:1: is {name}, not UTF-8 (convert it, such as by iconv -f {name} ")
    for read in (lambda: list(lines.read(path)), lambda: disk.text(path)):
        with pytest.raises(DataError, match=said):
            read()


@pytest.mark.parametrize("text", ["", "a", "Zoë", "日本語の文章です。", "ab\0cd\n"])
def test_no_other_text_is_taken_for_utf_16(tmp_path: Path, text: str) -> None:
    disk.refuse_utf_16(text.encode(), tmp_path)


def test_a_sentence_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_SENTENCE", 10)
    monkeypatch.setattr(lines, "_PIECE", 4)
    path = tmp_path / "a.conllu"
    path.write_text("abc\n\nabcd\nabcd\nabcd\n", encoding="utf-8")
    with pytest.raises(DataError, match="a sentence of over"):
        list(lines.blocks(path))
