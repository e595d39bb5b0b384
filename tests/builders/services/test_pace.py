from __future__ import annotations

from pathlib import Path

from corefmill.builders.services.pace import FILE, RequestPace


class Clock:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.time = 1000.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


def turns(pace: RequestPace, clock: Clock, count: int) -> list[float]:
    found = []
    for _ in range(count):
        pace.wait()
        found.append(round(clock.time, 3))
    return found


def test_requests_keep_their_distance() -> None:
    clock = Clock()
    pace = RequestPace(30, now=clock.now, sleep=clock.sleep)
    assert turns(pace, clock, 3) == [1000.0, 1002.0, 1004.0]
    clock.time += 60
    assert turns(pace, clock, 2) == [1064.0, 1066.0]
    clock.time -= 500  # somebody set it back
    assert turns(pace, clock, 2) == [566.0, 568.0]


def test_processes_share_it_by_a_file(tmp_path: Path) -> None:
    clock = Clock()
    one, other = (
        RequestPace(60, tmp_path / "cache", now=clock.now, sleep=clock.sleep) for _ in range(2)
    )
    assert turns(one, clock, 1) + turns(other, clock, 2) + turns(one, clock, 1) == [
        1000.0,
        1001.0,
        1002.0,
        1003.0,
    ]
    (tmp_path / "cache" / FILE).write_text("nonsense")
    assert turns(one, clock, 2) == [1003.0, 1004.0]
