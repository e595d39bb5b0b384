"""What the command line says of itself, and of what cannot be parsed."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from corefmill.builders.wikicrem.options import FILTERS
from corefmill.cli import annotate, corpora_command, main, models
from corefmill.cli.commands import BUILD, TRAIN, load
from corefmill.cli.shell import run
from tests.commands import command, process
from tests.corefmill.dumps import error_line

WIDE = {"COLUMNS": "200", "TERMINAL_WIDTH": "200", "NO_COLOR": "1"}


def test_a_value_that_is_none_is_said_without_words_of_libraries() -> None:
    said = error_line(command("build", "wikicrem", "--mode", "claen"))
    assert said.startswith("Invalid value for '--mode': 'claen' is not one of 'clean', 'paper' (")


@pytest.mark.parametrize(
    ("app", "name", "sub"),
    [
        (load(BUILD), "build", "wikicrem"),
        (load(BUILD), "build", "wikirand"),
        (load(BUILD), "build", "knowref"),
        (annotate.app, "corefmill annotate", "ask"),
        (annotate.app, "corefmill annotate", "export"),
        (annotate.app, "corefmill annotate", "import"),
        (annotate.app, "corefmill annotate", "serve"),
        (annotate.app, "corefmill annotate", "answers"),
        (annotate.app, "corefmill annotate", "report"),
        (annotate.app, "corefmill annotate", "chains"),
        (annotate.app, "corefmill annotate", "table"),
        (load(TRAIN), "train", "coref"),
        (corpora_command.app, "corefmill corpora", "download"),
        (models.app, "corefmill models", "list"),
        (models.app, "corefmill models", "download"),
        (models.app, "corefmill models", "export"),
        *(
            (main.load([name]), "corefmill", name)
            for name in ("convert", "export-task", "check", "stats", "show", "corpora", "push")
        ),
    ],
)
def test_help_shows_examples_and_every_option(
    app: typer.Typer, name: str, sub: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in WIDE.items():
        monkeypatch.setenv(variable, value)
    script, *group = name.split()
    shown = command(script, *group, sub, "--help")
    assert shown.returncode == 0
    options, _, examples = shown.stdout.partition("Examples:")
    assert f" {name} {sub} " in examples
    parameters = get_command(app).commands[sub].params  # type: ignore[attr-defined]
    assert parameters
    for parameter in parameters:
        assert parameter.help
        if parameter.param_type_name == "option":
            assert all(flag in options for flag in parameter.opts)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("corefmill wikicrem", "No such command 'wikicrem' (it is corefmill build wikicrem)"),
        ("build nothing", "No such command 'nothing' (build --help explains)"),
        ("build wikicrem --nope", "No such option: --nope"),
        ("build wikicrem --mode nope", "'nope' is not one of 'clean', 'paper'"),
        ("build wikicrem --without nope", f"no filter 'nope'; there are {', '.join(FILTERS)}"),
        ("build wikicrem --dump a --text b", "--dump and --text exclude each other"),
        ("build wikicrem --dump no*where", "no*where: no dump there"),
        ("build wikicrem --executor ray --slurm mem=1G", "--slurm is for --executor slurm"),
        ("build wikicrem --executor slurm --slurm mem", "--slurm mem: no parameter"),
        ("corefmill build wikicrem extra", "Got unexpected extra argument(s) (extra)"),
        ("train coref", "Missing option '--corpus'"),
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


def test_ctrl_c_while_it_is_still_loading(capsys: pytest.CaptureFixture[str]) -> None:
    def loading() -> typer.Typer:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        run(loading, "build")
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "build: interrupted\n")


def test_version() -> None:
    done = process("corefmill", "--version")
    assert (done.returncode, done.stdout) == (0, f"corefmill {version('corefmill')}\n")


@pytest.mark.parametrize("seed", ["-1", "9223372036854775808", "9" * 5000])
@pytest.mark.parametrize(
    "line",
    [
        "build knowref",
        "corefmill annotate export x --out y",
        "corefmill score x y",
        "corefmill evaluate --model x",
        "train coref --corpus x",
    ],
)
def test_a_seed_is_one_that_every_generator_takes(line: str, seed: str, tmp_path: Path) -> None:
    name, *arguments = line.split()
    said = error_line(command(name, *arguments, "--seed", seed, cwd=tmp_path))
    assert "Invalid value for '--seed'" in said
