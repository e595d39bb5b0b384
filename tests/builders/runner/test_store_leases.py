"""Leases on a store: one task alone has a unit, whatever answers get lost; a dead one is taken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import pytest

from corefmill.builders.runner.leases import LeaseTimes
from corefmill.builders.runner.store_leases import StoreLeases, look_in_store
from corefmill.corpora.object_folder import ObjectFolder
from corefmill.corpora.remote_errors import RemoteError
from tests.object_server import ObjectServer
from tests.waiting import wait_until

pytest.importorskip("obstore", reason="needs the extra cloud")

STILL = LeaseTimes(beat=3600, dead=60, poll=0)
"""Nothing dies or is renewed by itself."""
QUICK = LeaseTimes(beat=0.05, dead=1.0, poll=0.01)
AT = "/bucket/work/leases/"


@pytest.fixture
def folder(store: ObjectServer) -> ObjectFolder:
    return ObjectFolder("s3://bucket/work")


@pytest.fixture
def tasks(folder: ObjectFolder) -> Iterator[list[StoreLeases]]:
    with ExitStack() as stack:
        yield [stack.enter_context(StoreLeases(folder, "leases", str(n), STILL)) for n in range(4)]


def age(store: ObjectServer, name: str, seconds: float = 1000) -> None:
    """As if the lease had not been put for so long."""
    store.written[AT + name] -= seconds


def said(store: ObjectServer, name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(store.objects[AT + name])
    return found


def test_one_of_all_who_ask_gets_it(tasks: list[StoreLeases]) -> None:
    with ThreadPoolExecutor(4) as threads:
        for unit in range(10):
            assert sum(threads.map(lambda one, unit=unit: one.take(str(unit)), tasks)) == 1


@pytest.mark.parametrize("bare", [False, True], ids=["quoted tags", "bare tags"])
def test_one_of_all_who_ask_gets_what_a_dead_one_had(
    store: ObjectServer, tasks: list[StoreLeases], bare: bool
) -> None:
    store.bare = bare
    assert tasks[0].take("3") and not tasks[1].take("3")
    age(store, "3")
    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(lambda one: one.take("3"), tasks[1:])) == 1
    assert said(store, "3")["begun"] == 2


def test_a_dead_lease_is_taken_over_within_its_time(
    store: ObjectServer, folder: ObjectFolder
) -> None:
    with (
        StoreLeases(folder, "leases", "a", QUICK) as a,
        StoreLeases(folder, "leases", "b", QUICK) as b,
    ):
        assert a.take("1") and not b.take("1")
        before = store.written[f"{AT}1"]
        wait_until(lambda: store.written[f"{AT}1"] > before + QUICK.dead, "it is renewed")
        assert not b.take("1")
        a._held.clear()  # as of a task that was killed: nobody renews it any more
        wait_until(lambda: b.take("1"), "it is dead")
        assert said(store, "1")["begun"] == 2


def test_who_was_slow_learns_that_it_is_anothers(
    store: ObjectServer, folder: ObjectFolder, tasks: list[StoreLeases]
) -> None:
    slow, other = tasks[:2]
    assert slow.take("1")
    age(store, "1")
    assert other.take("1")
    slow._renew("1", slow._held["1"])
    assert "1" not in slow._held and said(store, "1")["who"] == "1"


@pytest.mark.parametrize("done", [False, True], ids=["not done", "done"])
def test_a_put_that_is_answered_by_500(
    store: ObjectServer, tasks: list[StoreLeases], done: bool
) -> None:
    """It is sent again; where the first was done all the same, the second finds its own lease."""
    one, other = tasks[:2]
    store.breaks = [("leases/1", done)]
    assert one.take("1") and not store.breaks
    assert not other.take("1")
    store.breaks = [("leases/1", done)]
    one._renew("1", one._held["1"])
    assert one.take("1") and said(store, "1")["beat"] == 1
    age(store, "1")
    store.breaks = [("leases/1", done)]
    assert other.take("1") and said(store, "1")["who"] == "1"


def test_a_store_that_does_not_answer_is_an_error_and_no_lease(
    store: ObjectServer, tasks: list[StoreLeases]
) -> None:
    store.failures = 1000
    with pytest.raises(RemoteError, match="cannot be reached"):
        tasks[0].take("1")
    store.failures = 0
    assert tasks[1].take("1")


def test_what_was_given_back_or_finished_leaves_nothing(
    store: ObjectServer, folder: ObjectFolder
) -> None:
    with StoreLeases(folder, "leases", "a", STILL) as one:
        assert one.take("1") and one.take("2")
        one.done("2")
        assert f"{AT}2" not in store.objects
    assert not store.objects


def test_what_fails_again_and_again_is_given_up(
    store: ObjectServer, folder: ObjectFolder, tasks: list[StoreLeases]
) -> None:
    one = tasks[0]
    for begun in range(STILL.most):
        if begun == 1:  # of whom nothing is heard any more
            assert tasks[1].take("7")
            age(store, "7")
        else:
            assert one.take("7")
            one.fail("7", f"try {begun}")
    assert not one.take("7") and not tasks[2].take("7")
    assert one.spoilt == tasks[2].spoilt == {"7": "try 3"}
    assert f"{AT}7" not in store.objects


def test_who_is_at_work_is_seen(store: ObjectServer, folder: ObjectFolder) -> None:
    with StoreLeases(folder, "leases", "a", STILL) as one:
        assert one.take("1") and one.take("2") and one.take("corpus")
        one.fail("2", "no luck")
        age(store, "1")
        seen = look_in_store(folder, "leases", replace(STILL, dead=60))
        assert seen.tasks == ["a"]
        assert [(lease.name, lease.who) for lease in seen.held] == [("corpus", "a")]
        assert [(lease.name, lease.error) for lease in seen.dead] == [("1", ""), ("2", "no luck")]
    assert look_in_store(folder, "leases").tasks == []
