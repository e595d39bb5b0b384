"""Downloads a wiki's dump, resumes what broke off, and checks it against its published sum."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.builders.services.download import Remote, fetched, session, text
from corefmill.corpora.errors import DataError, UsageError

if TYPE_CHECKING:
    import requests

WIKIMEDIA = "https://dumps.wikimedia.org"
LATEST = "latest"

_KIND = "pages-articles-multistream.xml.bz2"


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

    Returns the path of the file. Raises DataError as `fetched` does, and where the server has no
    such dump or publishes no sum for it.
    """
    with session() as asking:
        remote = _find(asking, lang, date, base_url.rstrip("/"))
        return fetched(asking, remote, data_dir, quiet=quiet)


def _find(asking: requests.Session, lang: str, date: str, base_url: str) -> Remote:
    """The newest dump is the one that the list of sums in the folder `latest` names."""
    if date != LATEST and not re.fullmatch(r"[0-9]{8}", date):
        raise UsageError(f"{date!r} is not a date", remedy="YYYYMMDD, such as 20240101")
    wiki = database(lang)
    day = "([0-9]{8})" if date == LATEST else f"({date})"
    line = re.compile(rf"^([0-9a-f]{{32,40}})\s+\*?({wiki}-{day}-{re.escape(_KIND)})\s*$", re.M)
    for algorithm in ("sha1", "md5"):
        url = f"{base_url}/{wiki}/{date}/{wiki}-{date}-{algorithm}sums.txt"
        match = line.search(text(asking, url))
        if match is not None:
            name = match[2]
            return Remote(f"{base_url}/{wiki}/{match[3]}/{name}", name, algorithm, match[1])
    raise DataError(
        f"no dump {wiki}-{date}-{_KIND} with a published sum",
        path=f"{base_url}/{wiki}/{date}/",
        remedy="look there for a date that has one and give it as --dump-date, or download by hand",
    )
