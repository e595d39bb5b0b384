"""Progress on a terminal, in a log, and where nobody wants any."""

from __future__ import annotations

import io
import sys

import pytest

from corefmill.corpora.progress import progress_bar


class Stream(io.StringIO):
    """Standard error, a terminal or not."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def shown(
    monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool, hidden: bool | None, every: float = 0.0
) -> str:
    """What three items write on the way."""
    stream = Stream(is_terminal=is_terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("corefmill.corpora.progress._EVERY", every)
    bar = progress_bar(total=3, hidden=hidden, delay=0.0, desc="novels", unit=" texts")
    for _ in range(3):
        bar.update()
        bar.refresh()
    bar.close()
    return stream.getvalue()


def test_off_a_terminal_each_state_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """`evaluate` and `build chains` were silent for minutes in a log."""
    lines = shown(monkeypatch, is_terminal=False, hidden=False).splitlines()
    assert lines[-1].startswith("novels: 100%") and "3/3" in lines[-1]
    assert all(line.startswith("novels: ") for line in lines)
    assert "\r" not in "".join(lines)


def test_there_is_a_line_each_ten_seconds_and_none_before(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, is_terminal=False, hidden=False, every=10.0) == ""


def test_a_terminal_has_one_line_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    said = shown(monkeypatch, is_terminal=True, hidden=False)
    assert said.count("\r") > 2 and "\n" not in said


@pytest.mark.parametrize(("is_terminal", "hidden"), [(False, True), (True, True), (False, None)])
def test_quiet_is_quiet(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, hidden: bool | None
) -> None:
    assert shown(monkeypatch, is_terminal=is_terminal, hidden=hidden) == ""
