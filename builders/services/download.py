"""Files fetched from a server: part by part, gone on with where it broke off, checked by a sum."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.atomic import sync_folder
from corefmill.corpora.errors import DataError
from corefmill.corpora.lock import alone
from corefmill.corpora.progress import progress_bar

if TYPE_CHECKING:
    import requests

_PIECE = 1 << 16  # a piece that is cut off is lost, so not larger
_TIMEOUT = (20.0, 120.0)  # seconds to connect, and between two pieces
_TEXT_LIMIT = 4 << 20
_TRIES = 5
_WAIT = 2.0  # seconds before the second try, and twice as long before each of the next
_AGENT = "corefmill (coreference corpora; python-requests)"  # Wikimedia asks for one


@dataclass(frozen=True, slots=True)
class Remote:
    """A file on a server and what it must hash to."""

    url: str
    name: str
    algorithm: str
    """`sha256`, `sha1` or `md5`, whichever is published."""
    digest: str
    size: int | None = None
    """Bytes, where they are known; a file of another size is not read."""


def fetched(session: requests.Session, remote: Remote, folder: Path, *, quiet: bool) -> Path:
    """The file in `folder`, at once where it is already there: it gets its name only when its sum
    was right.

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
        with alone(
            folder / f".{remote.name}.lock",
            busy=f"is downloading {remote.name} to this folder",
            remedy="give another --data-dir",
        ):
            _fetch(session, remote, part, quiet)
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


def session() -> requests.Session:
    """Asks again where a server is busy; raises nothing by itself."""
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    logging.getLogger("urllib3").setLevel(logging.ERROR)  # it tells of each try
    made = requests.Session()
    retry = Retry(
        total=_TRIES,
        backoff_factor=_WAIT,
        status_forcelist=(429, 500, 502, 503, 504),
        raise_on_status=False,
    )
    for scheme in ("http://", "https://"):
        made.mount(scheme, HTTPAdapter(max_retries=retry))
    # Sizes and ranges must be those of the file itself.
    made.headers.update({"User-Agent": _AGENT, "Accept-Encoding": "identity"})
    return made


def text(session: requests.Session, url: str) -> str:
    """A small text file, "" where the server has none. Raises `DataError` as `fetched` does."""
    import requests

    try:
        with session.get(url, timeout=_TIMEOUT, stream=True) as response:
            if response.status_code == requests.codes.not_found:
                return ""
            response.raise_for_status()
            found = b""
            for piece in response.iter_content(_PIECE):
                found += piece
                if len(found) > _TEXT_LIMIT:
                    break
            return found.decode("utf-8", errors="replace")
    except requests.RequestException as error:
        raise _unreachable(url, error) from error


def _fetch(session: requests.Session, remote: Remote, part: Path, quiet: bool) -> None:
    """Brings `part` to its full length, over as many connections as that takes."""
    import requests

    failed = 0
    while True:
        before = part.stat().st_size if part.exists() else 0
        try:
            if _stream(session, remote, part, before, quiet):
                return
        except requests.RequestException as error:  # the session has tried more than once
            raise _unreachable(remote.url, error) from error
        after = part.stat().st_size if part.exists() else 0
        failed = 0 if after > before else failed + 1
        if failed >= _TRIES:
            raise _unreachable(remote.url, requests.ConnectionError("it keeps breaking off"))
        time.sleep(_WAIT * 2**failed)


def _stream(session: requests.Session, remote: Remote, part: Path, start: int, quiet: bool) -> bool:
    """Adds to `part`, which holds `start` bytes, what one connection gives; whether that is all."""
    import requests

    headers = {"Range": f"bytes={start}-"} if start else {}
    with session.get(remote.url, headers=headers, stream=True, timeout=_TIMEOUT) as response:
        if response.status_code == requests.codes.requested_range_not_satisfiable:
            total = re.fullmatch(r"bytes \*/([0-9]+)", response.headers.get("Content-Range", ""))
            if total is not None and int(total[1]) == start:
                return True
            if not start:
                response.raise_for_status()
            part.unlink()  # longer than the file on the server, so not a part of it
            return False
        response.raise_for_status()
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
        if response.status_code != requests.codes.partial_content or not resumed:
            start = 0  # the server sends the whole file whatever it is asked
        total_bytes = start + _length(response)
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
            with suppress(requests.RequestException):  # broken off: what came is kept
                for piece in response.iter_content(_PIECE):
                    file.write(piece)
                    shown.update(len(piece))
            return file.tell() == total_bytes


def _length(response: requests.Response) -> int:
    import requests

    length = response.headers.get("Content-Length", "")
    if not length.isascii() or not length.isdigit():
        raise requests.RequestException("the server does not say how long the file is")
    return int(length)


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


def _unreachable(url: str, error: requests.RequestException) -> DataError:
    import requests

    if isinstance(error, requests.HTTPError) and error.response is not None:
        why = f"the server answers {error.response.status_code} {error.response.reason}"
    elif isinstance(error, requests.Timeout):
        why = "the server does not answer"
    elif error.args and isinstance(error.args[0], Exception):  # urllib3's, whose words are code
        why = "the server cannot be reached; is there a network?"
    else:
        why = str(error)
    return DataError(
        f"cannot be downloaded: {why}",
        path=url,
        remedy="run the same command to go on, or put the file below --data-dir yourself",
    )
