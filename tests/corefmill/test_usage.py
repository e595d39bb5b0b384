"""What the command line says of itself, and of what cannot be parsed."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import pytest

from corefmill.builders.wikicrem.options import FILTERS
from corefmill.cli.main import COREFMILL
from tests.commands import command
from tests.corefmill.dumps import error_line
from tests.corefmill.test_json import COMMANDS


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_shows_examples_and_every_option(words: tuple[str, ...]) -> None:
    context = click.Context(COREFMILL, info_name="corefmill", terminal_width=200)
    group: Any = COREFMILL
    for word in words[:-1]:
        group = group.load(word)
        context = click.Context(group, parent=context, info_name=word)
    own = click.Context(COMMANDS[words], parent=context, info_name=words[-1])
    options, _, examples = COMMANDS[words].get_help(own).partition("Examples:")
    assert " ".join(words) in examples or words[0] in ("corpora", "models")
    for parameter in COMMANDS[words].params:
        assert parameter.help
        if parameter.param_type_name == "option":
            assert all(flag in options for flag in parameter.opts)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("corefmill wikicrem", "No such command 'wikicrem' (it is corefmill build wikicrem)"),
        ("build nothing", "No such command 'nothing' (build --help explains)"),
        ("build wikicrem --nope", "No such option"),
        ("build wikicrem --mode nope", "'nope' is not one of 'clean', 'paper'"),
        ("build wikicrem --without nope", f"no filter 'nope'; there are {', '.join(FILTERS)}"),
        ("build wikicrem --without qouted", "no filter 'qouted', did you mean quoted?"),
        ("build ontonotes-it --without one-lft", "'one-lft', did you mean one-left?"),
        ("build ontonotes-it --without kin-artcle", "'kin-artcle', did you mean kin-article?"),
        ("build ontonotes-it --translator apertum", "'apertum', did you mean apertium?"),
        ("corefmill models list --lang ../../etc", "'../../etc' is not a code of a language"),
        (f"build wikicrem --quiet --out {'a' * 300}", ": File name too long"),
        ("build wikicrem --dump a --text b", "--dump and --text exclude each other"),
        (
            "build wikicrem --dump no*where",
            "no*where: no dump found under this path, URL or pattern",
        ),
        ("build wikicrem --executor ray --slurm mem=1G", "--slurm has no effect without --exec"),
        ("build wikicrem --executor slurm --slurm mem", "--slurm mem is not of the form KEY=VALUE"),
        ("corefmill build wikicrem extra", "Got unexpected extra argument"),
        ("train coref", "Missing option '--corpus'"),
        ("build wec --quota 0", "Invalid value for '--quota': 0 is not in the range"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(
    tmp_path: Path, arguments: str, said: str
) -> None:
    name, *rest = arguments.split()
    done = command(name, *rest, cwd=tmp_path)
    assert said in error_line(done)
    assert not list(tmp_path.iterdir())


def test_a_command_alone_shows_its_help() -> None:
    for name, shown in (("build", "wikicrem"), ("train", "coref"), ("corefmill", "build")):
        done = command(name)
        assert done.returncode == 2
        assert shown in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_every_level_has_a_version() -> None:
    for name in ("corefmill", "build", "train"):
        done = command(name, "--version")
        assert (done.returncode, done.stdout) == (0, f"corefmill {version('corefmill')}\n")
