"""A finished corpus in an object store: put there file by file, its manifest last.

    corpus/.corefmill/owner.json    first, made only if it is not there: whose the place is
    corpus/train.jsonl ...          each whole or not there, as a put is
    corpus/manifest.json            last; without it nothing there is a corpus

Stores have neither renames nor locks, and need none for this: who was killed puts all again, and of
two that put the same corpus both write the same bytes. The names are the corpus's own few; nothing
that is there already is parsed or believed: it is the corpus of this machine, byte for byte, or is
put again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from corefmill.corpora import manifest
from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import MARKER, PRIVATE
from corefmill.corpora.remote_errors import STORES, protocol_of, reaching, refuse_password
from corefmill.corpora.remote_file import bucket_of

_COLLAPSED = re.compile(r"([a-z][a-z0-9]*):/+(.+)")
_MARK = f"{PRIVATE}/{MARKER}"
_SHOWN = 3
_MOST = 1 << 24
"""Bytes of a manifest."""


def url_of(out: Path | None) -> str | None:
    """The URL that was given for a folder, of which `Path` has made one slash of two; or None."""
    match = None if out is None else _COLLAPSED.fullmatch(str(out))
    return None if match is None or len(match[1]) < 2 else f"{match[1]}://{match[2]}"


def folder_of(name: str) -> Path:
    """The folder that a user named, of which `url_of` tells whether it is a URL.

    Raises `UsageError` for a name that is none, and that `Path` would make one of.
    """
    path = Path(name)
    url = url_of(path)
    if url is not None and url != name.rstrip("/"):
        raise UsageError(
            "neither a URL nor a name that a folder of this machine can have here",
            path=name,
            remedy=f"--out {url}, or a folder whose name is none of a protocol",
        )
    return path


def local_of(url: str) -> Path:
    """Where on this machine the corpus of a URL is made, below the folder that all corpora lie in.

    Raises `UsageError` for what is no folder of a bucket in an object store.
    """
    if protocol_of(url) not in STORES:
        raise UsageError(
            f"a corpus is put to {', '.join(f'{one}://' for one in STORES)} alone",
            path=url,
            remedy="`corefmill push` sends a finished one to the hub",
        )
    refuse_password(url)
    protocol, _, rest = url.partition("://")
    names = rest.rstrip("/").split("/")
    if len(names) < 2 or not set(names).isdisjoint(("", ".", "..")):
        raise UsageError(
            "no folder of a bucket", path=url, remedy="such as s3://bucket/corpora/wikicrem-en"
        )
    return Path("out", protocol, *names)


class RemoteFolder:
    """The folder of a corpus in an object store."""

    def __init__(self, url: str, fingerprint: str, limit: int | None) -> None:
        """That of the build which these two tell from others.

        Raises `UsageError` as `local_of` does.
        """
        self.url = url.rstrip("/")
        local_of(url)
        with reaching(url):
            self._store, self._path = bucket_of(self.url)
        self._mark = json.dumps({"fingerprint": fingerprint, "limit": limit}).encode()

    def look(self, *, overwrite: bool) -> None:
        """Raises `UsageError` where another build's files are there, or what no build put there,
        unless they may be written over; `RemoteError` where the store cannot be reached.
        """
        if overwrite or (kept := self._content(_MARK)) == self._mark:
            return
        names = self._names()
        if kept is None and names:
            shown = ", ".join(names[:_SHOWN]) + ("..." if len(names) > _SHOWN else "")
            raise self._refusal(f"files that this command did not put there: {shown}")
        if kept is not None:
            finished = manifest.NAME in names
            raise self._refusal(
                "a finished corpus that was made otherwise"
                if finished
                else "the files of another build"
            )

    def claim(self, *, overwrite: bool) -> None:
        """Makes the place that of this build; what is there stays until the corpus is put.

        Raises as `look` does.
        """
        import obstore
        from obstore.exceptions import AlreadyExistsError

        self.look(overwrite=overwrite)
        with reaching(self.url):
            try:
                mode: Literal["overwrite", "create"] = "overwrite" if overwrite else "create"
                obstore.put(self._store, self._at(_MARK), self._mark, mode=mode)
                return
            except AlreadyExistsError:
                pass
        self.look(overwrite=False)

    def put(self, folder: Path, names: Iterable[str]) -> bool:
        """Puts the files of these names that `folder` has, the manifest last; those that it has not
        are removed there. Returns whether anything had to be put.

        Raises as `look` does, for the place may be another's by now. What was put by then stays,
        and is no corpus: the manifest is removed first.
        """
        import obstore

        self.claim(overwrite=False)
        names = set(names) - {manifest.NAME}
        here = sorted(name for name in names if (folder / name).is_file())
        if self._has(folder, here):
            return False
        with reaching(self.url):
            self._remove([manifest.NAME, *sorted(names.difference(here))])
            for name in here:
                obstore.put(self._store, self._at(name), folder / name)
        self.look(overwrite=False)
        with reaching(self.url):
            obstore.put(self._store, self._at(manifest.NAME), folder / manifest.NAME)
        return True

    def _has(self, folder: Path, names: Iterable[str]) -> bool:
        """Whether the very corpus is there: its manifest, and each file at its length."""
        import obstore

        if self._content(manifest.NAME) != (folder / manifest.NAME).read_bytes():
            return False
        with reaching(self.url):
            try:
                return all(
                    obstore.head(self._store, self._at(name))["size"]
                    == (folder / name).stat().st_size
                    for name in names
                )
            except FileNotFoundError:
                return False

    def _names(self) -> list[str]:
        """What lies in the folder, but for what is hidden; of more than some the first."""
        import obstore

        before = f"{self._path}/"
        with reaching(self.url):
            found = next(iter(obstore.list(self._store, self._path)), [])
        names = (meta["path"].removeprefix(before) for meta in found)
        return [name for name in names if not name.startswith(".")]

    def _remove(self, names: Sequence[str]) -> None:
        import obstore

        for name in names:
            try:
                obstore.head(self._store, self._at(name))
            except FileNotFoundError:
                continue
            obstore.delete(self._store, self._at(name))

    def _content(self, name: str) -> bytes | None:
        """What the object holds, which is compared and never parsed; None where it is not there."""
        import obstore

        with reaching(self.url):
            try:
                got = obstore.get(self._store, self._at(name))
            except FileNotFoundError:
                return None
            return bytes(got.bytes()) if got.meta["size"] <= _MOST else b""

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}"

    def _refusal(self, what: str) -> UsageError:
        return UsageError(
            f"holds {what}",
            path=self.url,
            remedy="--overwrite replaces what has the names of a corpus, --out names another place",
        )
