"""Leases: one task alone has a unit, a dead one's is taken over, and what kills is given up."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.runner.leases import LEASES, Leases, LeaseTimes, look, refuse_tasks
from corefmill.corpora.errors import UsageError
from tests.waiting import wait_until

STILL = LeaseTimes(beat=3600, dead=60, poll=0.01)
"""Nothing dies or is touched by itself."""

QUICK = LeaseTimes(beat=0.02, dead=0.5, poll=0.01)


def age(folder: Path, name: str, seconds: float = 1000) -> None:
    """As if the file had not been touched for so long."""
    path = folder / name
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def test_one_of_all_who_ask_gets_it(tmp_path: Path) -> None:
    with ExitStack() as stack:
        tasks = [stack.enter_context(Leases(tmp_path, str(n), STILL)) for n in range(8)]
        with ThreadPoolExecutor(8) as threads:
            for unit in range(20):
                assert sum(threads.map(lambda one, unit=unit: one.take(str(unit)), tasks)) == 1


def test_one_of_all_who_ask_gets_what_a_dead_one_had(tmp_path: Path) -> None:
    with ExitStack() as stack:
        tasks = [stack.enter_context(Leases(tmp_path, str(n), STILL)) for n in range(8)]
        assert tasks[0].take("3")
        age(tmp_path, "3.0")
        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(lambda one: one.take("3"), tasks[1:])) == 1
        assert {path.name for path in tmp_path.glob("3.*")} == {"3.0", "3.1"}


def test_a_lease_that_is_touched_lives_and_one_that_is_not_dies(tmp_path: Path) -> None:
    with Leases(tmp_path, "a", QUICK) as a, Leases(tmp_path, "b", QUICK) as b:
        assert a.take("1") and not b.take("1")
        before = (tmp_path / "1.0").stat().st_mtime_ns
        wait_until(lambda: (tmp_path / "1.0").stat().st_mtime_ns > before, "it is touched")
        a._held.clear()  # as of a task that was killed: nobody touches it any more
        wait_until(lambda: b.take("1"), "it is dead")


def test_time_is_the_file_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose clock is an hour ahead takes nobody for dead."""
    real = os.utime
    monkeypatch.setattr("time.time", lambda: 4e9)
    with Leases(tmp_path, "a", STILL) as a, Leases(tmp_path, "b", STILL) as b:
        assert a.take("1") and not b.take("1")
        assert sorted(look(tmp_path, STILL).tasks) == ["a", "b"]
        real(tmp_path / "1.0", (0, 0))
        assert b.take("1")


def test_what_was_given_back_or_finished_leaves_nothing(tmp_path: Path) -> None:
    with Leases(tmp_path, "a", STILL) as a:
        assert a.take("1") and a.take("1") and a.take("2")
        a.done("1")
        assert not (tmp_path / "1.0").exists()
    assert list(tmp_path.iterdir()) == []
    with Leases(tmp_path, "b", STILL) as b:
        assert b.take("2")
        assert (tmp_path / "2.0").exists()


def test_what_fails_again_and_again_is_given_up(tmp_path: Path) -> None:
    for turn in range(STILL.most):
        with Leases(tmp_path, f"task {turn}", STILL) as one:
            assert one.take("7")
            one.fail("7", f"error {turn}")
    with Leases(tmp_path, "last", STILL) as last:
        assert not last.take("7")
        assert last.spoilt == {"7": "error 3"}
        assert last.take("8")
    (dead,) = look(tmp_path, STILL).dead
    assert (dead.name, dead.who, dead.error) == ("7", "task 3", "error 3")


def test_who_is_at_work_is_seen_and_refused(tmp_path: Path) -> None:
    folder = tmp_path / "out/.corefmill/work/ab" / LEASES
    folder.mkdir(parents=True)
    with Leases(folder, "node7, task 2", STILL) as one:
        one.take("12")
        seen = look(folder, STILL)
        assert seen.tasks == ["node7, task 2"]
        assert [lease.name for lease in seen.held] == ["12"]
        with pytest.raises(UsageError, match=r"1 tasks of a cluster are at work .*node7, task 2"):
            refuse_tasks(folder.parents[1], STILL)
        (own,) = folder.glob("*.task")
        age(folder, own.name)
        refuse_tasks(folder.parents[1], STILL)
        assert look(folder, STILL).tasks == []
    assert list(folder.iterdir()) == []


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Leases(tmp_path / "gone", "a", STILL)
    assert look(tmp_path / "gone").tasks == []


@given(
    st.lists(
        st.tuples(st.sampled_from(["take", "die", "fail", "done"]), st.integers(0, 2)),
        max_size=25,
    )
)
def test_never_two_whatever_happens_in_which_order(acts: list[tuple[str, int]]) -> None:
    """Of one unit and three tasks, whose own view is compared with a model of what is true."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        tasks = [stack.enter_context(Leases(folder, str(n), STILL)) for n in range(3)]
        owner: int | None = None
        begun = 0
        for act, who in acts:
            if act == "take":
                got = tasks[who].take("5")
                if owner is None and begun < STILL.most:
                    assert got
                    owner, begun = who, begun + 1
                else:
                    assert got == (owner == who)
            elif owner == who:
                if act == "die":  # its file stays, and grows old
                    age(folder, tasks[who]._held.pop("5").name)
                elif act == "fail":
                    tasks[who].fail("5", "an error")
                else:
                    tasks[who].done("5")
                    begun -= 1
                owner = None
            assert sum("5" in one._held for one in tasks) <= 1
