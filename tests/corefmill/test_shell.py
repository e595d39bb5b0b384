"""How commands end, whatever happens, and that what they print acts on no terminal."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import pytest

from corefmill.builders.run.units import StageError
from corefmill.cli.command import make_command
from corefmill.cli.options import Lang
from corefmill.cli.shell import explain_error, run
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from tests.commands import command, script
from tests.corpora.test_records import EVENT

SECONDS = 60
"""That a process gets on a machine that is busy."""


def ended(act: Callable[[], object], *arguments: str) -> object:
    """The exit code of a command that does that."""

    def command(lang: Lang = "en") -> None:
        act()

    before = signal.getsignal(signal.SIGTERM), sys.stdout, sys.stderr
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(sys, "argv", ["mill", *arguments])
        run(make_command("mill", command))
    assert (signal.getsignal(signal.SIGTERM), sys.stdout, sys.stderr) == before
    return end.value.code or 0


def raising(error: BaseException) -> Callable[[], object]:
    """What raises it."""

    def act(*_: object) -> None:
        raise error

    return act


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (DataError("broken", path="x"), 2, "mill: x: broken\n"),
        (OSError(28, "No space", "x"), 2, "mill: x: No space\n"),
        (OSError(30, "Read-only", "x"), 2, "mill: x: Read-only\n"),
        (MemoryError(), 2, "mill: memory ran out (use fewer --workers"),
        (
            EOFError("cut"),
            2,
            "mill: an input file ends too early: cut (get the whole file again)\n",
        ),
        (BrokenPipeError(32, "Broken pipe"), 2, "mill: Broken pipe\n"),
        (KeyboardInterrupt(), 130, "mill: interrupted\n"),
        (RuntimeError("Query interrupted"), 130, "mill: interrupted\n"),
        (click.exceptions.Exit(1), 1, ""),
    ],
)
def test_what_the_user_can_mend_is_one_line(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(raising(error)) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(said)
    assert printed.err.count("\n") == bool(said)


def test_a_fault_of_the_program_has_its_traceback_in_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    fault = StageError("KeyError at unit 6:\n'\x1b[31m'")
    fault.add_note("Traceback of the worker")
    assert ended(raising(fault)) == 70
    (file,) = tmp_path.iterdir()
    assert capsys.readouterr() == (
        "",
        "mill: internal error: StageError: KeyError at unit 6: '\\u001b[31m'; its traceback is in"
        f" {file}; please report it\n",
    )
    assert file.stat().st_mode & 0o777 == 0o600
    kept = file.read_text(encoding="utf-8")
    assert "in act" in kept
    assert "Traceback of the worker" in kept
    assert "['mill']" in kept


def test_whatever_prints_it_is_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    def act() -> None:
        print("\x1b]0;OWNED\x07", "\u202e")
        print("caf\udcff\x1b[2J", file=sys.stderr)
        raise DataError("\x9b31m", path="\x1b[31m")

    assert ended(act) == 2
    out, err = capsys.readouterr()
    assert out == "\\u001b]0;OWNED\\u0007 \\u202e\n"
    assert err == "caf\\udcff\\u001b[2J\nmill: \\u001b[31m: \\u009b31m\n"
    assert ended(act, "\x1b[31m") == 2
    assert "\x1b" not in capsys.readouterr().err


def mentions(folder: Path) -> Path:
    """A file with an event mention whose type acts on a terminal."""
    file = folder / "mentions.jsonl"
    jsonl.write(file, [replace(EVENT, event_type="ev\x1b]0;OWNED\x07")])
    return file


def test_a_corpus_does_not_act_on_the_terminal(tmp_path: Path) -> None:
    done = command("corefmill", "stats", mentions(tmp_path))
    assert done.returncode == 0
    assert r"type ev\u001b]0;OWNED\u0007" in done.stdout


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EFBIG, errno.EIO])
def test_a_file_that_cannot_be_written(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = mentions(tmp_path)
    fails = raising(OSError(number, os.strerror(number)))

    def fsync(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):  # not where a folder's names are written
            fails()

    monkeypatch.setattr(os, "fsync", fsync)
    done = command("corefmill", "convert", source, tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert done.stderr == f"corefmill: {tmp_path / 'out.jsonl'}: {os.strerror(number)}\n"
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("corefmill models list --lang ../../etc", "'../../etc' is not a code of a language"),
        ("build wikicrem --without lenght", "no filter 'lenght', did you mean length?"),
        ("build ontonotes-it --without one-lft", "'one-lft', did you mean one-left?"),
        ("build ontonotes-it --without kin-artcle", "'kin-artcle', did you mean kin-article?"),
        ("build ontonotes-it --translator apertum", "'apertum', did you mean apertium?"),
    ],
)
def test_what_was_probably_meant(line: str, said: str, tmp_path: Path) -> None:
    name, *rest = line.split()
    done = command(name, *rest, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    done = command("build", "wikicrem", "--quiet", "--out", "a" * 300, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith(": File name too long\n")
    assert done.stderr.count("\n") == 1


def test_a_closed_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    done = command("build", "wikicrem", "--quiet", "--dump", "-", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "build: -: the file cannot be opened: it is closed (give the path of a dump, `sample`,"
        " `latest`, or `-` for standard input)\n",
    )


# Processes of their own, for what a process has one of.


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Runs a line of bash that has $MILL for the command."""
    return subprocess.run(
        ["bash", "-c", line],
        # Of a locale that is not installed bash itself would warn.
        env={**os.environ, "LC_ALL": "C", "MILL": str(script("corefmill"))},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments", ["convert --list", pytest.param("convert --help", marks=pytest.mark.thorough)]
)
def test_nobody_reads_the_output(arguments: str) -> None:
    # The reader is gone before anything is written.
    done = shell(f"set -o pipefail; (sleep 0.3; $MILL {arguments}) | true")
    assert (done.returncode, done.stderr) == (141, "")


def test_a_full_disk_for_the_output() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = shell("$MILL convert --list > /dev/full")
    assert done.returncode == 2
    assert done.stderr == "corefmill: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [("$MILL convert --list >&-", 0, ""), ("$MILL stats nothing 2>&-", 2, "")],
)
def test_a_closed_stream(line: str, code: int, said: str) -> None:
    done = shell(line)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)


def test_sigterm_is_as_ctrl_c() -> None:
    code = """
import time
from corefmill.cli.command import make_command
from corefmill.cli.shell import run
def wait():
    print("here", flush=True)
    time.sleep(99)
run(make_command("mill", wait))
"""
    started = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "here\n"
    started.send_signal(signal.SIGTERM)
    _, said = started.communicate(timeout=SECONDS)
    assert (started.returncode, said) == (130, "mill: interrupted\n")


def test_a_line_that_says_what_is_wrong_has_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    error = DataError(f"no number {'9' * 100_000}", path="x", remedy="mend it")
    assert ended(raising(error)) == 2
    said = capsys.readouterr().err
    assert said.startswith("mill: x: no number 999") and said.endswith("999 (mend it)\n")
    assert len(said) < 2100


NO_TEMPORARY = "No usable temporary directory found in ['/tmp', '/var/tmp', '/usr/tmp', '/']"
SafetensorError = type("SafetensorError", (Exception,), {})
DuckDbError = type("OutOfMemoryException", (Exception,), {"__module__": "_duckdb"})
DuckDbFileError = type("IOException", (Exception,), {"__module__": "_duckdb"})


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SafetensorError("Error while serializing: oh (os error 28)"), "Error while serializing"),
        (ValueError('Os { code: 28, kind: StorageFull, message: "" }'), "Os {"),
        (RuntimeError('Could not write "/a/d": No space left on device'), "Could not write"),
        (DuckDbFileError("what?"), "what?"),
        (DuckDbError("set by the 'max_temp_directory_size' setting"), "set by"),
        (DuckDbError("could not allocate block"), "could not"),
        (EOFError(), "an input file ends too early: nothing is left to read (get"),
        (OSError("x is no model\nthat is known"), "x is no model that is known"),
        (FileNotFoundError(2, NO_TEMPORARY), "there is no folder for temporary files"),
        (FileNotFoundError(2, NO_TEMPORARY, "out"), "there is no folder for temporary files"),
    ],
)
def test_libraries_that_have_errors_of_their_own(error: Exception, said: str) -> None:
    assert str(explain_error(error)).startswith(said)


def test_a_fault_of_the_program_is_none_of_these() -> None:
    assert not [one for one in (TypeError("x"), RuntimeError("")) if explain_error(one)]
