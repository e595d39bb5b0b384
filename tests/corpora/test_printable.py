"""What is printed does not act on a terminal."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora.printable import PrintableStream, one_line, printable, shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n", "a\tb\n"),
        ("\x1b]0;OWNED\x07", r"\u001b]0;OWNED\u0007"),
        ("a\rb\x7f\x85", r"a\u000db\u007f\u0085"),
        ("\u202eevil\u2069\u200f\u061c", r"\u202eevil\u2069\u200f\u061c"),
        ("one\u2028line", r"one\u2028line"),
        ("caf\udcff", r"caf\udcff"),
        ("Bobʼs café → 東京 👍\u200d", "Bobʼs café → 東京 👍\u200d"),
    ],
)
def test_what_acts_on_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
    said = json.dumps(text, ensure_ascii=False)
    assert json.loads(printable(said)) == text


def stream(file: io.TextIOBase, *, bars: bool = False) -> PrintableStream:
    return PrintableStream(file, "standard output", bars=bars)  # type: ignore[arg-type]


def test_bars_move_where_they_may() -> None:
    for bars, said in (
        (True, "\r 5%\\u001b[31m|\x1b[A"),
        (False, r"\u000d 5%\u001b[31m|\u001b[A"),
    ):
        file = io.StringIO()
        guarded = stream(file, bars=bars)
        guarded.write("\r 5%\x1b[31m|")
        guarded.write("\x1b[A")
        assert file.getvalue() == said


def test_what_the_encoding_lacks_is_escaped_as_json_does() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print(json.dumps("é → 👍", ensure_ascii=False), file=stream(file))
    file.seek(0)
    said = file.read()
    assert said.isascii()
    assert json.loads(said) == "é → 👍"


def test_an_error_in_writing_names_the_stream() -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError) as in_write:
        stream(Full()).writelines(["x"])
    with pytest.raises(OSError) as in_flush:
        stream(Full()).flush()
    assert in_write.value.filename == in_flush.value.filename == "standard output"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n b\0c\u2028d\u00a0e", "a b c d e"),
        ("co\u00adoperate \u200bnow\u200f", "cooperate now"),
        ("half\ud800pair", "half pair"),
        (" \t", ""),
    ],
)
def test_a_text_on_one_line(text: str, line: str) -> None:
    assert one_line(text) == line


@given(st.text(st.characters()))
def test_a_line_stays_as_it_is(text: str) -> None:
    line = one_line(text)
    assert one_line(line) == line
    assert len(line.splitlines()) <= 1
    assert line.encode() or not line


def test_long_texts_are_shown_cut() -> None:
    assert shown("abc") == "'abc'"
    assert shown("abcdefgh", 6) == "'abc...'"
