"""What `make fuzz` tries depends on its seed alone, and what commands may not do is a finding."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from corefmill.corpora.formats.registry import FORMATS
from tests import fuzz
from tests.corpora.formats.test_every_format import lay


def test_a_seed_gives_the_same_files(tmp_path: Path) -> None:
    made = []
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        (tmp_path / name).mkdir()
        mutants = islice(fuzz._mutants(seed, tmp_path / name), 60)
        made.append([(form.name, path.name, content) for form, path, content in mutants])
    assert made[0] == made[1] != made[2]


@pytest.mark.parametrize(
    ("code", "said", "finding"),
    [
        (0, "", False),
        (2, "corefmill: a.conll:3: no brackets\n", False),
        (1, "Traceback (most recent call last):\nValueError: x\n", True),
        (70, "corefmill: a fault\n", True),
        (2, "corefmill: one\ntwo\n", True),
        (2, "corefmill: \x1b[31m\n", True),
    ],
)
def test_what_is_no_result_and_no_line_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, said: str, finding: bool
) -> None:
    path = lay(tmp_path, "conll2012")
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(
        fuzz, "command", lambda *call, cwd: CompletedProcess(call, code, stdout="", stderr=said)
    )
    found = list(fuzz.faults(FORMATS["conll2012"], path, path, tmp_path / "out"))
    assert bool(found) is finding
