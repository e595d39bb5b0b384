"""Times of stages: nothing counted twice, and a file that a kill may leave broken."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from builders import clock
from builders.clock import Clock, Spent


def wait(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def test_a_stage_within_another_stops_the_outer_one() -> None:
    own = Clock()
    begin = time.perf_counter()
    with own.stage("outer", 3):
        wait(0.01)
        with own.stage("inner", 2):
            wait(0.01)
        with own.stage("inner", 1):
            wait(0.01)
    elapsed = time.perf_counter() - begin
    outer, inner = own.spent["outer"], own.spent["inner"]
    assert (outer.items, inner.items) == (3, 3)
    assert outer.seconds >= 0.01
    assert inner.seconds >= 0.02
    assert outer.seconds + inner.seconds <= elapsed


def test_what_the_taker_does_is_not_the_makers() -> None:
    def numbers() -> object:
        for number in range(3):
            wait(0.001)
            yield number

    own = Clock()
    begin = time.perf_counter()
    for _ in own.each("made", numbers()):  # type: ignore[arg-type]
        wait(0.01)
    elapsed = time.perf_counter() - begin
    made = own.spent["made"]
    assert made.items == 3
    assert 0.003 <= made.seconds <= elapsed - 0.03


def test_a_stage_that_fails_is_closed() -> None:
    own = Clock()
    with pytest.raises(KeyError), own.stage("outer"), own.stage("inner"):
        raise KeyError
    with own.stage("next", 1):
        wait(0.01)
    assert own.spent["outer"].seconds < 0.01 <= own.spent["next"].seconds


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
