"""What a command imports before it has anything to do: nothing that takes long."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from corefmill.cli.main import BUILD, COREFMILL, TRAIN
from corefmill.cli.shell import EXTRAS
from corefmill.corpora.files.errors import install_command

HEAVY = [
    "spacy",
    "torch",
    "duckdb",
    "lxml",
    "matplotlib",
    "scipy",
    "transformers",
    "numpy",
    "httpx",
]

RECORDS = "pydantic"
"""What builders need to list their filters, and a list of the commands and a score do not."""

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
    *(("train", ["train", name]) for name in TRAIN.entries),
    *(("build", ["build", name]) for name in BUILD.entries),
    *(("main", ["corefmill", name]) for name in COREFMILL.entries),
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


@pytest.mark.parametrize("line", ["main corefmill --help", "train train coref --help"])
def test_a_help_without_filters_reads_no_records(line: str, helps: dict[str, list[Any]]) -> None:
    assert helps[line] == [0, True, []]


def test_importing_corefmill_imports_nothing_heavy() -> None:
    code = f"import sys, corefmill; print([n for n in {[*HEAVY, 'click']!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


WITHOUT = f"""
import contextlib, importlib, io, json, sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {PACKAGES!r}:
            raise ModuleNotFoundError("No module named " + name, name=name)

sys.meta_path.insert(0, Missing())
for line in sys.stdin.read().splitlines():
    sys.argv = line.split()
    module = sys.argv[0] if sys.argv[0] in ("build", "train") else "main"
    said, code = io.StringIO(), 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        try:
            importlib.import_module("corefmill.cli." + module).main()
        except SystemExit as end:
            code = end.code
    print(json.dumps([code or 0, said.getvalue()]))
"""

CONLL = """\
#begin document (d); part 000
d 0 0 Ann NNP * - - - - * (0)
d 0 1 slept VBD * - - - - * -

d 0 0 She PRP * - - - - * (0)
d 0 1 woke VBD * - - - - * -

#end document
"""


NEED_NONE = [
    "corefmill score key.conll key.conll",
    "corefmill check key.conll",
    "corefmill convert key.conll key.conllu",
    "corefmill stats key.conll",
    "corefmill show key.conll",
    "corefmill corpora",
    "corefmill corpora explain gap",
    "corefmill convert --list",
    "build wec --help",
]

NEED_ONE = [
    "build wikicrem --lang en",
    "build ontonotes-it",
    "corefmill convert key.conll key.parquet --to parquet-documents",
    "corefmill show key.conll --html key.html",
]


FETCHES = "corefmill corpora download gap"
NEED_MORE = ["corefmill overlap --test dpr --text key.conll"]
"""What needs an extra that brings `build` along: to name that first sends a user to pip twice."""


@pytest.fixture(scope="module")
def without_extras(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Exit code and errors of each command where no package of an extra is installed: of one
    process for those that need none, which so have nothing that others left, and of one more."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "key.conll").write_text(CONLL)
    found: dict[str, tuple[int, str]] = {}
    for lines in ([*NEED_NONE, FETCHES], [*NEED_ONE, *NEED_MORE]):
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT],
            input="\n".join(lines),
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "ALL_PROXY": "gopher://nowhere"},
            check=True,
        )
        said = map(json.loads, done.stdout.splitlines())
        found |= {line: (code, err) for line, (code, err) in zip(lines, said, strict=True)}
    return found


AFTER = """
import sys
from corefmill.cli.main import main
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("line", "needless"),
    [
        ("score key.conll key.conll", {*HEAVY, RECORDS, "corefmill.corpora.records"}),
        ("stats key.conll", HEAVY),
        ("convert --list", HEAVY),
        pytest.param("corpora", HEAVY, marks=pytest.mark.thorough),
        pytest.param("models list", HEAVY, marks=pytest.mark.thorough),
    ],
)
def test_a_command_imports_what_it_uses(
    tmp_path: Path, line: str, needless: Collection[str]
) -> None:
    (tmp_path / "key.conll").write_text(CONLL)
    done = subprocess.run(
        [sys.executable, "-c", AFTER, *line.split()],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert not set(needless).intersection(done.stderr.split())


@pytest.mark.parametrize("line", NEED_NONE)
def test_reading_and_scoring_need_no_extra(
    line: str, without_extras: dict[str, tuple[int, str]]
) -> None:
    code, said = without_extras[line]
    assert code == 0, said


def test_fetching_a_corpus_needs_no_extra(without_extras: dict[str, tuple[int, str]]) -> None:
    code, said = without_extras[FETCHES]
    assert code == 2 and "the proxy that the environment names cannot be used" in said


@pytest.mark.parametrize("line", NEED_ONE)
def test_a_command_says_which_extra_it_needs(
    line: str, without_extras: dict[str, tuple[int, str]]
) -> None:
    code, said = without_extras[line]
    assert code == 2
    last = said.splitlines()[-1]
    assert re.search(r"this command needs the package \w+, which is not installed", last)
    assert last.endswith(f"({install_command('build')})")


@pytest.mark.parametrize("line", NEED_MORE)
def test_the_extra_that_brings_another_is_named_first(
    line: str, without_extras: dict[str, tuple[int, str]]
) -> None:
    code, said = without_extras[line]
    assert code == 2 and said.endswith(f"({install_command('overlap')})\n")


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
