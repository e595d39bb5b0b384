"""Downloading from a local server that breaks off, lies, ignores ranges or has nothing."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.services import download as module
from corefmill.builders.wiki.dump.locate import download
from corefmill.corpora.files.errors import DataError, UsageError
from tests.builders.services.file_server import FileServer

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
        patch.setattr(module, "_TRIES", 3)
        patch.setattr(module, "_WAIT", 0.001)
        return download("it", folder, base_url=server.url, quiet=True, **options)


@pytest.mark.parametrize("date", ["latest", "20240101"])
@pytest.mark.parametrize("algorithm", ["sha1", "md5"])
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
    with pytest.raises(DataError, match=f"download's sha1 is .* published one {'0' * 40}"):
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
