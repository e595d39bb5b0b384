"""Leases as `leases.py` has them, on an object store, where tasks share no folder.

    17           task A's: who has it, how often it was begun, and how often it was renewed
    17.failed    what is known of why unit 17 could not be finished, and how often it was begun

A lease is an object that one task alone can make. Its owner puts it again every few seconds, each
time only if it is still as it was left. One that is not renewed is dead, and whoever needs the unit
puts another in its place, only if it is still the dead one's: of two who try, one alone can, and an
owner who was slow rather than dead learns that the unit is another's. Times are the store's own, of
one listing: a lease is compared with an object that the asking task has just put itself.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from corefmill.builders.runner.leases import TASK_ENDING, TIMES, Lease, LeaseTimes, Seen
from corefmill.corpora.object_folder import Listed, ObjectFolder, Version
from corefmill.corpora.remote_errors import RemoteError

_FAILED = ".failed"


@dataclass(slots=True)
class _Held:
    """A lease of this task's: its state in the store, and what it says."""

    version: Version
    begun: int
    beat: int = 0


class StoreLeases:
    """The leases in a folder of a store, as one task takes them and keeps them alive.

    Use it in a `with`. `who` is what the others are told of this task. What others have is looked
    up at most once in `times.poll` seconds: a unit that was given back is offered by then.
    """

    def __init__(
        self, store: ObjectFolder, below: str, who: str, times: LeaseTimes = TIMES
    ) -> None:
        self._store = store
        self._below = below
        self._who = who
        self._times = times
        self._by = secrets.token_hex(6)
        self._own = f"{self._by}{TASK_ENDING}"
        self._beat_of_own = 0
        self._held: dict[str, _Held] = {}
        self._mind = threading.Lock()
        self._over = threading.Event()
        self.spoilt: dict[str, str] = {}
        """What was begun as often as may be and never finished, and what is known of why."""
        self._touched = 0.0
        self._touch()
        self._listed: dict[str, Listed] = {}
        self._looked = -1.0
        self._beats = threading.Thread(target=self._beat, daemon=True)
        self._beats.start()

    def __enter__(self) -> StoreLeases:
        return self

    def __exit__(self, *error: object) -> None:
        """Gives back what was not finished, as if it had never been taken."""
        self._over.set()
        self._beats.join()
        with suppress(RemoteError):  # what is left is dead in a minute
            self._store.delete(map(self._at, (*self._held, self._own)))
        self._held.clear()

    def take(self, name: str) -> bool:
        """Whether `name` is this task's, from now on or already."""
        if name in self._held:
            return True
        self._look()
        there = self._listed.get(name)
        if there is None:
            return self._make(name)
        if self._lives(there):
            return False
        return self._take_over(name, there)

    def done(self, name: str) -> None:
        """It is finished, and what says so is in the store: the lease is of no more use."""
        with self._mind:
            held = self._held.pop(name, None)
        if held is not None:
            self._store.delete([self._at(name)])

    def fail(self, name: str, error: str) -> None:
        """It could not be finished: nobody has it any more, and that counts as a try."""
        with self._mind:
            held = self._held.pop(name, None)
        if held is not None:
            said = json.dumps({"who": self._who, "error": error, "begun": held.begun})
            self._store.put(self._at(name + _FAILED), said.encode())
            self._store.delete([self._at(name)])

    def _make(self, name: str) -> bool:
        """Makes the lease, unless another did since we looked."""
        version = self._store.put_new(self._at(name), self._content(1))
        if version is None:
            return False
        failed, _ = said_in(self._store, self._at(name + _FAILED))
        if self._is_last(name, failed):
            self._store.delete([self._at(name)])
            return False
        held = _Held(version, _begun(failed) + 1)
        with self._mind:
            self._held[name] = held
            if failed:
                self._renew(name, held)
        return name in self._held

    def _take_over(self, name: str, dead: Listed) -> bool:
        """Puts ours in a dead one's place, unless another did since we looked."""
        last, seen = said_in(self._store, self._at(name))
        if seen is None or not seen.has_tag_of(dead.version) or self._is_last(name, last):
            return False
        begun = _begun(last) + 1
        version = self._store.replace_if(self._at(name), self._content(begun), seen)
        if version is None:
            return False
        with self._mind:
            self._held[name] = _Held(version, begun)
        return True

    def _is_last(self, name: str, last: dict[str, Any]) -> bool:
        """Whether it was begun as often as may be."""
        if _begun(last) < self._times.most:
            return False
        self.spoilt[name] = str(last.get("error", ""))
        return True

    def _renew(self, name: str, held: _Held) -> None:
        """Puts a lease again; it is another's where it is not as we left it."""
        held.beat += 1
        content = self._content(held.begun, held.beat)
        version = self._store.replace_if(self._at(name), content, held.version)
        if version is None:
            del self._held[name]
        else:
            held.version = version

    def _lives(self, there: Listed) -> bool:
        """Whether its owner has put it lately, as of our last look."""
        own = self._listed.get(self._own)
        if own is None:  # the work is finished, and being removed
            return True
        now = own.written.timestamp() + self._looked - self._touched
        return there.written.timestamp() > now - self._times.dead

    def _look(self) -> None:
        """Lists all leases, unless that was done just now."""
        if time.monotonic() < self._looked + self._times.poll:
            return
        with self._mind:  # that our own is listed as it was put last
            self._looked = time.monotonic()
            self._listed = listed(self._store, self._below)

    def _beat(self) -> None:
        while not self._over.wait(self._times.beat):
            with self._mind:
                # A store that cannot be reached: others will take over.
                with suppress(RemoteError):
                    self._touch()
                for name, held in list(self._held.items()):
                    with suppress(RemoteError):
                        self._renew(name, held)

    def _touch(self) -> None:
        """Shows that this task is at work."""
        self._beat_of_own += 1
        said = {"who": self._who, "beat": self._beat_of_own}
        self._store.put(self._at(self._own), json.dumps(said).encode())
        self._touched = time.monotonic()

    def _content(self, begun: int, beat: int = 0) -> bytes:
        """What no other task puts, nor this one twice."""
        said = {"who": self._who, "begun": begun, "by": self._by, "beat": beat}
        return json.dumps(said | {"put": secrets.token_hex(4)}).encode()

    def _at(self, name: str) -> str:
        return f"{self._below}/{name}"


def listed(store: ObjectFolder, below: str) -> dict[str, Listed]:
    """All leases in a folder of a store, by their names."""
    found = store.list(below)
    return {name.removeprefix(f"{below}/"): one for name, one in found.items()}


def look_in_store(store: ObjectFolder, below: str, times: LeaseTimes = TIMES) -> Seen:
    """Who is at work in a folder of leases of a store; nobody where there is none."""
    seen = Seen()
    probe = f"{below}/{secrets.token_hex(6)}.now"
    store.put(probe, b"")
    found = store.list(below)
    store.delete([probe])
    now = found.pop(probe).written.timestamp()
    for name, one in sorted(found.items()):
        own = name.removeprefix(f"{below}/")
        lives = one.written.timestamp() > now - times.dead
        said, _ = said_in(store, name)
        who, error = str(said.get("who", "")), str(said.get("error", ""))
        if own.endswith(TASK_ENDING):
            seen.tasks += [who] * lives
        elif own.endswith(_FAILED):
            if name.removesuffix(_FAILED) not in found:
                seen.dead.append(Lease(own.removesuffix(_FAILED), who, error))
        elif "." not in own:
            (seen.held if lives else seen.dead).append(Lease(own, who, error, lives))
    return seen


def said_in(store: ObjectFolder, name: str) -> tuple[dict[str, Any], Version | None]:
    """What a lease says, nothing where that is not legible; and its version, if it is there."""
    got = store.get(name)
    if got is None:
        return {}, None
    try:
        said = json.loads(got[0])
    except ValueError:
        said = {}
    return said if isinstance(said, dict) else {}, got[1]


def _begun(said: dict[str, Any]) -> int:
    begun = said.get("begun", 0)
    return begun if isinstance(begun, int) else 0
