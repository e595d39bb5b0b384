"""Whatever is given for a dump: a clear line, bounded time and memory, what was whole is kept."""

from __future__ import annotations

import bz2
import json
import os
import threading
from pathlib import Path

import pytest

from corefmill.corpora import manifest
from tests.builders.wiki.dump.dump_writer import FOOTER, HEADER, dump, page
from tests.commands import json_result
from tests.corefmill.dumps import error_line, sample_pages, small, wikicrem

PAGES = sample_pages()[:12]
WHOLE = dump(PAGES)
PACKED = bz2.compress(dump(PAGES).removesuffix(FOOTER.encode()))
LOL = b'<!DOCTYPE mediawiki [<!ENTITY a "lol">' + b"".join(
    b'<!ENTITY %c "%b">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in b"bcdefghijklm"
)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus of the whole pages."""
    folder = tmp_path_factory.mktemp("good")
    small(folder, PAGES)
    done = wikicrem("--dump", "small.xml", "--quiet", "--out", "good", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "good"


def same_examples(one: Path, other: Path) -> bool:
    """Whether two corpora differ in their cards and manifests at most."""
    return all(
        (one / f"{split}.conll").read_bytes() == (other / f"{split}.conll").read_bytes()
        for split in ("train", "validation")
    )


def broken(folder: Path, content: bytes, name: str = "dump.xml") -> str:
    """Builds from `content`; returns the line that tells what is wrong with it."""
    (folder / name).write_bytes(content)
    return error_line(wikicrem("--dump", name, "--quiet", "--out", "out", cwd=folder))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "laughs.xml",
            LOL + b"]>\n" + WHOLE.replace(b"</text>", b"&m;</text>"),
            "the file declares a DOCTYPE, which no MediaWiki export does",
        ),
        (
            "cut.xml",
            HEADER.encode(),
            "the dump is cut off before its first page; no page of it is whole",
        ),
        (
            "cut.bz2",
            PACKED[:99],
            "the file is cut off within its compressed data, before its first page;",
        ),
        ("nobody.xml", dump([page("One", "No name.")]), "no example was found"),
    ],
)
def test_of_which_nothing_can_be_used(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    assert broken(tmp_path, content, name).removeprefix(f"{name}: ").startswith(said)


def test_a_dump_that_was_no_dump_is_downloaded_again(tmp_path: Path, good: Path) -> None:
    assert "not a MediaWiki dump" in broken(tmp_path, b"<html>")
    (tmp_path / "dump.xml").write_bytes(WHOLE)
    done = wikicrem("--dump", "dump.xml", "--quiet", "--out", "out", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert same_examples(tmp_path / "out", good)


@pytest.mark.parametrize("packed", [False, True])
def test_cut_off_it_gives_a_corpus_of_its_whole_pages(
    tmp_path: Path, good: Path, packed: bool
) -> None:
    # The last page, which is cut, is about nobody.
    last = page("Last", "Nobody is here. " * 500, number=900_002)
    content = PACKED + bz2.compress(last.encode())[:-9]
    line = broken(tmp_path, content if packed else dump([*PAGES, last])[:-3000])
    where = "its compressed data, between two pages" if packed else 'the page "Last"'
    what = f"the {'file' if packed else 'dump'} is cut off within {where}"
    assert line.startswith(f"dump.xml: {what}; the last whole page is ")
    assert line.endswith(f"; the corpus in {tmp_path / 'out'} holds the rest")
    assert same_examples(tmp_path / "out", good)
    warning, few = manifest.read(tmp_path / "out").warnings
    assert few.startswith("no validation split")
    assert line.startswith(f"{warning}; the corpus in ")
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert f"**Warning:** {warning}" in card


def test_what_was_cut_off_is_one_warning_and_one_line(tmp_path: Path) -> None:
    """It stood twice among the warnings of --json, and the others not on standard error."""
    (tmp_path / "dump.xml").write_bytes(dump(PAGES)[:-200])
    done = wikicrem("--dump", "dump.xml", "--json", "--out", "out", cwd=tmp_path)
    warnings = json.loads(done.stdout)["warnings"]
    assert done.returncode == 2 and done.stderr.splitlines()[:-1] == warnings[:-1]
    assert sum("cut off" in line for line in done.stderr.splitlines()) == 1
    assert sum("cut off" in line for line in warnings) == 1


def with_bad_pages(*texts: bytes) -> bytes:
    """A dump with a page of each text among the good ones."""
    bad = [page("Bad", f"BAD TEXT {n}.", number=900_001 + n) for n in range(len(texts))]
    made = dump([*PAGES[:6], *bad, *PAGES[6:]])
    for n, text in enumerate(texts):
        made = made.replace(f"BAD TEXT {n}.".encode(), text)
    return made


def test_malformed_pages_between_good_ones(tmp_path: Path) -> None:
    (tmp_path / "dump.xml").write_bytes(with_bad_pages(b"a\x01b", b"a\xff\xfe\x80b"))
    done = wikicrem("--dump", "dump.xml", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert [line[:19] for line in done.stderr.splitlines()] == ["no validation split"]
    counts = json_result(done.stdout)["counts"]
    assert counts["read"]["pages"] == len(PAGES)
    assert counts["rejected"]["malformed_xml"] == 2


def test_standard_input(tmp_path: Path, good: Path) -> None:
    common = ("--dump", "-", "--out", "out", "--quiet")
    small(tmp_path, PAGES)
    with (tmp_path / "small.xml").open("rb") as stream:
        done = wikicrem(*common, cwd=tmp_path, stdin=stream)
    assert (done.returncode, done.stderr) == (0, "")
    assert same_examples(tmp_path / "out", good)
    # Another stream has the same fingerprint, for it has none of its own.
    with Path(os.devnull).open("rb") as stream:
        said = error_line(wikicrem(*common, cwd=tmp_path, stdin=stream))
    assert "standard input cannot be compared with what it was built from" in said


def test_a_named_pipe(tmp_path: Path, good: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_bytes, args=(WHOLE,), daemon=True).start()
    done = wikicrem("--dump", "pipe", "--out", "out", "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert same_examples(tmp_path / "out", good)


def test_an_empty_standard_input(tmp_path: Path) -> None:
    with Path(os.devnull).open("rb") as stream:
        done = wikicrem("--dump", "-", "--quiet", cwd=tmp_path, stdin=stream)
    assert error_line(done) == "-: the file is empty (download it again)"
