"""Download files from a server: resumed after a break, and verified by a checksum."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from corefmill.builders.services import service
from corefmill.builders.services.service import BUSY, Busy, open_client
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.ownership import lock_file
from corefmill.corpora.files.terminal import progress_bar
from corefmill.corpora.files.writing import sync_folder

if TYPE_CHECKING:
    import httpx

_TIMEOUT = {"connect": 20.0, "timeout": 120.0}  # seconds to connect, and between two pieces
_TEXT_LIMIT = 4 << 20
_TRIES = 5
_WAIT = 2.0  # seconds before the second try, doubled before each further try
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
    """Bytes, if known; a file of another size is refused."""


def fetch(session: httpx.Client, remote: Remote, folder: Path, *, quiet: bool) -> Path:
    """Download a file into `folder`, unless it is there, and verify its checksum.

    A partial file has the ending `.part` and is resumed, also by later runs. Gives up after five
    attempts without a byte, with waits of two seconds, then twice as long each time. Raises
    `DataError` if the server cannot be reached, or for a wrong checksum (the file is then kept with
    the ending `.bad`).
    """
    target = folder / remote.name
    if target.exists():
        if remote.size not in (None, target.stat().st_size):
            raise DataError(
                f"the file has {target.stat().st_size:,} bytes, the published file {remote.size:,}",
                path=target,
                remedy="remove the file to download it again",
            )
        return target
    part = target.with_name(target.name + ".part")
    try:
        with lock_file(
            folder / f".{remote.name}.lock",
            busy=f"is downloading {remote.name} to this folder",
            remedy="give another --data-dir",
        ):
            # The count of tries begins again after each try that brought bytes.
            download = partial(_download_rest, session, remote, part, quiet)
            while not _retry_download(remote.url, download):
                time.sleep(_WAIT)
            _verify_checksum(remote, part)
            part.replace(target)
            sync_folder(folder)
    except OSError as error:
        raise DataError(
            f"the download cannot be written: {error.strerror or error}",
            path=part,
            remedy="free some space or give another --data-dir; the download is resumed",
        ) from error
    return target


def open_session() -> httpx.Client:
    """Open an HTTP client for downloads, with redirects."""
    import httpx

    return open_client(
        httpx.Client,
        headers={"User-Agent": _AGENT},
        timeout=httpx.Timeout(**_TIMEOUT),
        follow_redirects=True,
    )


def fetch_text(session: httpx.Client, url: str) -> str:
    """Download a small text file; "" for a missing one. Raises `DataError` as `fetch` does."""

    def read() -> str:
        """Make one try."""
        with _open_response(session, url) as response:
            if response.status_code == 404:
                return ""
            response.raise_for_status()
            found = b""
            for piece in response.iter_raw():
                found += piece
                if len(found) > _TEXT_LIMIT:
                    break
            return found.decode("utf-8", errors="replace")

    return _retry_download(url, read)


def _retry_download(url: str, read: Callable[[], T]) -> T:
    """Call `read` until it succeeds, again after temporary errors; raises `DataError` at last."""
    import httpx

    try:
        return service.make_retrier(_TRIES, _WAIT)(read)
    except (Busy, httpx.HTTPError, httpx.InvalidURL) as error:
        why = str(error)
        if isinstance(error, httpx.HTTPStatusError):
            why = f"the server answers {error.response.status_code} {error.response.reason_phrase}"
        raise DataError(
            f"the file cannot be downloaded: {why}",
            path=url,
            remedy="run the same command to resume, or put the file below --data-dir yourself",
        ) from error


@contextmanager
def _open_response(session: httpx.Client, url: str, start: int = 0) -> Iterator[httpx.Response]:
    """Request a file from byte `start` on; raises `Busy` for temporary errors."""
    import httpx

    headers = {"Range": f"bytes={start}-"} if start else {}
    try:
        with session.stream("GET", url, headers=headers) as response:
            if response.status_code in BUSY:
                why = f"the server answers {response.status_code} {response.reason_phrase}"
                raise Busy(why, wait=service.read_retry_after(url, response.headers))
            yield response
    except httpx.TimeoutException as error:
        raise Busy("the server does not answer") from error
    except (httpx.NetworkError, httpx.ProxyError, httpx.RemoteProtocolError) as error:
        raise Busy("the server cannot be reached (check the network)") from error


def _download_rest(session: httpx.Client, remote: Remote, part: Path, quiet: bool) -> bool:
    """Append one connection's bytes to `part`, `Busy` for none; tell whether the file is whole."""
    import httpx

    start = before = part.stat().st_size if part.exists() else 0
    with _open_response(session, remote.url, start) as response:
        if response.status_code == 416 and start:
            total = re.fullmatch(r"bytes \*/([0-9]+)", response.headers.get("Content-Range", ""))
            if total is not None and int(total[1]) == start:
                return True
            part.unlink()  # longer than the file on the server
            raise Busy("the partial file was longer than the server's")
        response.raise_for_status()
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
        if response.status_code != 206 or not resumed:
            start = 0  # the server ignores the range and sends the whole file
        length = response.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit():
            raise httpx.HTTPError("the server does not tell the length of the file")
        total_bytes = start + int(length)
        if remote.size not in (None, total_bytes):
            said = f"the file has {total_bytes:,} bytes, the published one {remote.size:,}"
            raise DataError(said, path=remote.url)
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
            with suppress(httpx.TransportError):  # broken off: the bytes so far are kept
                for piece in response.iter_raw():
                    file.write(piece)
                    shown.update(len(piece))
            end = file.tell()
    if end < total_bytes and end <= before:
        raise Busy("the connection keeps breaking off")
    return end == total_bytes


def _verify_checksum(remote: Remote, part: Path) -> None:
    """Raise `DataError` for a downloaded file with a wrong checksum, and rename it to `.bad`."""
    with part.open("rb") as file:
        found = hashlib.file_digest(file, remote.algorithm).hexdigest()
    if found != remote.digest:
        bad = part.with_suffix(".bad")
        part.replace(bad)
        raise DataError(
            f"the download's {remote.algorithm} is {found}, the published one {remote.digest}",
            path=bad,
            remedy="run the same command to download the file again; the .bad file may be deleted",
        )
