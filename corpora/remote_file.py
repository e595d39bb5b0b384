"""Files in an object store or on a web server: read by ranges, never fetched whole.

1. s3, gs, az, http and https are read by obstore, which tries again, with longer and longer waits,
   what a server refused or broke off. All else, hf among it, is read by fsspec and the package that
   knows the protocol.
2. What a file is (size, tag, time) is asked once, before the work; each range must be of that file,
   or the work ends: two states of a file make no corpus.
3. A `RemoteFile` has of `Path` what readers of input use; `place` gives the one or the other.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast
from urllib.parse import unquote, urlsplit

from corefmill.corpora.errors import UsageError
from corefmill.corpora.remote_errors import (
    AGAIN,
    ANEW,
    CHANGED,
    STORES,
    URL,
    WEB,
    RemoteError,
    protocol_of,
    reaching,
    refuse_password,
    without_query,
)

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

_BLOCK = 1 << 18
"""Bytes that are read at a time: what two windows both read of a file is at most twice that."""
_KEPT = 8  # blocks of an open file, for whoever goes back a little
_AT_ONCE = 16
_COMMIT = re.compile("[0-9a-f]{40}")
_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds to connect, for one request, and for one with all that is tried again; and tries."""

    connect: float = 10.0
    request: float = 30.0
    all: float = 60.0
    tries: int = 8


PATIENCE = Patience()


class RemoteStat(NamedTuple):
    """What is known of a remote file, by the names that `os.stat` has for it."""

    st_size: int
    st_mtime_ns: int
    st_ctime_ns: int


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file named by a URL, in the state in which it was found."""

    url: str
    size: int
    """Bytes."""
    changed: int
    """Nanoseconds of the epoch, 0 where the server does not tell."""
    tag: str | None
    """The server's name for this state of the file (ETag)."""

    def __fspath__(self) -> str:
        """For messages; nothing on this machine has such a path."""
        return self.url.partition("?")[0]

    def __str__(self) -> str:
        return self.__fspath__()

    @property
    def name(self) -> str:
        """The last name of its path."""
        return unquote(str(self).rstrip("/").rpartition("/")[2])

    @property
    def state(self) -> str:
        """Tells this state of the file from others."""
        return self.tag or f"{self.size} bytes of {self.changed}"

    def stat(self) -> RemoteStat:
        """Size and time, as they were when it was found."""
        return RemoteStat(self.size, self.changed, self.changed)

    def is_file(self) -> bool:
        """It is, as a `Path` may not be."""
        return True

    def is_fifo(self) -> bool:
        """It is none: any part of it can be read as often as need be."""
        return False

    def open(self, mode: str = "rb", buffering: int = -1) -> io.BufferedReader:
        """Its bytes, of which a block is read at a time.

        Reading raises `RemoteError` where the server does not answer, or the file was changed.
        """
        return io.BufferedReader(_Blocks(self))

    def range(self, begin: int, end: int) -> bytes:
        """The bytes from `begin` to `end` or the file's end; raises `RemoteError`."""
        end = min(end, self.size)
        if begin >= end:
            return b""
        data: bytes = _reach(self.url, lambda found: found.range(self, begin, end))
        if len(data) != end - begin:
            raise RemoteError(
                f"{len(data):,} bytes came for {end - begin:,}", path=self, remedy=AGAIN
            )
        return data


Place: TypeAlias = Path | RemoteFile
"""Where a file of input lies."""


def is_url(name: object) -> bool:
    """Whether a name that a user gave is a URL."""
    return isinstance(name, str) and URL.match(name) is not None


def place(name: str | Place) -> Place:
    """The file of that name on this machine, or the remote one.

    Raises `RemoteError` for a remote one that is not there or cannot be reached, `UsageError` where
    nothing that is installed knows its protocol.
    """
    if isinstance(name, str) and is_url(name):
        found: RemoteFile = _reach(name, lambda opened: opened.find(name))
        return found
    return Path(name) if isinstance(name, str) else name


def matching(pattern: str) -> list[RemoteFile]:
    """The remote files that a URL names, of which the last name may be a pattern, sorted.

    Raises as `place` does; a web server, which cannot list its files, has one of each URL.
    """
    if protocol_of(pattern) in WEB or not _PATTERN.search(pattern):
        return [cast(RemoteFile, place(pattern))]
    return sorted(_reach(pattern, lambda found: found.matching(pattern)), key=str)


def read_ranges(file: Place, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    """Some ranges of a file, of which each is where it begins, and its length; raises `OSError`, or
    for a remote file `RemoteError`.
    """
    if isinstance(file, RemoteFile):
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(lambda one: file.range(one[0], sum(one)), ranges)
        return
    with file.open("rb") as opened:
        for begin, length in ranges:
            opened.seek(begin)
            yield opened.read(length)


class _Blocks(io.RawIOBase):
    """The bytes of a remote file, which come block by block."""

    def __init__(self, file: RemoteFile) -> None:
        self._file = file
        self.name = str(file)
        self._position = 0
        self._block: Callable[[int], bytes] = lru_cache(_KEPT)(self._fetched)

    def _fetched(self, number: int) -> bytes:
        return self._file.range(number * _BLOCK, (number + 1) * _BLOCK)

    def readable(self) -> bool:
        return True

    seekable = readable

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = (0, self._position, self._file.size)[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        number, inside = divmod(self._position, _BLOCK)
        if self._position >= self._file.size:
            return 0
        piece = memoryview(self._block(number))[inside : inside + len(buffer)]
        buffer[: len(piece)] = piece
        self._position += len(piece)
        return len(piece)


class _Store:
    """What obstore reads: a bucket, or a web server."""

    def __init__(self, store: ObjectStore, path: str) -> None:
        self._store = store
        self._path = path

    def find(self, url: str) -> RemoteFile:
        import obstore

        return _of_meta(url, obstore.head(self._store, self._path))

    def matching(self, pattern: str) -> Iterable[RemoteFile]:
        import obstore

        bucket = pattern.removesuffix(self._path)
        literal = _PATTERN.split(self._path)[0].rpartition("/")[0]
        for some in obstore.list(self._store, literal or None):
            for meta in some:
                key = meta["path"]
                if key.count("/") == self._path.count("/") and fnmatchcase(key, self._path):
                    yield _of_meta(bucket + key, obstore.head(self._store, key))

    def range(self, file: RemoteFile, begin: int, end: int) -> bytes:
        import obstore

        # A weak tag cannot be asked for, and a server need not heed what is asked: see below.
        strong = file.tag if file.tag and not file.tag.startswith("W/") else None
        got = obstore.get(
            self._store, self._path, options={"if_match": strong, "range": (begin, end)}
        )
        if _of_meta(file.url, got.meta) != file:
            raise RemoteError(CHANGED, path=file, remedy=ANEW)
        return bytes(got.bytes())


class _Fsspec:
    """What fsspec reads."""

    def __init__(self, url: str) -> None:
        from fsspec.core import url_to_fs

        try:
            self._system, self._path = url_to_fs(url, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise UsageError(
                f"no {protocol_of(url)}:// can be read: {error}",
                path=without_query(url),
                remedy="install the package that fsspec asks for, or download the file",
            ) from None

    def find(self, url: str) -> RemoteFile:
        pinned = self._pinned(url)
        if pinned != url:
            return _system(pinned, PATIENCE).find(pinned)
        return self._of_info(url, self._system.info(self._path))

    def matching(self, pattern: str) -> Iterable[RemoteFile]:
        pinned = self._pinned(pattern)
        if pinned != pattern:
            yield from _system(pinned, PATIENCE).matching(pinned)
            return
        head = protocol_of(pattern)
        for path in sorted(self._system.glob(self._path)):
            yield self._of_info(f"{head}://{path.lstrip('/')}", self._system.info(path))

    def range(self, file: RemoteFile, begin: int, end: int) -> bytes:
        if self.find(file.url) != file:
            raise RemoteError(CHANGED, path=file, remedy=ANEW)
        with self._system.open(self._path, "rb", cache_type="none") as opened:  # we read ahead
            opened.seek(begin)
            return bytes(opened.read(end - begin))

    def _pinned(self, url: str) -> str:
        """Of what the hub has the URL at its commit: its package asks for a state only once."""
        if protocol_of(url) != "hf":
            return url
        at = self._system.resolve_path(self._path)
        revision = getattr(at, "revision", None)  # a bucket has none
        if revision is None or _COMMIT.fullmatch(revision):
            return url
        from huggingface_hub import HfApi

        commit = HfApi().repo_info(at.repo_id, repo_type=at.repo_type, revision=revision).sha
        return f"hf://{replace(at, revision=commit, _raw_revision=None).unresolve()}"

    def _of_info(self, url: str, info: Mapping[str, Any]) -> RemoteFile:
        if info["type"] != "file" or info["size"] is None:
            raise FileNotFoundError
        lfs = info.get("lfs") or {}
        tags = (info.get("ETag"), lfs.get("sha256"), info.get("xet_hash"), info.get("blob_id"))
        tag = next((str(tag) for tag in tags if tag), None)
        when = next((info[key] for key in ("LastModified", "mtime", "created") if info.get(key)), 0)
        seconds = when.timestamp() if isinstance(when, datetime) else float(when)
        return RemoteFile(url, int(info["size"]), int(seconds * 1e9), tag)


def _of_meta(url: str, meta: Any) -> RemoteFile:
    changed = int(meta["last_modified"].timestamp()) * 10**9
    return RemoteFile(url, meta["size"], changed, meta["e_tag"])


def _opened(url: str) -> _Store | _Fsspec:
    protocol = protocol_of(url)
    refuse_password(url)
    if protocol not in (*WEB, *STORES):
        return _system(url, PATIENCE)
    if protocol in WEB:
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        return _Store(_store(f"{protocol}://{parts.netloc}{query}", PATIENCE), unquote(parts.path))
    return _Store(*bucket_of(url))


def bucket_of(url: str) -> tuple[ObjectStore, str]:
    """The bucket of a URL of `STORES`, and the name in it."""
    head, _, rest = url.partition("://")
    bucket, _, path = rest.partition("/")
    return _store(f"{head}://{bucket}", PATIENCE), path


@lru_cache(maxsize=64)
def _system(url: str, patience: Patience) -> _Fsspec:
    return _Fsspec(url)


@lru_cache(maxsize=64)
def _store(root: str, patience: Patience) -> ObjectStore:
    """A store; its connections are kept for the next request."""
    from obstore import store

    client: ClientConfig = {
        "allow_http": True,
        "connect_timeout": timedelta(seconds=patience.connect),
        "timeout": timedelta(seconds=patience.request),
        "user_agent": "corefmill (coreference corpora; obstore)",
    }
    retry: RetryConfig = {
        "max_retries": patience.tries - 1,
        "retry_timeout": timedelta(seconds=patience.all),
    }
    if root.startswith(WEB):
        return cast("ObjectStore", store.HTTPStore(root, client_options=client, retry_config=retry))
    return store.from_url(root, client_options=client, retry_config=retry)


def forget() -> None:
    """Lets go of all connections: the next request reads its keys anew."""
    _system.cache_clear()
    _store.cache_clear()


def _reach(url: str, ask: Callable[[Any], Any]) -> Any:
    """The answer to a request; what goes wrong is an error in one line."""
    with reaching(url):
        answer = ask(_opened(url))
        return list(answer) if isinstance(answer, Iterator) else answer
