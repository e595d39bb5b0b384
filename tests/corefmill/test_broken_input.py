"""Whatever is given for a dump: one clear line, bounded time and memory, and what was whole kept."""

from __future__ import annotations

import bz2
import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from corpora import manifest
from tests.builders.wiki.dump_writer import HEADER, dump, page
from tests.corefmill.dumps import contents, error_line, sample_pages, small, wikicrem

PAGES = sample_pages()[:12]
WHOLE = dump(PAGES)
MOST_SECONDS = 60  # of processor time
MOST_BYTES = 1.5e9
LOL = b'<!DOCTYPE mediawiki [<!ENTITY a "lol">' + b"".join(
    b'<!ENTITY %c "%b">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in b"bcdefghijklm"
)


def broken(folder: Path, content: bytes, name: str = "dump.xml") -> str:
    """Builds from `content`; returns the line that tells what is wrong with it."""
    (folder / name).write_bytes(content)
    return error_line(wikicrem("--dump", name, "--quiet", "--out", "out", cwd=folder))


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"", "dump.xml.bz2", "the file is empty (download it again)"),
        (
            b"<!DOCTYPE html>\n<html><head><title>404</title></head></html>",
            "dump.xml.bz2",
            "not a MediaWiki dump: it looks like an HTML page (a dump is an XML export such as ",
        ),
        (
            WHOLE.replace(b'xml:lang="en"', b'xml:lang="de"'),
            "dump.xml",
            "this dump says that its language is 'de', not 'en' (--lang de; or --trust-lang",
        ),
        (
            LOL + b"]>\n" + WHOLE.replace(b"Text.", b"&m;"),
            "dump.xml",
            "declares a DOCTYPE, which no MediaWiki export has and which is not read",
        ),
        (HEADER.encode(), "dump.xml", "cut off before its first page; no page of it is whole"),
        (bz2.compress(WHOLE)[:99], "dump.xml.bz2", "cut off within its compressed data, before"),
        (dump([page("One", "No name.")]), "dump.xml", "no example was found"),
    ],
)
def test_of_which_nothing_can_be_used(tmp_path: Path, content: bytes, name: str, said: str) -> None:
    line = broken(tmp_path, content, name)
    assert line.removeprefix(f"{name}: ").startswith(said)
    # Once the input is mended, what the failure left is in nobody's way.
    (tmp_path / name).write_bytes(WHOLE)
    assert wikicrem("--dump", name, "--quiet", "--out", "out", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("packed", [False, True])
def test_cut_off_it_gives_a_corpus_of_its_whole_pages(tmp_path: Path, packed: bool) -> None:
    cut = WHOLE[: WHOLE.index(PAGES[-1].encode()) + 500]
    content = bz2.compress(WHOLE)[:-20] if packed else cut
    line = broken(tmp_path, content)
    where = " within its compressed data," if packed else ""
    assert line.startswith(f"dump.xml: cut off{where} ")
    assert line.endswith(f"; the corpus in {tmp_path / 'out'} holds what came before")
    made = manifest.read(tmp_path / "out")
    assert len(made.warnings) == 1
    assert f"{made.warnings[0]}; the corpus in " in line
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert f"**Warning:** {made.warnings[0]}" in card
    if not packed:
        small(tmp_path, PAGES[:-1])
        assert wikicrem("--dump", "small.xml", "--quiet", cwd=tmp_path).returncode == 0
        same = contents(tmp_path / "out/wikicrem-en")
        assert (tmp_path / "out/train.jsonl").read_bytes() == same["train.jsonl"]


def test_trust_lang_mends_what_was_refused(tmp_path: Path) -> None:
    content = WHOLE.replace(b'xml:lang="en"', b'xml:lang="de"')
    assert "--trust-lang" in broken(tmp_path, content)
    options = ("--trust-lang", "--quiet", "--out", "out")
    done = wikicrem("--dump", "dump.xml", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_utf_16_is_read(tmp_path: Path) -> None:
    (tmp_path / "wide.xml").write_bytes(WHOLE.decode().encode("utf-16"))
    small(tmp_path, PAGES)
    for name in ("wide", "small"):
        done = wikicrem("--dump", f"{name}.xml", "--quiet", "--out", name, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    train = "train.jsonl"
    assert (tmp_path / "wide" / train).read_bytes() == (tmp_path / "small" / train).read_bytes()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"a\0b", "malformed_xml"),
        (b"a\xff\xfe\x80b", "malformed_xml"),
        (b"&unknown;", "malformed_xml"),
        (b"{{{{[[[[" * (50 * 2**20 // 8), "page_too_large"),
        (b"{{{{[[[[" * (2 * 2**20 // 8), None),
    ],
    ids=["nul", "no utf-8", "entity", "50 MB of braces", "2 MB of braces"],
)
def test_a_bad_page_between_good_ones(tmp_path: Path, text: bytes, reason: str | None) -> None:
    bad = page("Bad", "BAD TEXT", number=900_001)
    content = dump([*PAGES[:6], bad, *PAGES[6:]]).replace(b"BAD TEXT", text)
    (tmp_path / "dump.xml").write_bytes(content)
    done, peak = measured("--dump", "dump.xml", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    counts = json.loads(done.stdout)["counts"]
    assert counts["read"]["pages"] == len(PAGES) + (reason is None)
    if reason is not None:
        assert counts["rejected"][reason] == 1
    assert peak < MOST_BYTES


def measured(*arguments: str, cwd: Path) -> tuple[subprocess.CompletedProcess[str], float]:
    """Runs `build wikicrem` in this one process, for so long at most; gives its peak of bytes."""

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))

    script = Path(sys.executable).with_name("build")
    command = [str(script), "wikicrem", "--workers", "1", *arguments]
    with (cwd / "stdout").open("w+b") as out, (cwd / "stderr").open("w+b") as err:
        process = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=err, preexec_fn=bounded)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    said = [(cwd / name).read_text(encoding="utf-8") for name in ("stdout", "stderr")]
    kilo = 1 if sys.platform == "darwin" else 1024
    return (
        subprocess.CompletedProcess(command, process.returncode, *said),
        usage.ru_maxrss * kilo,
    )


def test_standard_input_and_a_named_pipe(tmp_path: Path) -> None:
    small(tmp_path, PAGES)
    with (tmp_path / "small.xml").open("rb") as dump_file:
        done = wikicrem("--dump", "-", "--json", "--out", "stdin", cwd=tmp_path, stdin=dump_file)
    assert (done.returncode, done.stderr) == (0, "")
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=(WHOLE,), daemon=True)
    writer.start()
    done = wikicrem("--dump", "fifo", "--json", "--out", "fifo-out", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    train = "train.jsonl"
    assert (tmp_path / "stdin" / train).read_bytes() == (tmp_path / "fifo-out" / train).read_bytes()
    # Another stream would have the same fingerprint: none.
    done = wikicrem("--dump", "-", "--out", "stdin", "--quiet", cwd=tmp_path, input="")
    assert "whether a stream is the one it was made from none can tell" in error_line(done)


def test_an_empty_standard_input(tmp_path: Path) -> None:
    done = wikicrem("--dump", "-", "--quiet", cwd=tmp_path, input="")
    assert error_line(done) == "-: the file is empty (download it again)"
