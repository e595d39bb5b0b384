"""The wheel: one import package with all that the folders hold, safe beside a user's own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.commands import ROOT

ROOMS = ("builders", "coref_model", "corpora", "rules")

MAKE = "from setuptools import build_meta; print(build_meta.build_wheel('..'))"

SCRIPT = """\
import corefmill
from corefmill.corpora.find import SAMPLES

key = SAMPLES / "documents" / "validation.conll"
print(corefmill.__file__)
print(corefmill.score(key, key).conll)
print(list(corefmill.build("wikicrem", out="out", lang="en", dump="sample", limit=3).splits))
"""


def tracked() -> list[str]:
    if shutil.which("git") is None:
        pytest.skip("needs git, which is not here")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("needs a clone: what belongs to a wheel is what git tracks")
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the repository, unpacked."""
    pytest.importorskip("setuptools", reason="needs setuptools")
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "copy"
    for name in tracked():
        if name.startswith((*(f"{room}/" for room in ROOMS), "corefmill/")) or "/" not in name:
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
    for room in ROOMS:
        (copy / "corefmill" / room).symlink_to(Path("..") / room)
    done = subprocess.run(
        [sys.executable, "-c", MAKE], cwd=copy, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    with zipfile.ZipFile(made) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_it_holds_one_package_with_all_that_the_folders_hold(wheel: Path) -> None:
    assert {path.name for path in wheel.iterdir() if path.suffix != ".dist-info"} == {"corefmill"}
    inside = {
        str(path.relative_to(wheel))
        for path in (wheel / "corefmill").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts  # of the next tests' processes
    }
    wanted = {
        name if name.startswith("corefmill/") else f"corefmill/{name}"
        for name in tracked()
        if name.partition("/")[0] in (*ROOMS, "corefmill")
    }
    assert inside == wanted
    assert "corefmill/py.typed" in inside


@pytest.mark.thorough
def test_a_user_may_have_packages_of_the_same_names(wheel: Path, tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="needs the extra build")
    for name in (*ROOMS, "models", "runner", "nlp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong package')\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    env = {**os.environ, "PYTHONPATH": str(wheel)}
    file, score, splits = shell(f"{sys.executable} script.py", tmp_path, env).splitlines()
    assert file == str(wheel / "corefmill" / "__init__.py")
    assert (score, splits) == ("1.0", "['train']")


BARE = os.environ.get("WHEEL_PYTHON") and str(Path(os.environ["WHEEL_PYTHON"]).absolute())
"""The Python of an environment with the wheel, that `make wheel` made: then all lines run."""

SLOW = {"wec", "wikirand", "knowref", "chains", "train", "evaluate", "predict", "score"}
SLOW |= {"ontonotes-it", "translate"}
"""What takes minutes, or reads what such a line makes, and runs in `make wheel` alone."""


def readme() -> list[str]:
    """The commands that README.md shows, in its order."""
    text = (ROOT / "README.md").read_text("utf-8")
    lines = r"^(?:\| `(corefmill [^`]*)`|(?: {4}|\$ )((?:corefmill|printf) .*))"
    return ["".join(groups) for groups in re.findall(lines, text, re.MULTILINE)]


def records() -> dict[str, str]:
    """The record that README.md's table shows of each corpus, by the command that makes it.

    What a translator makes is left out: where Apertium is installed, it is taken.
    """
    text = (ROOT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `(corefmill [^`]*)` \|[^|]*\| (.*) \|$", text, re.MULTILINE)
    translated = {"ontonotes-it", "translate"}
    return {line: record for line, record in rows if not translated & set(line.split())}


def shell(line: str, folder: Path, env: Mapping[str, str]) -> str:
    """Runs a line as a shell does, and returns what it prints."""
    how = {"cwd": folder, "env": env, "timeout": 900, "check": False}
    done = subprocess.run(line, shell=True, capture_output=True, text=True, **how)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{line}: {done.stderr}"
    return done.stdout


@pytest.mark.thorough
def test_the_lines_of_the_readme_run(wheel: Path, tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="needs the extra build")
    (tmp_path / "corpora").symlink_to(wheel / "corefmill/corpora")  # as in a checkout
    if BARE:
        own, env = Path(BARE).parent, dict(os.environ)
    else:
        own, env = tmp_path / "bin", {**os.environ, "PYTHONPATH": str(wheel)}
        own.mkdir()
        (own / "corefmill").write_text(f'#!/bin/sh\nexec {sys.executable} -m corefmill "$@"\n')
        (own / "corefmill").chmod(0o755)
    env["PATH"] = f"{own}:{env['PATH']}"
    ran = [line for line in readme() if BARE or not SLOW.intersection(shlex.split(line))]
    for line in ran:
        assert records().get(line, "") in shell(line, tmp_path, env)
    assert len(records()) == 5
    print(*ran, sep="\n")
    assert len(ran) >= (14 if BARE else 3)
    if BARE:
        blocks = re.findall(r"(?:^ {4}>>> .*\n)+", (ROOT / "README.md").read_text("utf-8"), re.M)
        assert len(blocks) == 2
        for block in blocks:
            example = re.sub(r"(?m)^ {4}>>> ", "", block)
            shell(shlex.join([BARE, "-c", example]), tmp_path, env)


def test_it_names_the_licences_of_all_that_it_holds(wheel: Path) -> None:
    (about,) = wheel.glob("*.dist-info/METADATA")
    (said,) = re.findall("^License-Expression: (.*)$", about.read_text("utf-8"), re.MULTILINE)
    found = {"MIT"}
    for text in (wheel / "corefmill").rglob("LICENCE*"):
        said_there = text.read_text("utf-8")
        if "Permission is hereby granted, free of charge" not in said_there:  # MIT
            (short,) = re.findall(r"\(CC (BY[A-Z-]*) (4\.0)\)", said_there[:200])
            found.add(f"CC-{'-'.join(short)}")
        if re.search("Apache License 2.0.*changed by training", said_there, re.DOTALL):
            found.add("Apache-2.0")
        assert text.relative_to(wheel / "corefmill").as_posix() in {
            path.relative_to(about.parent / "licenses").as_posix()
            for path in (about.parent / "licenses").rglob("LICENCE*")
        }
    assert set(said.split(" AND ")) == found
