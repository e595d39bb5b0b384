"""Types are right everywhere: in the packages and tools, and in a program that uses them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT

SCRIPT = """\
from corefmill import build, check, convert, find, load, read, score, train, write
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import Document

f1: float = score("key.conll", "response.conll").conll
documents = [one for one in read("key.conll") if isinstance(one, Document)]
count: int = write("out.jsonl", documents)
lost = convert("key.conll", "key.conllu", overwrite=True).lost
codes: list[str] = [finding.code for finding in check("out", lang="en")]
built = build("wikicrem", out="out/w", lang="en", dump="sample", limit=10, without=["styled"])
sent: FoundCorpus = build("wikicrem", out="out/w", executor="slurm", tasks=4)
model = train(built.name, out="out/model", encoder="tiny", set=["epochs=1"])
clusters = load("out/model").read("Ann met Eve. She left.").clusters
"""


def mypy(*arguments: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    """mypy with the settings and the cache of the repository; `more` is for `subprocess.run`."""
    pytest.importorskip("mypy", reason="needs the extra dev")
    call = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
    return subprocess.run(
        [*call, "--cache-dir", ROOT / ".mypy_cache", *arguments],
        capture_output=True,
        text=True,
        check=False,
        **more,  # type: ignore[call-overload]
    )


def test_the_packages_and_the_tools_are_typed() -> None:
    done = mypy(cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_users_script_is_typed(tmp_path: Path) -> None:
    script, wrong = tmp_path / "script.py", tmp_path / "wrong.py"
    script.write_text(SCRIPT)
    wrong.write_text("import corefmill\n\ncorefmill.scores\nfind: int = corefmill.find('x')\n")
    # What the packages import was read by the test before this one, and is not read again.
    done = mypy(
        *("--strict", "--no-error-summary", script.name, wrong.name),
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT), "PATH": ""},
    )
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines] == [wrong.name] * 2, done.stdout
    assert 'has no attribute "scores"' in lines[0] and "Incompatible types" in lines[1]
