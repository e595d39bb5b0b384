"""Find the dump for a run, and tell the user the reason for the choice.

An interrupted download is resumed, and checked against the published checksum.
"""

from __future__ import annotations

import glob
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from corefmill.builders.services.download import Remote, fetch, fetch_text, open_session
from corefmill.builders.wiki.dump.compression import STDIN
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.remote import Place, is_url, matching, without_query

if TYPE_CHECKING:
    import httpx

WIKIMEDIA = "https://dumps.wikimedia.org"
LATEST = "latest"

_KIND = "pages-articles-multistream.xml.bz2"
_STEPS = 6  # dated folders that are looked into for a whole dump: two or three months

_DATED = re.compile(r"-(\d{8}|latest)-")
# Files beside a dump that are not dumps, or hold no article.
_OTHER = re.compile(
    r"-index\d*\.txt|\.(part|bad|json|html|txt|sql\.gz)$|sums\.txt|-(stub|abstract|pages-logging)",
)
PlaceT = TypeVar("PlaceT", bound=Place)
_SAMPLES = resources.files("corefmill.corpora").joinpath("sample")


class ShippedSample(StrEnum):
    """The shipped samples: articles written by hand, those with generated ones, or tales.

    The generated ones have every type of event.
    """

    articles = "articles"
    world = "world"
    tales = "tales"


@dataclass(frozen=True, slots=True)
class Located:
    """The files of one dump in the order of their pages; "-" is standard input."""

    paths: tuple[Place | str, ...]
    sentence: str
    """A sentence for the user on the choice."""


def locate(
    dump: str,
    lang: str,
    *,
    data_dir: Path,
    date: str | None = None,
    base_url: str = WIKIMEDIA,
    quiet: bool = False,
    sample: ShippedSample = ShippedSample.articles,
) -> Located:
    """Find the dump of the option `dump` for the Wikipedia in `lang`.

    `auto`: the newest below `data_dir`, else the sample. `sample`: corefmill's sample. `latest`,
    and `auto` with a `date` (YYYYMMDD): downloaded to `data_dir` from `base_url` unless already
    there. "-": standard input. Any other value is a path, a URL or a glob of parts, which are read
    in the order of the numbers in their names. The argument `sample` chooses among corefmill's
    samples.

    Raises DataError if nothing is found or a download fails, UsageError for a malformed language or
    date, `RemoteError` for a URL that cannot be read.
    """
    if dump == STDIN:
        return Located((STDIN,), "reading the dump from standard input")
    if dump == "sample":
        return _sample(lang, sample)
    if dump == LATEST or (dump == "auto" and date is not None):
        path = download(lang, data_dir, date=date or LATEST, base_url=base_url, quiet=quiet)
        return Located((path,), f"reading {path}, checked by its published sum when it came")
    if dump == "auto":
        because = f"no dump of {lang} below {data_dir}: "
        return _newest(lang, data_dir) or _sample(lang, sample, because)
    if is_url(dump):
        pattern = f"{dump}*.xml*" if dump.endswith("/") else dump
        return _select_dumps(dump, pattern, matching(pattern))
    path = Path(dump).expanduser()
    if path.is_file() or path.is_fifo():
        return Located((path,), f"reading {path}")
    pattern = str(path / "*.xml*") if path.is_dir() else str(path)
    found = map(Path, sorted(glob.glob(pattern)))  # noqa: PTH207 - it may be absolute
    return _select_dumps(dump, pattern, found)


def sample_links() -> Path:
    """Return the path of the shipped list of titles and Wikidata items of the sample worlds."""
    return Path(str(_SAMPLES.joinpath("links.tsv")))


def _sample(lang: str, sample: ShippedSample, because: str = "") -> Located:
    """Locate the shipped sample of a language; raises `DataError` if there is none.

    `because` is the reason for reading a sample, the beginning of the message or the error.
    """
    names = [f"{lang}.xml"]
    if sample is ShippedSample.world:
        names.append(f"world-{lang}.xml")
    paths = tuple(Path(str(_SAMPLES.joinpath(name))) for name in names)
    if not all(path.is_file() for path in paths):
        raise DataError(
            f"{because}no sample of {lang} ships with the project",
            remedy=f"--dump latest downloads the Wikipedia in {lang}, --dump PATH names a file",
        )
    return Located(
        paths,
        f"{because}reading the small sample that ships with the project, {' and '.join(names)}"
        " (--dump latest downloads a whole Wikipedia)",
    )


def _newest(lang: str, data_dir: Path) -> Located | None:
    """Find the newest dump in `data_dir` or one folder deeper."""
    name = re.compile(rf"{re.escape(database(lang))}([-.].*)?\.xml")
    found = [
        path
        for pattern in ("*", "*/*")
        for path in sorted(data_dir.glob(pattern))
        if name.match(path.name) and not _OTHER.search(path.name) and path.is_file()
    ]
    if not found:
        return None
    date = max(_date(path) for path in found)
    same = [path for path in found if _date(path) == date]
    # One file of articles is better than parts, and parts are better than a whole history.
    best = min(_rank(path) for path in same)
    paths = _in_order(path for path in same if _rank(path) == best)
    if best != _PARTS:
        paths = paths[:1]
    return Located(tuple(paths), f"reading {_phrase(paths)}, the newest dump of {lang} found")


_PARTS = 2


def _rank(path: Path) -> int:
    """Rank a dump by its name: one file of articles before parts, parts before a history."""
    if "-meta-" in path.name:
        return 3
    if re.search(r"articles(-multistream)?\d+\.xml|-p\d+p\d+", path.name):
        return _PARTS
    return 0 if "-multistream." in path.name else 1


def _date(path: Path) -> tuple[str, float]:
    """Return a sort key: the date in a dump's name, else (or for `latest`) the file's date."""
    match = _DATED.search(path.name)
    if match is not None and match[1] != LATEST:
        return match[1], 0.0
    changed = path.stat().st_mtime
    return "", changed


def _select_dumps(dump: str, pattern: str, matches: Iterable[Place]) -> Located:
    """Select the dumps among matching files, in order; raises `DataError` without one."""
    paths = _in_order(
        found
        for found in matches
        if found.is_file() and (_OTHER.search(pattern) or not _OTHER.search(found.name))
    )
    if not paths:
        raise DataError(
            "no dump found under this path, URL or pattern",
            path=without_query(dump),
            remedy="give the path or URL of a dump, a glob in quotes, `sample`, `latest`, or `-`",
        )
    return Located(tuple(paths), f"reading {_phrase(paths)}")


def _in_order(paths: Iterable[PlaceT]) -> list[PlaceT]:
    """Sort paths with their numbers as numbers: part 2 comes before part 10."""

    def key(path: PlaceT) -> list[tuple[int, str]]:
        pieces = re.split(r"(\d+)", str(path))
        return [(int(piece), "") if piece.isdigit() else (0, piece) for piece in pieces]

    return sorted(paths, key=key)


def _phrase(paths: Sequence[Place]) -> str:
    return str(paths[0]) if len(paths) == 1 else f"{len(paths)} files, {paths[0]} the first"


def database(lang: str) -> str:
    """Return the name of a language's Wikipedia in file names: `zh-yue` is zh_yuewiki.

    Raises UsageError for a text that cannot be a language's code.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", lang):
        raise UsageError(
            f"{lang!r} is not a language code", remedy="use a code such as en, it or zh-yue"
        )
    return lang.replace("-", "_") + "wiki"


def download(
    lang: str,
    data_dir: Path,
    *,
    date: str = LATEST,
    base_url: str = WIKIMEDIA,
    quiet: bool = False,
) -> Path:
    """Fetch the dump of `lang`'s Wikipedia of `date` (YYYYMMDD, or `latest`) into `data_dir`.

    If the newest dump is not complete yet, `latest` is the newest complete one, and standard error
    says so. Returns the path of the file. Raises DataError as `fetch` does, and if the server has
    no such dump or no checksum of it.
    """
    with open_session() as asking:
        remote = _find(asking, lang, date, base_url.rstrip("/"), quiet)
        return fetch(asking, remote, data_dir, quiet=quiet)


def _find(asking: httpx.Client, lang: str, date: str, base_url: str, quiet: bool) -> Remote:
    """Find the dump of a date in the published sums.

    The newest dump is in the folder `latest` or, if that is not complete yet, in the newest dated
    folder with a checksum.
    """
    if date != LATEST and not re.fullmatch(r"[0-9]{8}", date):
        raise UsageError(
            f"{date!r} is not a date of a dump", remedy="write YYYYMMDD, such as 20240101"
        )
    wiki = database(lang)
    if (remote := _find_published(asking, f"{base_url}/{wiki}", wiki, date)) is not None:
        return remote
    if date == LATEST:
        listing = fetch_text(asking, f"{base_url}/{wiki}/")
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
    """Find the dump in the published checksums of a dated folder; None without."""
    dated = "([0-9]{8})" if day == LATEST else f"({day})"
    line = re.compile(rf"^([0-9a-f]{{32,40}})\s+\*?({wiki}-{dated}-{re.escape(_KIND)})\s*$", re.M)
    for algorithm in ("sha1", "md5"):
        match = line.search(fetch_text(asking, f"{url}/{day}/{wiki}-{day}-{algorithm}sums.txt"))
        if match is not None:
            return Remote(f"{url}/{match[3]}/{match[2]}", match[2], algorithm, match[1])
    return None
