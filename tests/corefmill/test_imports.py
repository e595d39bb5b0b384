"""What a command imports before it has anything to do: nothing that takes long."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from corefmill.cli import main
from corefmill.cli.commands import BUILD, COREFMILL, TRAIN
from corefmill.cli.failures import EXTRAS

HEAVY = [
    "spacy",
    "torch",
    "duckdb",
    "lxml",
    "matplotlib",
    "scipy",
    "transformers",
    "numpy",
    "requests",
]

RECORDS = "pydantic"
"""What builders need to list their filters, and a list of the commands does not."""

PACKAGES = sorted(name for packages in EXTRAS.values() for name in packages)

HELP = f"""
import contextlib, importlib, io, json, sys
for line in sys.stdin.read().splitlines():
    name, *words = line.split()
    sys.argv, said, code = words, io.StringIO(), 0
    main = importlib.import_module("corefmill.cli." + name).main
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            code = end.code
    heavy = [name for name in {[*HEAVY, RECORDS]!r} if name in sys.modules]
    print(json.dumps([code or 0, "Usage:" in said.getvalue(), heavy]))
"""

COMMANDS = [
    ("main", ["corefmill"]),
    ("build", ["build"]),
    ("train", ["train"]),
    *(("build", ["build", name]) for name in BUILD.commands),
    *(("train", ["train", name]) for name in TRAIN.commands),
    *(("main", ["corefmill", name]) for name in COREFMILL.commands),
]


@pytest.fixture(scope="module")
def helps() -> dict[str, list[Any]]:
    """Exit code, whether help was printed, and what heavy was imported by then, of each command.

    One process asks for the help of all, one after the other.
    """
    lines = [" ".join((module, *words, "--help")) for module, words in COMMANDS]
    done = subprocess.run(
        [sys.executable, "-c", HELP],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(lines, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize(("module", "words"), COMMANDS, ids=lambda value: str(value))
def test_help_imports_nothing_heavy(
    module: str, words: list[str], helps: dict[str, list[Any]]
) -> None:
    code, usage, heavy = helps[" ".join((module, *words, "--help"))]
    assert (code, usage, set(heavy) - {RECORDS}) == (0, True, set())


def test_the_list_of_commands_reads_no_records(helps: dict[str, list[Any]]) -> None:
    assert helps["main corefmill --help"] == [0, True, []]


def test_the_version_imports_no_command() -> None:
    assert main.load(["--version"]).registered_groups == []
    assert main.load(["--version"]).registered_commands == []


def test_importing_corefmill_imports_nothing_heavy() -> None:
    code = f"import sys, corefmill; print([n for n in {[*HEAVY, 'typer']!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


WITHOUT = f"""
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {PACKAGES!r}:
            raise ModuleNotFoundError("No module named " + name, name=name)

sys.meta_path.insert(0, Missing())
from corefmill.cli.{{module}} import main
sys.argv = {{words!r}}
main()
"""

CONLL = """\
#begin document (d); part 000
d 0 0 Ann NNP * - - - - * (0)
d 0 1 slept VBD * - - - - * -

d 0 0 She PRP * - - - - * (0)
d 0 1 woke VBD * - - - - * -

#end document
"""


def without_extras(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """A command where no package of an extra is installed."""
    words = line.split()
    module = words[0] if words[0] in ("build", "train") else "main"
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(module=module, words=words)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


@pytest.mark.parametrize(
    "line",
    [
        "corefmill score key.conll key.conll",
        "corefmill check key.conll",
        "corefmill convert key.conll key.conllu",
        "corefmill stats key.conll",
        "corefmill show key.conll",
        "corefmill corpora",
        "corefmill convert --list",
        "build wec --help",
    ],
)
def test_reading_and_scoring_need_no_extra(tmp_path: Path, line: str) -> None:
    (tmp_path / "key.conll").write_text(CONLL)
    done = without_extras(tmp_path, line)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "build wikicrem --lang en",
        "build ontonotes-it",
        "corefmill convert key.conll key.parquet --to parquet-documents",
        "corefmill score key.conll key.conll --genre (d)",
        "corefmill show key.conll --html key.html",
    ],
)
def test_a_command_says_which_extra_it_needs(tmp_path: Path, line: str) -> None:
    (tmp_path / "key.conll").write_text(CONLL)
    done = without_extras(tmp_path, line)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert re.search(r"this needs \w+, which is not installed", last)
    assert last.endswith("(pip install 'corefmill[build]')")


def test_every_extra_is_one_of_the_packages_own() -> None:
    import tomllib

    from tests.commands import ROOT

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    core = " ".join(project["dependencies"])
    for extra, packages in EXTRAS.items():
        listed = " ".join(project["optional-dependencies"][extra])
        for package in packages:
            name = package.replace("_", "-")
            assert name in listed and name not in core
