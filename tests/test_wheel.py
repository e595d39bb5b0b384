"""The wheel: one import package with all that the folders hold, safe beside a user's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
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
    listed = [
        "git",
        "-C",
        str(ROOT),
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    done = subprocess.run(listed, capture_output=True, text=True, check=False)
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
        str(path.relative_to(wheel)) for path in (wheel / "corefmill").rglob("*") if path.is_file()
    }
    wanted = {
        name if name.startswith("corefmill/") else f"corefmill/{name}"
        for name in tracked()
        if name.partition("/")[0] in (*ROOMS, "corefmill")
    }
    assert inside == wanted
    assert "corefmill/py.typed" in inside


def test_a_user_may_have_packages_of_the_same_names(wheel: Path, tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="needs the extra build")
    for name in (*ROOMS, "models", "runner", "nlp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong package')\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    file, score, splits = done.stdout.splitlines()
    assert file == str(wheel / "corefmill" / "__init__.py")
    assert (score, splits) == ("1.0", "['train']")
