"""What commands print for programs and write to a log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
    assert told["command"] == "build wec" and "is not a code of a lang" in told["error"]["message"]


def test_warnings_and_signature_are_in_it_though_quiet_prints_none(key: Path) -> None:
    words = ("corefmill", "convert", "key.conll", "key.conllu", "--json", "--quiet")
    loud = command(*words[:-1], cwd=key)
    quiet = command(*words, "--overwrite", cwd=key)
    assert json_result(loud.stdout)["records"] == 1
    assert loud.stderr and not quiet.stderr
    for done in (loud, quiet):
        assert json.loads(done.stdout)["warnings"] == loud.stderr.splitlines()
    done = command("corefmill", "score", "key.conll", "key.conll", "--json", cwd=key)
    assert json.loads(done.stdout)["signature"].startswith("clusters|")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "key.conll").write_text(KEY)
    return tmp_path


def test_verbose_logs_the_command_and_its_end_without_a_traceback(key: Path) -> None:
    done = command("corefmill", "stats", "none", "--verbose", cwd=key)
    assert " INFO took " in done.stderr and " INFO ended by " in done.stderr
    assert "stats none --verbose" in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("corefmill: none")


def test_verbose_says_each_warning_once_and_leaves_the_result_alone(key: Path) -> None:
    quiet = command("corefmill", "convert", "key.conll", "a.conllu", cwd=key)
    loud = command("corefmill", "convert", "key.conll", "b.conllu", "--verbose", cwd=key)
    assert loud.stdout.replace("b.conllu", "a.conllu") == quiet.stdout
    assert loud.stderr.count("did not carry") == 1


def test_control_codes_in_names_stay_out_of_the_log(key: Path) -> None:
    log = command("corefmill", "stats", "\x1b[31mred", "--verbose", cwd=key).stderr
    assert "\x1b" not in log and "\\u001b[31mred" in log
