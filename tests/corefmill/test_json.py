"""What commands print for programs and write to a log."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corefmill.cli import printing
from corefmill.cli.command import Group
from corefmill.cli.main import COREFMILL
from tests.commands import command, json_result

KEY = "#begin document (d); part 000\nd 0 0 Ann NNP * - - - - * (0)\n\n#end document\n"


def leaves(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below a group, by the words that call it."""
    if not isinstance(group, Group):
        yield words, group
        return
    for name, below in group.load_all().items():
        yield from leaves(below, *words, name)


COMMANDS = dict(leaves(COREFMILL))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_fails_in_the_one_shape(words: tuple[str, ...], tmp_path: Path) -> None:
    assert "--json" in {flag for one in COMMANDS[words].params for flag in one.opts}
    done = command("corefmill", *words, "--json", "--nope", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    message = told.pop("error")
    assert message == {"message": done.stderr.removeprefix("corefmill: ").strip(), "exit_code": 2}
    assert json_result(json.dumps(told)) is None
    assert told["command"] == " ".join(words)


def test_the_console_script_of_a_group_names_the_same_command(tmp_path: Path) -> None:
    done = command("build", "wec", "--json", "--lang", "?", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert told["command"] == "build wec" and "is no code of a language" in told["error"]["message"]


def test_warnings_and_signature_are_in_it(tmp_path: Path) -> None:
    (tmp_path / "key.conll").write_text(KEY)
    done = command("corefmill", "convert", "key.conll", "k.jsonl", "--json", cwd=tmp_path)
    assert json_result(done.stdout)["records"] == 1
    assert json.loads(done.stdout)["warnings"] == done.stderr.splitlines()
    done = command("corefmill", "score", "key.conll", "key.conll", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["signature"].startswith("clusters|")


def test_quiet_says_no_warning_and_json_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "key.conll").write_text(KEY)
    words = ("corefmill", "convert", "key.conll", "key.conllu", "--json", "--quiet")
    loud = command(*words[:-1], cwd=tmp_path)
    quiet = command(*words, "--overwrite", cwd=tmp_path)
    assert loud.stderr and not quiet.stderr
    assert json.loads(quiet.stdout)["warnings"] == loud.stderr.splitlines()


CONLL = "#begin document (d); part 000\nd 0 0 Ann NNP * - - - - * (0)\n\n#end document\n"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "key.conll").write_text(CONLL)
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
    assert (key / "key.conll").read_text() == CONLL


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
