"""What is left on a disk when the power goes, as far as POSIX lets it be lost.

Of a file that is what was there at its last fsync; later writes may be there, in part, or not. Of
the names in a folder it is likewise: what was made, renamed and removed since the folder's last
fsync has happened or not. A disk that keeps the order of things is one case of these.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Tree = dict[str, bytes | None]
"""Files with their bytes, folders with None, by path."""

Names = dict[str, int]
"""The number of what lies in a folder, by name."""


@dataclass(slots=True)
class Moment:
    """All files and folders at one moment by number, and what the disk has of them for certain."""

    live: dict[int, bytes | Names]
    synced: dict[int, bytes | Names]


@dataclass(slots=True)
class Recorder:
    """Remembers the state of a folder after each operation; a `disk.Watch`."""

    root: Path
    moments: list[Moment] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)
    _synced: dict[int, bytes | Names] = field(default_factory=dict)
    _last: int = 0

    def start(self) -> None:
        """What is there by now stays, whatever happens."""
        live = self._live()
        self._synced = dict(live)
        self.moments.append(Moment(live, dict(live)))

    def before(self, kind: str, path: str) -> None:
        """Nothing to remember."""

    def after(self, kind: str, path: str) -> None:
        """Looks at all of it."""
        live = self._live()
        if kind == "fsync":
            number = self._numbers[Path(path).stat().st_ino]
            self._synced[number] = live[number]
        self.moments.append(Moment(live, dict(self._synced)))

    def _live(self) -> dict[int, bytes | Names]:
        found: dict[int, bytes | Names] = {}
        seen: dict[int, int] = {}
        last = self.moments[-1].live if self.moments else {}

        def number(path: Path) -> int:
            inode = path.stat(follow_symlinks=False).st_ino
            if inode not in self._numbers:
                self._last += 1
                self._numbers[inode] = self._last
            seen[inode] = self._numbers[inode]
            return seen[inode]

        def look(path: Path) -> None:
            own = number(path)
            if path.is_dir():
                found[own] = {one.name: number(one) for one in sorted(path.iterdir())}
                for one in path.iterdir():
                    look(one)
            else:
                data, before = path.read_bytes(), last.get(own)
                found[own] = (
                    before if isinstance(before, bytes) and before == data else data
                )  # a file's hash is taken once

        look(self.root)
        self._numbers = seen  # what is gone may give its inode to another
        return found


Choice = Callable[[], str]
"""What becomes of one thing: it is as it was last synced (old), as it is (new), half written, or
empty."""


def left(moment: Moment, choice: Choice, *, strict: bool = False) -> Tree:
    """The folder after the power went; a folder that was made is there unless `strict`."""
    found: Tree = {}

    def put(number: int, path: str) -> None:
        live, synced = moment.live.get(number), moment.synced.get(number)
        what = "old" if live is None else choice()
        if isinstance(live, dict) or isinstance(synced, dict):
            now, then = _names(live), _names(synced)
            names = now if what != "old" else then
            if not strict:
                made = {n: i for n, i in now.items() if isinstance(moment.live.get(i), dict)}
                names = made | names
            if path:
                found[path] = None
            for name, below in names.items():
                put(below, f"{path}/{name}".removeprefix("/"))
        else:
            assert live is None or isinstance(live, bytes)
            assert synced is None or isinstance(synced, bytes)
            if (what == "new" and live is not None) or live == synced:
                found[path] = live or b""
            elif what == "old" or live is None:
                found[path] = synced or b""
            else:
                found[path] = live[: len(live) // 2] if what == "half" else b""

    put(1, "")
    return found


def _names(found: bytes | Names | None) -> Names:
    return found if isinstance(found, dict) else {}


def cuts(moments: list[Moment], seed: str) -> Iterator[tuple[str, Tree]]:
    """The different states that a cut after each operation may leave, each with a name."""
    chance = random.Random(seed)
    known: set[int] = set()
    for at, moment in enumerate(moments):
        ways: dict[str, Choice] = {
            "all lost": lambda: "old",
            "names there, data empty": lambda: "empty",
            "names there, data half": lambda: "half",
            "all there": lambda: "new",
            "some lost": lambda: chance.choice(("old", "new", "empty", "half")),
        }
        for name, choice in ways.items():
            tree = left(moment, choice)
            total = hash(tuple(sorted(tree.items())))
            if total not in known:
                known.add(total)
                yield f"after operation {at}, {name}", tree


def put(tree: Tree, folder: Path) -> None:
    """Makes the folder as the tree says."""
    folder.mkdir()
    for path, data in tree.items():
        if data is None:
            (folder / path).mkdir(parents=True, exist_ok=True)
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
