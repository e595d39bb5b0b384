from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.translate.engines.protocol import cut_line, translate_lines


def test_long_lines_are_cut_where_it_hurts_least() -> None:
    assert cut_line("One. Two! Three", 8) == ["One.", "Two!", "Three"]
    assert cut_line("one two three", 8) == ["one two", "three"]
    assert cut_line("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert cut_line("short", 8) == ["short"]
    assert cut_line("", 8) == []


@given(st.lists(st.text("ab. "), max_size=5), st.integers(1, 9))
def test_nothing_but_blanks_is_lost(lines: list[str], most: int) -> None:
    lines = [" ".join(line.split()) for line in lines]
    pieces = [piece for line in lines for piece in cut_line(line, most)]
    assert all(0 < len(piece) <= most for piece in pieces)
    found = translate_lines("x", lines, most, lambda texts: texts)
    assert [str(line).replace(" ", "") for line in found] == [
        line.replace(" ", "") for line in lines
    ]


def test_a_very_long_line_is_not_copied_again_and_again() -> None:
    class Counted(str):
        copied = 0

        def __getitem__(self, key: object) -> str:
            found = super().__getitem__(key)  # type: ignore[index]
            Counted.copied += len(found)
            return found

    line = Counted("word " * 20_000)
    assert len(cut_line(line, 100)) == 1000
    assert Counted.copied <= len(line)
