"""Downloads a wiki's dump, resumes what broke off, and checks it against its published sum."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.builders.services.download import Remote, fetch, session, text
from corefmill.corpora.files.errors import DataError, UsageError

if TYPE_CHECKING:
    import httpx

WIKIMEDIA = "https://dumps.wikimedia.org"
LATEST = "latest"

_KIND = "pages-articles-multistream.xml.bz2"
_STEPS = 6  # dated folders that are looked into for a whole dump: two or three months


def database(lang: str) -> str:
    """Name a language's Wikipedia as in file names: `zh-yue` is zh_yuewiki.

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
    so. Returns the path of the file. Raises DataError as `fetch` does, and where the server has
    no such dump or publishes no sum for it.
    """
    with session() as asking:
        remote = _find(asking, lang, date, base_url.rstrip("/"), quiet)
        return fetch(asking, remote, data_dir, quiet=quiet)


def _find(asking: httpx.Client, lang: str, date: str, base_url: str, quiet: bool) -> Remote:
    """Find the dump of that date in the published sums.

    The newest is that of the folder `latest`; where that is not whole yet, that of the newest dated
    folder with a sum for one.
    """
    if date != LATEST and not re.fullmatch(r"[0-9]{8}", date):
        raise UsageError(f"{date!r} is not a date", remedy="YYYYMMDD, such as 20240101")
    wiki = database(lang)
    if (remote := _find_published(asking, f"{base_url}/{wiki}", wiki, date)) is not None:
        return remote
    if date == LATEST:
        listing = text(asking, f"{base_url}/{wiki}/")
        days = sorted(set(re.findall(r'href="([0-9]{8})/?"', listing)), reverse=True)
        for number, day in enumerate(days[:_STEPS]):
            remote = _find_published(asking, f"{base_url}/{wiki}", wiki, day)
            if remote is not None:
                newer = f" ({', '.join(days[:number])} not complete)" if number else ""
                if not quiet:
                    print(f"The newest complete dump is of {day}{newer}.", file=sys.stderr)
                return remote
    raise DataError(
        f"no dump {wiki}-{date}-{_KIND} with a published sum",
        path=f"{base_url}/{wiki}/{date}/",
        remedy="look there for a date that has one and give it as --dump, or download by hand",
    )


def _find_published(asking: httpx.Client, url: str, wiki: str, day: str) -> Remote | None:
    """Find the dump in the sums of a folder."""
    dated = "([0-9]{8})" if day == LATEST else f"({day})"
    line = re.compile(rf"^([0-9a-f]{{32,40}})\s+\*?({wiki}-{dated}-{re.escape(_KIND)})\s*$", re.M)
    for algorithm in ("sha1", "md5"):
        match = line.search(text(asking, f"{url}/{day}/{wiki}-{day}-{algorithm}sums.txt"))
        if match is not None:
            return Remote(f"{url}/{match[3]}/{match[2]}", match[2], algorithm, match[1])
    return None
