"""The wheel: one import package with all that the folders hold, safe beside a user's own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.translation.modes import modes, route
from corefmill.corpora.formats import gap
from tests.commands import ROOT
from tests.waiting import running

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


BARE = os.environ.get("WHEEL_PYTHON") and str(Path(os.environ["WHEEL_PYTHON"]).absolute())
"""The Python of an environment with the wheel, that `make wheel` made: then all lines run."""

SLOW = {"wec", "out/wec-en", "wikirand", "knowref", "train", "evaluate", "predict"}
SLOW |= {"ontonotes-it", "translate"}
"""What takes minutes, or reads what such a line makes, and runs in `make wheel` alone."""
TRANSLATES = {"ontonotes-it": "it", "translate": "es"}
"""To which language these do by Apertium, which not every machine has."""

DOCUMENTS = (
    *("key.conll", "ours.conll", "theirs.conll", "litbank/conll/a.conll"),
    "ontogum.dev.conll",
)
"""Files that README.md's lines read, of documents: here the sample's."""
GAP = f"""\
{chr(9).join(gap.HEADER)}
d-1\tAnn met Eve. She left.\tShe\t13\tAnn\t0\tTRUE\tEve\t8\tFALSE\thttp://e.org/Ann
d-2\tBob saw Tom. He left.\tHe\t13\tBob\t0\tFALSE\tTom\t8\tTRUE\thttp://e.org/Bob
"""
DPR = "Ann met Eve because she was late.\nshe\nAnn,Eve\nAnn\n\n"
MODEL = "train coref --corpus ontonotes --encoder tiny --set max_steps=1 --out"


def readme() -> Iterator[str]:
    """The commands that README.md shows, in its order."""
    text = (ROOT / "README.md").read_text("utf-8")
    commands = re.findall(r"^ {4}((?:corefmill|printf) .*)$", text, re.MULTILINE)
    return iter(commands)


def why_not(line: str) -> str | None:
    """Why a line is not run."""
    words = set(shlex.split(line, comments=True))
    for command in words & TRANSLATES.keys():
        if not route("en", TRANSLATES[command], modes()):
            return "needs Apertium"
    return "takes minutes" if not BARE and words & SLOW else None


def given(folder: Path, wheel: Path) -> None:
    """Puts into a folder what the lines of README.md read and nothing before them makes."""
    key = wheel / "corefmill/corpora/sample/documents/validation.conll"
    texts = {"data/gap/gap-validation.tsv": GAP, "data/gap/gap-test.tsv": GAP}
    texts |= {name: key.read_text("utf-8") for name in DOCUMENTS}
    texts |= {f"data/dpr/{split}.c.txt": DPR for split in ("train", "test")}
    texts["story.txt"] = "Ann met Eve. She had missed the train."
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def shell(line: str, folder: Path, env: Mapping[str, str]) -> None:
    """Runs a line as a shell does, and one that serves pages until it shows its links."""
    options: dict[str, Any] = {"cwd": folder, "env": env, "stderr": subprocess.PIPE}
    if " serve " in line:
        command = shlex.split(line, comments=True)
        with running(*command, "--port", "0", stdout=subprocess.PIPE, **options) as process:
            assert process.stdout is not None and process.stderr is not None
            if not any("http://" in said for said in process.stdout):
                pytest.fail(f"{line}: {process.stderr.read()}")
        return
    done = subprocess.run(
        line, shell=True, stdout=subprocess.PIPE, text=True, timeout=900, check=False, **options
    )
    assert done.returncode == 0, f"{line}: {done.stderr}"


def test_the_lines_of_the_readme_run(wheel: Path, tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="needs the extra build")
    given(tmp_path, wheel)
    if BARE:
        own, env = Path(BARE).parent, dict(os.environ)
    else:
        own, env = tmp_path / "bin", {**os.environ, "PYTHONPATH": str(wheel)}
        own.mkdir()
        (own / "corefmill").write_text(f'#!/bin/sh\nexec {sys.executable} -m corefmill "$@"\n')
        (own / "corefmill").chmod(0o755)
    env["PATH"] = f"{own}:{env['PATH']}"
    left = {line: why for line in readme() if (why := why_not(line))}
    if BARE:
        shell(f"corefmill {MODEL} out/models/ontonotes-minilm", tmp_path, env)
    ran = [line for line in readme() if line not in left]
    for line in ran:
        shell(line, tmp_path, env)
    print(*ran, *(f"not run, {why}: {line}" for line, why in left.items()), sep="\n")
    assert len(ran) >= 5
    if BARE:
        assert set(left.values()) <= {"needs Apertium"}
        for example in examples():
            done = subprocess.run(
                [BARE, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr


def examples() -> list[str]:
    """The examples in Python, each as a script."""
    blocks = re.findall(r"(?:^ {4}>>> .*\n)+", (ROOT / "README.md").read_text("utf-8"), re.M)
    assert len(blocks) == 2
    return [re.sub(r"(?m)^ {4}>>> ", "", block) for block in blocks]


def test_it_names_the_licences_of_all_that_it_holds(wheel: Path) -> None:
    (about,) = wheel.glob("*.dist-info/METADATA")
    (said,) = re.findall("^License-Expression: (.*)$", about.read_text("utf-8"), re.MULTILINE)
    found = {"MIT"}
    for text in (wheel / "corefmill").rglob("LICENCE*"):
        (short,) = re.findall(r"\(CC (BY[A-Z-]*) (4\.0)\)", text.read_text("utf-8")[:200])
        found.add(f"CC-{'-'.join(short)}")
        assert text.relative_to(wheel / "corefmill").as_posix() in {
            path.relative_to(about.parent / "licenses").as_posix()
            for path in (about.parent / "licenses").rglob("LICENCE*")
        }
    assert set(said.split(" AND ")) == found


def test_the_citation_and_the_changes_are_of_this_version(wheel: Path) -> None:
    (about,) = wheel.glob("*.dist-info/METADATA")
    (version,) = re.findall("^Version: (.*)$", about.read_text("utf-8"), re.MULTILINE)
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
