"""Files fetched from a server: part by part, gone on with where it broke off, checked by a sum."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from corefmill.builders.services.service import BUSY, Busy, asked_to_wait, open_client, retrying
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.ownership import lock_file
from corefmill.corpora.files.terminal import progress_bar
from corefmill.corpora.files.writing import sync_folder

if TYPE_CHECKING:
    import httpx

_TIMEOUT = {"connect": 20.0, "timeout": 120.0}  # seconds; the second is between two pieces
_TEXT_LIMIT = 4 << 20
_TRIES = 5
_WAIT = 2.0  # seconds before the second try, and twice as long before each of the next
_AGENT = "corefmill (coreference corpora; python-httpx)"  # Wikimedia asks for one

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Remote:
    """A file on a server and its checksum."""

    url: str
    name: str
    algorithm: str
    """`sha256`, `sha1` or `md5`, whichever is published."""
    digest: str
    size: int | None = None
    """Bytes, where they are known; a file of another size is not read."""


def fetch(session: httpx.Client, remote: Remote, folder: Path, *, quiet: bool) -> Path:
    """Fetch the file into `folder`, unless it is there: only a right sum gives it its name.

    A partial file keeps the ending `.part` and is gone on with, now and in later runs. It gives up
    after five attempts that brought no byte, waiting two seconds and then twice as long each time.
    Raises `DataError` where the server cannot be reached, or sends what does not match the sum (the
    file is then kept with the ending `.bad`).
    """
    target = folder / remote.name
    if target.exists():
        if remote.size not in (None, target.stat().st_size):
            raise DataError(
                f"has {target.stat().st_size:,} bytes, not {remote.size:,}",
                path=target,
                remedy="remove it, to download it anew",
            )
        return target
    part = target.with_name(target.name + ".part")
    try:
        with lock_file(
            folder / f".{remote.name}.lock",
            busy=f"is downloading {remote.name} to this folder",
            remedy="give another --data-dir",
        ):
            # The tries are counted anew after each that brought something.
            while not _until_it_comes(remote.url, lambda: _stream(session, remote, part, quiet)):
                time.sleep(_WAIT)
            _check(remote, part)
            part.replace(target)
            sync_folder(folder)
    except OSError as error:
        raise DataError(
            f"cannot be written: {error.strerror or error}",
            path=part,
            remedy="free some space or give another --data-dir; the download is resumed",
        ) from error
    return target


def session() -> httpx.Client:
    """Open a client with redirects; raises nothing by itself."""
    import httpx

    return open_client(
        httpx.Client,
        headers={"User-Agent": _AGENT},
        timeout=httpx.Timeout(**_TIMEOUT),
        follow_redirects=True,
    )


def text(session: httpx.Client, url: str) -> str:
    """Download a small text file; "" if the server has none. Raises `DataError` as `fetch` does."""

    def read() -> str:
        with _response(session, url) as response:
            if response.status_code == 404:
                return ""
            response.raise_for_status()
            found = b""
            for piece in response.iter_raw():
                found += piece
                if len(found) > _TEXT_LIMIT:
                    break
            return found.decode("utf-8", errors="replace")

    return _until_it_comes(url, read)


def _until_it_comes(url: str, read: Callable[[], T]) -> T:
    """Call `read` until it returns, again after a temporary fault."""
    import httpx

    try:
        return retrying(_TRIES, _WAIT)(read)
    except (Busy, httpx.HTTPError, httpx.InvalidURL) as error:
        why = str(error)
        if isinstance(error, httpx.HTTPStatusError):
            why = f"the server answers {error.response.status_code} {error.response.reason_phrase}"
        raise DataError(
            f"cannot be downloaded: {why}",
            path=url,
            remedy="run the same command to go on, or put the file below --data-dir yourself",
        ) from error


@contextmanager
def _response(session: httpx.Client, url: str, start: int = 0) -> Iterator[httpx.Response]:
    """Ask for a file from byte `start` on; `Busy` is raised for what may pass."""
    import httpx

    headers = {"Range": f"bytes={start}-"} if start else {}
    try:
        with session.stream("GET", url, headers=headers) as response:
            if response.status_code in BUSY:
                why = f"the server answers {response.status_code} {response.reason_phrase}"
                raise Busy(why, wait=asked_to_wait(url, response.headers))
            yield response
    except httpx.TimeoutException as error:
        raise Busy("the server does not answer") from error
    except (httpx.NetworkError, httpx.ProxyError, httpx.RemoteProtocolError) as error:
        raise Busy("the server cannot be reached; is there a network?") from error


def _stream(session: httpx.Client, remote: Remote, part: Path, quiet: bool) -> bool:
    """Add to `part` what one connection gives; return whether it is whole. No byte is `Busy`."""
    import httpx

    start = before = part.stat().st_size if part.exists() else 0
    with _response(session, remote.url, start) as response:
        if response.status_code == 416 and start:
            total = re.fullmatch(r"bytes \*/([0-9]+)", response.headers.get("Content-Range", ""))
            if total is not None and int(total[1]) == start:
                return True
            part.unlink()  # longer than the file on the server, so not a part of it
            raise Busy("it does not send what it has")
        response.raise_for_status()
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
        if response.status_code != 206 or not resumed:
            start = 0  # the server sends the whole file whatever it is asked
        length = response.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise httpx.HTTPError("the server does not say how long the file is")
        total_bytes = start + int(length)
        if remote.size not in (None, total_bytes):
            raise DataError(f"it has {total_bytes:,} bytes, not {remote.size:,}", path=remote.url)
        with (
            part.open("r+b" if start else "wb") as file,
            progress_bar(
                desc=remote.name,
                initial=start,
                total=total_bytes,
                unit="B",
                unit_scale=True,
                hidden=quiet,
                delay=0.0,
                leave=True,
            ) as shown,
        ):
            file.seek(start)
            with suppress(httpx.TransportError):  # broken off: what came is kept
                for piece in response.iter_raw():
                    file.write(piece)
                    shown.update(len(piece))
            end = file.tell()
    if end < total_bytes and end <= before:
        raise Busy("it keeps breaking off")
    return end == total_bytes


def _check(remote: Remote, part: Path) -> None:
    with part.open("rb") as file:
        found = hashlib.file_digest(file, remote.algorithm).hexdigest()
    if found != remote.digest:
        bad = part.with_suffix(".bad")
        part.replace(bad)
        raise DataError(
            f"its {remote.algorithm} is {found}, the published one is {remote.digest}",
            path=bad,
            remedy="run the same command to download it afresh; the bad file may be deleted",
        )
