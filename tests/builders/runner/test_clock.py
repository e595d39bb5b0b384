"""Times of stages: nothing counted twice, and a file that a kill may leave broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corefmill.builders.runner import clock
from corefmill.builders.runner.clock import Clock, Spent


class Ticks:
    """Stands in for both clocks: seconds pass only where a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> Ticks:
    own = Ticks()
    monkeypatch.setattr(clock, "perf_counter", own)
    monkeypatch.setattr(clock, "process_time", lambda: own.now / 2)
    return own


def test_a_stage_within_another_stops_the_outer_one(ticks: Ticks) -> None:
    own = Clock()
    with own.stage("outer", 3):
        ticks.wait(1)
        with own.stage("inner", 2):
            ticks.wait(2)
        ticks.wait(4)
        with own.stage("inner", 1):
            ticks.wait(8)
    assert own.spent == {"outer": Spent(3, 5.0, 2.5), "inner": Spent(3, 10.0, 5.0)}


def test_what_the_taker_does_is_not_the_makers(ticks: Ticks) -> None:
    def numbers() -> Iterator[int]:
        for number in range(3):
            ticks.wait(1)
            yield number

    own = Clock()
    for _ in own.each("made", numbers(), "taken"):
        ticks.wait(10)
    assert own.spent == {"made": Spent(0, 3.0, 1.5), "taken": Spent(3, 0.0, 0.0)}


def test_a_stage_that_fails_is_closed(ticks: Ticks) -> None:
    own = Clock()
    with pytest.raises(KeyError), own.stage("outer"), own.stage("inner"):
        raise KeyError
    with own.stage("next", 1):
        ticks.wait(1)
    assert own.spent["outer"].seconds == 0
    assert own.spent["next"].seconds == 1


def test_sums_and_reads_back(tmp_path: Path) -> None:
    own = Clock()
    own.add({"a": Spent(1, 0.5, 0.25)})
    own.add({"a": Spent(2, 1.0, 0.5), "b": Spent(0, 3.0, 0.0)})
    clock.write(tmp_path / clock.FILE, own.spent)
    assert clock.read(tmp_path / clock.FILE) == {
        "a": Spent(3, 1.5, 0.75),
        "b": Spent(0, 3.0, 0.0),
    }


@pytest.mark.parametrize("left", ["", "{", "[]", '{"a": 3}', '{"a": {"b": 3}}'])
def test_what_is_broken_or_not_there_is_nothing(tmp_path: Path, left: str) -> None:
    path = tmp_path / clock.FILE
    assert clock.read(path) == {}
    path.write_text(left, encoding="utf-8")
    assert clock.read(path) == {}


def test_the_table_has_a_line_a_stage() -> None:
    head, one, none = clock.shown({"alpha": Spent(1000, 0.5, 0.25), "b": Spent(0, 3.0, 0.0)})
    assert head.split() == ["given", "seconds", "processor", "a", "second"]
    assert one.split() == ["alpha", "1,000", "0.5", "0.2", "2,000"]
    assert none.split() == ["b", "0", "3.0", "0.0", "-"]
