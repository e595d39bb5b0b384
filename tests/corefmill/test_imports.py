"""What a command imports before it has anything to do: nothing that takes long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Sequence
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

RUN = f"""
import contextlib, importlib, io, json, sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {PACKAGES!r}:
            raise ModuleNotFoundError("No module named " + name, name=name)

if "without" in sys.argv:
    sys.meta_path.insert(0, Missing())
for line in sys.stdin.read().splitlines():
    sys.argv = line.split()
    module = sys.argv[0] if sys.argv[0] in ("build", "train") else "main"
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            importlib.import_module("corefmill.cli." + module).main()
        except SystemExit as end:
            code = end.code
    heavy = [name for name in {[*HEAVY, RECORDS]!r} if name in sys.modules]
    print(json.dumps([code or 0, out.getvalue(), err.getvalue(), heavy]))
"""


def run_lines(lines: Sequence[str], *words: str, **more: Any) -> dict[str, tuple[Any, ...]]:
    """Exit code, output, errors, and the heavy modules there are by then, of each command line.

    One process runs all, one after the other.
    """
    call = [sys.executable, "-c", RUN, *words]
    text = "\n".join(lines)
    done = subprocess.run(call, input=text, capture_output=True, text=True, check=True, **more)
    return dict(zip(lines, map(json.loads, done.stdout.splitlines()), strict=True))


FILTERS = [
    f"{line} --help"
    for line in (
        *("corefmill", "build", "train"),
        *(f"train {name}" for name in TRAIN.entries),
        *(f"build {name}" for name in BUILD.entries),
        *(f"corefmill {name}" for name in COREFMILL.entries),
    )
]


@pytest.fixture(scope="module")
def helps() -> dict[str, tuple[Any, ...]]:
    return run_lines(FILTERS)


@pytest.mark.parametrize("line", FILTERS)
def test_help_imports_nothing_heavy(line: str, helps: dict[str, tuple[Any, ...]]) -> None:
    code, said, _, heavy = helps[line]
    assert (code, "Usage:" in said, set(heavy) - {RECORDS}) == (0, True, set())


@pytest.mark.parametrize("line", ["corefmill --help", "train coref --help"])
def test_a_help_without_filters_reads_no_records(
    line: str, helps: dict[str, tuple[Any, ...]]
) -> None:
    assert helps[line][3] == []


def test_importing_corefmill_imports_nothing_heavy() -> None:
    code = f"import sys, corefmill; print([n for n in {[*HEAVY, 'click']!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


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
NEEDS_MORE = "corefmill overlap --test dpr --text key.conll"
"""What needs an extra that brings `build` along: to name that first sends a user to pip twice."""


@pytest.fixture(scope="module")
def without_extras(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, ...]]:
    """What each command does where no package of an extra is installed: of one process for those
    that need none, which so have nothing that others left, and of one more."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "key.conll").write_text(CONLL)
    more: dict[str, Any] = {"cwd": folder, "env": {**os.environ, "ALL_PROXY": "gopher://nowhere"}}
    found = run_lines([*NEED_NONE, FETCHES], "without", **more)
    return found | run_lines([*NEED_ONE, NEEDS_MORE], "without", **more)


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
        ("--help", {*HEAVY, RECORDS, "tqdm", "importlib.metadata"}),
        ("build wec --help", {*HEAVY, RECORDS}),
        ("check key.conll", HEAVY),
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


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        *((line, 0, "") for line in NEED_NONE),
        (FETCHES, 2, "the proxy named by the environment cannot be used"),
        *((line, 2, f", which is not installed ({install_command('build')})") for line in NEED_ONE),
        (NEEDS_MORE, 2, f"({install_command('overlap')})"),
    ],
)
def test_a_command_says_which_extra_it_needs(
    line: str, code: int, said: str, without_extras: dict[str, tuple[Any, ...]]
) -> None:
    ended, _, error, _ = without_extras[line]
    assert ended == code and said in error, error


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
