"""Files below a URL of an object store, each put whole, and some only if nobody else was faster.

Stores have neither renames nor locks. What they have is a put that is done if the object is not
there yet, or if it is still as it was when we last saw it: its version tells. A put whose answer
got lost is sent again, and is refused then as if another had been faster; so we look whether what
is there is what we put. Contents must differ from one put to the next for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.atomic import ensure_folder, replacing
from corefmill.corpora.remote_errors import reaching
from corefmill.corpora.remote_file import bucket_of

if TYPE_CHECKING:
    from obstore import PutMode, UpdateVersion

_AT_ONCE = 1000
"""Objects that are removed by one request."""


@dataclass(frozen=True, slots=True)
class Version:
    """A state of an object, as its store tells it from others."""

    tag: str | None
    number: str | None = None

    def has_tag_of(self, other: Version) -> bool:
        """Whether the tags are the same, which some stores write with quotes in an answer and
        without in a listing."""
        own, theirs = (None if one.tag is None else one.tag.strip('"') for one in (self, other))
        return own == theirs


@dataclass(frozen=True, slots=True)
class Listed:
    """An object of a listing: its version, and when the store says that it was put."""

    version: Version
    written: datetime
    size: int


class ObjectFolder:
    """What lies below a URL; names are relative to it, with `/`.

    All methods raise `RemoteError` where the store cannot be reached.
    """

    def __init__(self, url: str) -> None:
        """Asks nothing of the store yet."""
        self.url = url.rstrip("/")
        with reaching(self.url):
            self._store, self._path = bucket_of(self.url)

    def put_new(self, name: str, content: bytes) -> Version | None:
        """Puts it if there is no such object: its version, None if there is one of another's."""
        return self._put_if(name, content, "create")

    def replace_if(self, name: str, content: bytes, version: Version) -> Version | None:
        """Puts it if the object has that version: the new one, None if it is another or gone."""
        expected: UpdateVersion = {}
        if version.tag is not None:
            expected["e_tag"] = version.tag
        if version.number is not None:
            expected["version"] = version.number
        return self._put_if(name, content, expected)

    def put(self, name: str, content: bytes | Path) -> None:
        """Puts it, or a file, whatever is there."""
        import obstore

        with reaching(self.url):
            obstore.put(self._store, self._at(name), content)

    def get(self, name: str) -> tuple[bytes, Version] | None:
        """What the object holds, None where it is not there."""
        import obstore

        with reaching(self.url):
            try:
                got = obstore.get(self._store, self._at(name))
            except FileNotFoundError:
                return None
            version = Version(got.meta["e_tag"], got.meta["version"])
            return bytes(got.bytes()), version

    def fetch(self, name: str, path: Path) -> bool:
        """Writes the object to a file, which appears whole; whether it is there."""
        import obstore

        ensure_folder(path.parent)
        with reaching(self.url):
            try:
                got = obstore.get(self._store, self._at(name))
            except FileNotFoundError:
                return False
            with replacing(path) as file:
                for piece in got.stream():
                    file.write(piece)
            return True

    def list(self, below: str = "") -> dict[str, Listed]:
        """All objects in a folder and in those below it, by their names."""
        import obstore

        with reaching(self.url):
            return {
                meta["path"].removeprefix(f"{self._path}/"): Listed(
                    Version(meta["e_tag"], meta["version"]), meta["last_modified"], meta["size"]
                )
                for some in obstore.list(self._store, self._at(below).rstrip("/"))
                for meta in some
            }

    def delete(self, names: Iterable[str]) -> None:
        """Removes those that are there."""
        import obstore

        paths = [self._at(name) for name in names]
        with reaching(self.url):
            for start in range(0, len(paths), _AT_ONCE):
                obstore.delete(self._store, paths[start : start + _AT_ONCE])

    def _put_if(self, name: str, content: bytes, mode: PutMode) -> Version | None:
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with reaching(self.url):
            try:
                put = obstore.put(self._store, self._at(name), content, mode=mode)
                return Version(put["e_tag"], put["version"])
            except (AlreadyExistsError, PreconditionError, FileNotFoundError):
                pass
        there = self.get(name)
        return there[1] if there is not None and there[0] == content else None

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}"
