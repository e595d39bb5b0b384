"""Downloads a wiki's dump, resumes what broke off, and checks it against its published sum."""

from __future__ import annotations

import hashlib
import re
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.atomic import sync_folder
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.lock import alone

if TYPE_CHECKING:
    import requests

WIKIMEDIA = "https://dumps.wikimedia.org"
LATEST = "latest"

_KIND = "pages-articles-multistream.xml.bz2"
_PIECE = 1 << 16  # a piece that is cut off is lost, so not larger
_TIMEOUT = (20.0, 120.0)  # seconds to connect, and between two pieces
_SUMS_LIMIT = 4 << 20
_STEPS = 6  # dated folders that are looked into for a whole dump: two or three months
_TRIES = 5
_WAIT = 2.0  # seconds before the second try, and twice as long before each of the next
_AGENT = "corefmill (coreference corpora from dumps; python-requests)"  # Wikimedia asks for one


@dataclass(frozen=True, slots=True)
class Remote:
    """A dump on the server and what it must hash to."""

    url: str
    name: str
    algorithm: str
    """`sha1` or `md5`, whichever the server publishes."""
    digest: str


def database(lang: str) -> str:
    """The name of a language's Wikipedia in file names: `zh-yue` is zh_yuewiki.

    Raises UsageError for what cannot be a language's code.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", lang):
        raise UsageError(f"{lang!r} is not a language code", remedy="--lang en, it, zh-yue ...")
    return lang.replace("-", "_") + "wiki"


def download(
    lang: str,
    data_dir: Path,
    *,
    date: str = LATEST,
    base_url: str = WIKIMEDIA,
    quiet: bool = False,
) -> Path:
    """Fetches the dump of `lang`'s Wikipedia of `date` (YYYYMMDD, or `latest`) into `data_dir`.

    Where the newest dump is not whole yet, `latest` is the newest that is, and standard error says
    so. Returns the path of the file, at once where it is already there: it gets its name only when
    its sum was right. A partial file keeps the ending `.part` and is gone on with, now and in
    later runs. It gives up after five attempts that brought no byte, waiting two seconds and then
    twice as long each time.

    Raises DataError where the server has no such dump, publishes no sum for it, cannot be
    reached, or sends what does not match the sum (the file is then kept with the ending `.bad`).
    """
    with _session() as session:
        remote = _find(session, lang, date, base_url.rstrip("/"), quiet)
        target = data_dir / remote.name
        if target.exists():
            return target
        part = target.with_name(target.name + ".part")
        try:
            with alone(
                data_dir / f".{remote.name}.lock",
                busy=f"is downloading {remote.name} to this folder",
                remedy="give another --data-dir",
            ):
                _fetch(session, remote, part, quiet)
                _check(remote, part)
                part.replace(target)
                sync_folder(data_dir)
        except OSError as error:
            raise DataError(
                f"cannot be written: {error.strerror or error}",
                path=part,
                remedy="free some space or give another --data-dir; the download is resumed",
            ) from error
    return target


def _session() -> requests.Session:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    session = requests.Session()
    retry = Retry(
        total=_TRIES,
        backoff_factor=_WAIT,
        status_forcelist=(429, 500, 502, 503, 504),
        raise_on_status=False,
    )
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    # Sizes and ranges must be those of the file itself.
    session.headers.update({"User-Agent": _AGENT, "Accept-Encoding": "identity"})
    return session


def _find(session: requests.Session, lang: str, date: str, base_url: str, quiet: bool) -> Remote:
    """The dump of that date. The newest is the one that the sums in the folder `latest` name; where
    that is not whole yet, the newest of the dated folders whose sums name one."""
    if date != LATEST and not re.fullmatch(r"[0-9]{8}", date):
        raise UsageError(f"{date!r} is not a date", remedy="YYYYMMDD, such as 20240101")
    wiki = database(lang)
    if (remote := _published(session, f"{base_url}/{wiki}", wiki, date)) is not None:
        return remote
    if date == LATEST:
        listing = _text(session, f"{base_url}/{wiki}/")
        days = sorted(set(re.findall(r'href="([0-9]{8})/?"', listing)), reverse=True)
        for number, day in enumerate(days[:_STEPS]):
            remote = _published(session, f"{base_url}/{wiki}", wiki, day)
            if remote is not None:
                newer = f" ({', '.join(days[:number])} not complete)" if number else ""
                if not quiet:
                    print(f"The newest complete dump is of {day}{newer}.", file=sys.stderr)
                return remote
    raise DataError(
        f"no dump {wiki}-{date}-{_KIND} with a published sum",
        path=f"{base_url}/{wiki}/{date}/",
        remedy="look there for a date that has one and give it as --dump-date, or download by hand",
    )


def _published(session: requests.Session, url: str, wiki: str, day: str) -> Remote | None:
    """The dump that the sums in a folder name."""
    dated = "([0-9]{8})" if day == LATEST else f"({day})"
    line = re.compile(rf"^([0-9a-f]{{32,40}})\s+\*?({wiki}-{dated}-{re.escape(_KIND)})\s*$", re.M)
    for algorithm in ("sha1", "md5"):
        match = line.search(_text(session, f"{url}/{day}/{wiki}-{day}-{algorithm}sums.txt"))
        if match is not None:
            return Remote(f"{url}/{match[3]}/{match[2]}", match[2], algorithm, match[1])
    return None


def _text(session: requests.Session, url: str) -> str:
    """A small text file, "" where the server has none."""
    import requests

    try:
        with session.get(url, timeout=_TIMEOUT, stream=True) as response:
            if response.status_code == requests.codes.not_found:
                return ""
            response.raise_for_status()
            text = b""
            for piece in response.iter_content(_PIECE):
                text += piece
                if len(text) > _SUMS_LIMIT:
                    break
            return text.decode("utf-8", errors="replace")
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
    from tqdm import tqdm

    headers = {"Range": f"bytes={start}-"} if start else {}
    with session.get(remote.url, headers=headers, stream=True, timeout=_TIMEOUT) as response:
        if response.status_code == requests.codes.requested_range_not_satisfiable:
            total = re.fullmatch(r"bytes \*/([0-9]+)", response.headers.get("Content-Range", ""))
            if total is not None and int(total[1]) == start:
                return True
            part.unlink()  # longer than the file on the server, so not a part of it
            return False
        response.raise_for_status()
        resumed = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
        if response.status_code != requests.codes.partial_content or not resumed:
            start = 0  # the server sends the whole file whatever it is asked
        total_bytes = start + _length(response)
        with (
            part.open("r+b" if start else "wb") as file,
            tqdm(
                desc=remote.name,
                initial=start,
                total=total_bytes,
                unit="B",
                unit_scale=True,
                disable=True if quiet else None,
            ) as bar,
        ):
            file.seek(start)
            with suppress(requests.RequestException):  # broken off: what came is kept
                for piece in response.iter_content(_PIECE):
                    file.write(piece)
                    bar.update(len(piece))
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
    return DataError(
        f"cannot be downloaded: {error}",
        path=url,
        remedy="run the same command to go on, or give --dump the path of a dump you have",
    )
