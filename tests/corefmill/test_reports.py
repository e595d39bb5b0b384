"""`--verbose` and `--log-file`: what a command was given, did and took."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from corefmill.cli import printing
from tests.commands import command

KEY = "#begin document (d); part 000\nd 0 0 Ann NNP * - - - - * (0)\n\n#end document\n"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "key.conll").write_text(KEY)
    return tmp_path


def test_a_log_has_the_command_its_warnings_and_its_end(key: Path) -> None:
    words = ("convert", "key.conll", "key.conllu", "--log-file", "log.txt")
    done = command("corefmill", *words, cwd=key)
    log = (key / "log.txt").read_text("utf-8")
    assert log.startswith("# log of corefmill\n")
    assert " ".join(words) in log and " INFO took " in log
    assert f" WARNING {done.stderr}" in log
    command("corefmill", *words, "--overwrite", cwd=key)
    assert (key / "log.txt").read_text("utf-8").startswith(log)


def test_an_error_has_its_traceback_in_the_log_and_not_on_the_terminal(key: Path) -> None:
    done = command("corefmill", "stats", "none", "--log-file", "l", "--verbose", cwd=key)
    assert "Traceback" not in done.stderr and " INFO ended by " in done.stderr
    assert done.stderr.splitlines()[-1].startswith("corefmill: none")
    assert "Traceback" in (key / "l").read_text("utf-8")


def test_verbose_says_each_warning_once_and_leaves_the_result_alone(key: Path) -> None:
    quiet = command("corefmill", "convert", "key.conll", "a.conllu", cwd=key)
    loud = command("corefmill", "convert", "key.conll", "b.conllu", "--verbose", cwd=key)
    assert loud.stdout.replace("b.conllu", "a.conllu") == quiet.stdout
    assert loud.stderr.count("did not carry") == 1


def test_nothing_is_appended_to_what_is_no_log(key: Path) -> None:
    (key / "s3:" / "bucket").mkdir(parents=True)
    for name in ("key.conll", ".", "s3://bucket/log.txt"):
        done = command("corefmill", "stats", "key.conll", "--log-file", name, cwd=key)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert (key / "key.conll").read_text() == KEY


def test_control_codes_in_names_stay_out_of_the_log(key: Path) -> None:
    command("corefmill", "stats", "\x1b[31mred", "--log-file", "log.txt", cwd=key)
    log = (key / "log.txt").read_text("utf-8")
    assert "\x1b" not in log and "\\u001b[31mred" in log


def test_a_full_disk_under_the_log_is_one_line(key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "l")

    monkeypatch.setattr(printing._File, "flush", full)
    done = command("corefmill", "stats", "key.conll", "--log-file", "l", cwd=key)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "corefmill: l: No space left on device\n"
