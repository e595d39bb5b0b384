"""`make test` tells which tree it has passed on, and never a tree that it has not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands import ROOT

WHO = {f"GIT_{who}_{what}": "t@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with the Makefile, whose programs do nothing, or what `pytest.sh` says."""
    for program in ("make", "git"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}, which is not here")
    folder = tmp_path / "checkout"
    programs = folder / ".venv/bin"
    programs.mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", folder)
    for name in ("pyproject.toml", "constraints.txt"):
        (folder / name).write_text("")
    for name in ("pip", "ruff", "pytest"):
        (programs / name).write_text(f"#!/bin/sh\n[ ! -f {name}.sh ] || . ./{name}.sh\n")
        (programs / name).chmod(0o755)
    (folder / ".venv/.dev").write_text("")
    (folder / ".gitignore").write_text(".venv/\n*.sh\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    return folder


def git(folder: Path, *arguments: str) -> str:
    call = ["git", *arguments]
    return subprocess.run(
        call, cwd=folder, env={**os.environ, **WHO}, check=True, capture_output=True, text=True
    ).stdout.strip()


def passed(folder: Path) -> str | None:
    """What a run of `make test` leaves."""
    subprocess.run(["make", "-s", "test"], cwd=folder, check=False, capture_output=True)
    left = folder / ".venv/.tested"
    return left.read_text().strip() if left.exists() else None


def test_the_tree_that_passed_is_named(checkout: Path) -> None:
    assert passed(checkout) == git(checkout, "rev-parse", "HEAD^{tree}")


def test_a_step_that_fails_leaves_nothing(checkout: Path) -> None:
    assert passed(checkout)
    (checkout / "ruff.sh").write_text("exit 1")
    assert passed(checkout) is None


def test_what_is_changed_and_not_committed_is_no_tree(checkout: Path) -> None:
    assert passed(checkout)
    (checkout / "constraints.txt").write_text("# changed\n")
    (checkout / ".venv/.dev").touch()
    assert passed(checkout) is None


def test_what_is_changed_during_the_run_is_not_what_was_tested(checkout: Path) -> None:
    (checkout / "pytest.sh").write_text(
        "echo '# changed' >> Makefile; git -c user.name=t -c user.email=t@x commit -qam x"
    )
    assert passed(checkout) is None
    assert git(checkout, "log", "--format=%s").split() == ["x", "all"]


def test_a_tarball_has_no_tree(checkout: Path) -> None:
    inner = checkout / "inner"  # nor has one that is unpacked in another repository
    shutil.copytree(checkout, inner, ignore=shutil.ignore_patterns(".git", "inner"))
    assert passed(inner) is None
    shutil.rmtree(checkout / ".git")
    assert passed(checkout) is None
