"""Files and finished corpora at URLs, by fsspec.

s3, gs, az, http and https are reached by obstore's interface of fsspec, which tries again what a
server refused or broke off; all else, hf among it, by the package that fsspec names. A file is read
by ranges, and each range must be of the file as it was found: two states make no corpus.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias, cast
from urllib.parse import unquote, urlsplit

from corefmill.corpora.files.errors import CorefmillError, UsageError
from corefmill.corpora.files.ownership import MANIFEST, MARKER, PRIVATE

CLIENT = {"allow_http": True, "connect_timeout": "10s", "timeout": "30s", "user_agent": "corefmill"}
RETRIES = {"max_retries": 7, "retry_timeout": timedelta(seconds=60)}
_WEB, _STORES = ("http", "https"), ("s3", "gs", "az")
_KEYS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true",
    "gs": "GOOGLE_SERVICE_ACCOUNT, or GOOGLE_SKIP_SIGNATURE=true",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "hf": "HF_TOKEN",
}
_BLOCK = 1 << 18  # bytes read at a time: two windows of a dump both read at most twice that
_BLOCKS = 8  # of an open file that are kept, for whoever goes back a little
_URL = re.compile(r"[a-z][a-z0-9]+://(?=.)")
_MARK = f"{PRIVATE}/{MARKER}"
_FOLDER_URL = re.compile(r"(s3|gs|az):/(/(?!\.\.?(/|$))[^/?#@]+){2,}")
_NO_KEY = re.compile(r"169\.254\.169\.254|Missing \w*(Key|Secret)|token request|Account must be")


class RemoteError(CorefmillError):
    """A remote file out of reach, or changed; its content is not called damaged."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file at a URL, in one state; it has the methods of `Path` for readers."""

    url: str
    size: int
    changed: int
    """Nanoseconds of the epoch, 0 where the server does not say."""
    state: str
    """The server's name for this state of the file (ETag), or a time."""

    def __fspath__(self) -> str:
        return self.url.partition("?")[0]

    __str__ = __fspath__

    @property
    def name(self) -> str:
        return unquote(str(self).rstrip("/").rpartition("/")[2])

    def stat(self) -> SimpleNamespace:
        time = self.changed
        return SimpleNamespace(st_size=self.size, st_mtime_ns=time, st_ctime_ns=time)

    def is_file(self) -> bool:
        return True

    def is_fifo(self) -> bool:
        return False

    def open(self, mode: str = "rb", buffering: int = -1) -> io.BufferedReader:
        """Open the file for reading block by block; reading raises `RemoteError`."""
        from fsspec.caching import BlockCache
        from fsspec.spec import AbstractBufferedFile

        raw = AbstractBufferedFile(None, str(self), size=self.size)
        raw.name, raw.cache = str(self), BlockCache(_BLOCK, self.range, self.size, _BLOCKS)
        return io.BufferedReader(raw)

    def range(self, begin: int, end: int) -> bytes:
        """Read the bytes from `begin` to `end` or the file's end. Raises `RemoteError`."""
        if begin >= (end := min(end, self.size)):
            return b""
        with _reach(self.url) as (system, path):
            data: bytes = system.cat_file(path, begin, end, cache_type="none")
            # Only after the bytes came is it known of which state they were.
            found = _describe(self.url, system.info(path))
        if found != self or len(data) != end - begin:
            remedy = "when it no longer changes, run the command again with --overwrite"
            raise RemoteError("the file was changed while it was read", path=self, remedy=remedy)
        return data


Place: TypeAlias = Path | RemoteFile
"""Where a file of input lies."""


def is_url(name: object) -> bool:
    """Tell whether a user's name of a file is a URL."""
    return isinstance(name, str) and _URL.match(name) is not None


def without_query(text: str) -> str:
    """Remove passwords and queries, which may hold a key, from the URLs in a text."""
    return re.sub(r"://[^\s/?#]*@", "://", re.sub(r"(://[^\s?]*)\?\S*", r"\1", text))


def place(name: str | Place) -> Place:
    """Find the file of a name, on this machine or at a URL. Raises `RemoteError`."""
    if not isinstance(name, str) or not is_url(name):
        return Path(name) if isinstance(name, str) else name
    name = _pin(name)
    with _reach(name) as (system, path):
        return _describe(name, system.info(path))


def matching(pattern: str) -> list[RemoteFile]:
    """List the remote files matching a URL with `*`, by name. Raises `RemoteError`."""
    protocol = pattern.partition("://")[0]
    names = [pattern := _pin(pattern)]
    if protocol not in _WEB and re.search(r"[*?\[]", pattern):
        with _reach(pattern) as (system, path):
            names = [f"{protocol}://{name.lstrip('/')}" for name in system.glob(path)]
    return [cast(RemoteFile, place(name)) for name in sorted(names)]


def read_ranges(file: Place, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    """Read ranges of a file, each given as begin and length. Raises `OSError` or `RemoteError`."""
    if isinstance(file, RemoteFile):
        with ThreadPoolExecutor(16) as pool:
            yield from pool.map(lambda one: file.range(one[0], sum(one)), ranges)
        return
    with file.open("rb") as opened:
        for begin, length in ranges:
            opened.seek(begin)
            yield opened.read(length)


def url_of(out: Path | None) -> str | None:
    """Restore the URL of a folder, after `Path` took a slash; None for a local folder."""
    match = re.fullmatch(r"([a-z][a-z0-9]+):/+(.+)", str(out))
    return match and f"{match[1]}://{match[2]}"


def folder_of(name: str) -> Path:
    """Convert the name of an output folder to a path. Raises `UsageError` for a wrong URL."""
    url = url_of(Path(name))
    if url is not None and (url != name.rstrip("/") or not _FOLDER_URL.fullmatch(url)):
        raise UsageError(
            "the output is neither a local folder nor one in a bucket at s3://, gs:// or az://",
            path=without_query(name),
            remedy="write --out s3://bucket/folder; for the hub use `corefmill push`",
        )
    return Path(name)


@dataclass(frozen=True)
class RemoteFolder:
    """A finished corpus in an object store: its mark first, its manifest last."""

    url: str
    fingerprint: str
    limit: int | None

    def check(self, *, overwrite: bool) -> dict[str, int]:
        """List the files there, with sizes. Raises `UsageError` for what this build did not upload,
        unless it may be replaced; `RemoteError` where the store cannot be reached.
        """
        there = {}
        with _reach(self.url) as (system, path), suppress(FileNotFoundError):
            for one in system.ls(path, detail=True):
                there[one["name"].rpartition("/")[2]] = one["size"]
        names = sorted(name for name in there if name != PRIVATE)
        if names and not overwrite and not self._is_ours():
            raise UsageError(
                f"the folder holds files that this build did not make: {', '.join(names[:3])}",
                path=self.url,
                remedy="replace them with --overwrite, or name another place with --out",
            )
        return there

    def upload(self, folder: Path, names: Iterable[str], *, overwrite: bool) -> bool:
        """Upload the files `names` of a local folder; delete remote ones missing in it.

        Returns whether anything had to be uploaded. Raises as `check` does; the manifest is removed
        first, so that what is there after an error is no corpus.
        """
        there = self.check(overwrite=overwrite)
        names = sorted({*names, MANIFEST}, key=lambda name: (name == MANIFEST, name))
        here = {name: (folder / name).stat().st_size for name in names if (folder / name).is_file()}
        with _reach(self.url) as (system, path):
            if here.items() <= there.items() and self._is_ours():
                content = system.cat_file(f"{path}/{MANIFEST}")
                if content == (folder / MANIFEST).read_bytes():
                    return False
            system.pipe_file(f"{path}/{_MARK}", self._mark)
            for name in there.keys() & ({*names} - here.keys() | {MANIFEST}):
                system.rm_file(f"{path}/{name}")
            for name in here:
                if name == MANIFEST:  # another build may have replaced the files meanwhile
                    self.check(overwrite=False)
                system.put_file(str(folder / name), f"{path}/{name}")
        return True

    @property
    def _mark(self) -> bytes:
        return json.dumps({"fingerprint": self.fingerprint, "limit": self.limit}).encode()

    def _is_ours(self) -> bool:
        """Tell whether this build's mark is there; it is compared and never parsed."""
        with _reach(self.url) as (system, path), suppress(FileNotFoundError):
            return bool(system.cat_file(f"{path}/{_MARK}", 0, 1 << 12) == self._mark)
        return False


@contextmanager
def _reach(url: str) -> Iterator[tuple[Any, str]]:
    """Open the file system of a URL, with the path in it; failures are errors of one line."""
    protocol, _, rest = url.partition("://")
    shown = without_query(url)
    if "@" in re.split("[/?#]", rest)[0]:
        remedy = "the password would show: remove all before the @, or download the file"
        raise UsageError("a URL with a password is refused", path=shown, remedy=remedy)
    try:
        if protocol in (*_WEB, *_STORES):
            yield object_store(protocol), url if protocol in _WEB else rest
        else:
            from fsspec.core import url_to_fs

            yield url_to_fs(url, use_listings_cache=False)
    except (CorefmillError, ModuleNotFoundError):
        raise
    except Exception as error:
        # Each package has errors of its own, and obstore's are known by name and text alone. Of
        # what repetition mends the command can go on; the rest names the user's way out.
        kind = type(error).__name__
        first = (without_query(str(error)).strip() or kind).splitlines()[0]
        what, remedy = f"cannot be reached: {first}", "run the same command again: it resumes"
        if isinstance(error, FileNotFoundError):
            what, remedy = "there is no such file", "check the URL"
        elif kind == "NotSupportedError":
            what, remedy = "the server sends whole files only, no parts", "download the file"
        elif (
            isinstance(error, PermissionError)
            or kind in ("PermissionDeniedError", "UnauthenticatedError")
            or _NO_KEY.search(first)
        ):
            what = "access is refused: the key is missing or wrong"
            remedy = f"set {_KEYS[protocol]}" if protocol in _KEYS else "ask its owner for access"
        elif type(error) in (ValueError, ImportError) or "recognise URL" in first:
            what, remedy = f"cannot be read: {first}", "check the URL"
        raise RemoteError(what, path=shown, remedy=remedy) from error


@lru_cache(maxsize=8)
def object_store(protocol: str) -> Any:
    """Open the file system of all buckets or web servers of a protocol, keeping connections."""
    from obstore.fsspec import FsspecStore

    class WebServers(FsspecStore):
        def _split_path(self, path: str) -> tuple[str, str]:
            parts = urlsplit(path)
            return parts.netloc + (f"?{parts.query}" if parts.query else ""), unquote(parts.path)

        async def _ls(self, path: str, detail: bool = False, **_: Any) -> Any:
            raise FileNotFoundError(path)  # a web server lists nothing

    made: Any = WebServers if protocol in _WEB else FsspecStore
    return made(protocol, client_options=CLIENT, retry_config=RETRIES, skip_instance_cache=True)


def _pin(url: str) -> str:
    """Replace a branch in a URL of the hub by its commit, as branches are looked up only once."""
    if not url.startswith("hf://"):
        return url
    with _reach(url) as (system, path):
        at = system.resolve_path(path)
        revision = getattr(at, "revision", None)  # a bucket has none
        if revision is None or re.fullmatch("[0-9a-f]{40}", revision):
            return url
        info = system._api.repo_info(at.repo_id, repo_type=at.repo_type, revision=revision)
        return f"hf://{replace(at, revision=info.sha, _raw_revision=None).unresolve()}"


def _describe(url: str, info: dict[str, Any]) -> RemoteFile:
    """Make the `RemoteFile` of a URL from its info. Raises `FileNotFoundError` for a folder."""
    if info["type"] != "file" or info["size"] is None:
        raise FileNotFoundError
    time = info.get("last_modified")
    keys = ("e_tag", "ETag", "blob_id", "last_modified", "mtime", "modify", "created")
    state = next((str(info[key]) for key in keys if info.get(key)), f"{info['size']} bytes")
    return RemoteFile(url, info["size"], int(time.timestamp()) * 10**9 if time else 0, state)
