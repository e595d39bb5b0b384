"""Which dump a run reads: named, found, shipped or downloaded."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.services import download as downloading
from corefmill.builders.wiki.dump import locate as module
from corefmill.builders.wiki.dump.locate import download, locate
from corefmill.corpora.files.errors import DataError, UsageError
from tests.builders.services.file_server import FileServer


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def names(dump: str, folder: Path, lang: str = "en") -> list[str]:
    return [Path(path).name for path in locate(dump, lang, data_dir=folder).paths]


def test_a_path(tmp_path: Path) -> None:
    make(tmp_path, "a.xml")
    found = locate(str(tmp_path / "a.xml"), "en", data_dir=tmp_path)
    assert found.paths == (tmp_path / "a.xml",) and str(tmp_path / "a.xml") in found.sentence


def test_parts_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    parts = [f"enwiki-20240101-pages-articles{n}.xml-p{n}p{n}.bz2" for n in (1, 2, 10)]
    make(tmp_path, *reversed(parts))
    assert names(str(tmp_path / "enwiki-*.bz2"), tmp_path) == parts
    assert names(str(tmp_path), tmp_path) == parts
    assert names("auto", tmp_path) == parts


def test_auto_takes_the_newest_of_the_language(tmp_path: Path) -> None:
    make(
        tmp_path,
        "enwiki-20230101-pages-articles-multistream.xml.bz2",
        "dumps/enwiki-20240101-pages-articles.xml.bz2",
        "dumps/enwiki-20240101-stub-articles.xml.gz",
        "dumps/enwiki-20240101-pages-meta-history1.xml-p1p2.bz2",
        "itwiki-20250101-pages-articles.xml.bz2",
        "enwikinews-20250101-pages-articles.xml.bz2",
    )
    assert names("auto", tmp_path) == ["enwiki-20240101-pages-articles.xml.bz2"]


def test_auto_prefers_one_file_to_its_parts(tmp_path: Path) -> None:
    whole = "enwiki-20240101-pages-articles-multistream.xml.bz2"
    make(tmp_path, whole, "enwiki-20240101-pages-articles-multistream1.xml-p1p9.bz2")
    assert names("auto", tmp_path) == [whole]


def test_auto_falls_back_to_the_sample_and_says_so(tmp_path: Path) -> None:
    found = locate("auto", "en", data_dir=tmp_path)
    assert [Path(path).name for path in found.paths] == ["en.xml"]
    assert f"no dump of en below {tmp_path}" in found.sentence and "sample" in found.sentence
    assert names("sample", tmp_path) == ["en.xml"]


def test_a_language_without_a_sample_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no sample of qya .*--dump latest"):
        locate("auto", "qya", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("dump", "date"), [("latest", None), ("latest", "20240101"), ("auto", "20240101")]
)
def test_only_latest_or_a_date_downloads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dump: str, date: str | None
) -> None:
    def fake(lang: str, data_dir: Path, *, date: str, base_url: str, quiet: bool) -> Path:
        return data_dir / f"{date} of {base_url}"

    monkeypatch.setattr(module, "download", fake)
    found = locate(dump, "en", data_dir=tmp_path, date=date, base_url="mirror")
    assert found.paths == (tmp_path / f"{date or 'latest'} of mirror",)


# Downloads from a local server that breaks off, lies, ignores ranges or has nothing.


CONTENT = random.Random(1).randbytes(3_000_000)
NAME = "itwiki-20240101-pages-articles-multistream.xml.bz2"
FILE = f"/itwiki/20240101/{NAME}"


def publish(
    server: FileServer, content: bytes, algorithm: str = "sha1", digest: str | None = None
) -> None:
    digest = digest or hashlib.new(algorithm, content).hexdigest()
    server.files[FILE] = content
    listing = f"{'0' * 40}  itwiki-20240101-stub.xml.gz\n{digest}  {NAME}\n".encode()
    for day in ("latest", "20240101"):
        path = f"/itwiki/{day}/itwiki-{day}-{algorithm}sums.txt"
        server.files[path] = listing
        server.unbroken.add(path)


def fetch(server: FileServer, folder: Path, **options: Any) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downloading, "_TRIES", 3)
        patch.setattr(downloading, "_WAIT", 0.001)
        return download("it", folder, base_url=server.url, quiet=True, **options)


@pytest.mark.parametrize(("date", "algorithm"), [("latest", "sha1"), ("20240101", "md5")])
def test_a_dump_is_fetched_and_checked(
    server: FileServer, tmp_path: Path, algorithm: str, date: str
) -> None:
    publish(server, CONTENT, algorithm)
    path = fetch(server, tmp_path / "new", date=date)
    assert path == tmp_path / "new" / NAME and path.read_bytes() == CONTENT
    assert [p.name for p in path.parent.iterdir()] == [NAME]


def test_latest_steps_back_to_the_newest_whole_dump(
    server: FileServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(server, CONTENT)
    newest = "itwiki-20240201-pages-articles-multistream.xml.bz2"
    stubs = f"{'0' * 40}  itwiki-20240201-stub.xml.gz\n".encode()
    server.files |= {
        "/itwiki/latest/itwiki-latest-sha1sums.txt": stubs,
        "/itwiki/20240201/itwiki-20240201-sha1sums.txt": stubs,
        f"/itwiki/20240201/{newest}": CONTENT[:1000],
        "/itwiki/": b'<a href="../">../</a> <a href="20231201/">20231201/</a> <a href="20240101/">'
        b'20240101/</a> <a href="20240201/">20240201/</a> <a href="latest/">latest/</a>',
    }
    path = download("it", tmp_path, base_url=server.url)
    assert path.name == NAME and path.read_bytes() == CONTENT
    said = "The newest complete dump is of 20240101 (20240201 not complete)."
    assert said in capsys.readouterr().err
    with pytest.raises(DataError, match="no dump itwiki-20240201"):
        fetch(server, tmp_path, date="20240201")


def test_a_server_that_breaks_off_is_asked_for_the_rest(server: FileServer, tmp_path: Path) -> None:
    publish(server, CONTENT)
    server.break_after = 700_000
    assert fetch(server, tmp_path).read_bytes() == CONTENT
    first, *later = [wanted for path, wanted in server.asked if path == FILE]
    starts = [int(str(wanted)[len("bytes=") : -1]) for wanted in later]
    assert first is None and starts == sorted(set(starts))
    assert starts[0] > 600_000 and len(starts) == 4


def test_a_part_of_an_earlier_run_is_gone_on_with(server: FileServer, tmp_path: Path) -> None:
    publish(server, CONTENT)
    (tmp_path / f"{NAME}.part").write_bytes(CONTENT[:2_000_000])
    assert fetch(server, tmp_path).read_bytes() == CONTENT
    assert server.asked[-1] == (FILE, "bytes=2000000-")


def test_a_wrong_sum_is_an_error_and_the_file_kept_aside(
    server: FileServer, tmp_path: Path
) -> None:
    publish(server, CONTENT, digest="0" * 40)
    with pytest.raises(DataError, match=f"sha1 is .* published one {'0' * 40}"):
        fetch(server, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"{NAME}.bad"]
    publish(server, CONTENT)
    assert fetch(server, tmp_path).read_bytes() == CONTENT


def test_a_dump_that_is_not_there(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no dump itwiki-20230101") as caught:
        fetch(server, tmp_path, date="20230101")
    assert "/itwiki/20230101/" in str(caught.value) and "--dump" in str(caught.value)


def test_a_malformed_date_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a date"):
        download("it", tmp_path, date="2024-01-01")
