"""What is wrong in the real files at hand, each count of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from corefmill.corpora.check import Finding
from corefmill.corpora.check.checker import Checker
from corefmill.corpora.check.fix import fix
from tests.commands import shared


def run(path: Path) -> tuple[list[Finding], int]:
    checker = Checker()
    found = list(checker.check([path]))
    return found, sum(checker.read.values())


@pytest.mark.parametrize(
    ("folder", "records", "codes"),
    [
        ("gap", 2454, {}),
        # The unmasked ones of the published reader, and two pairs of sentences that come twice.
        ("winograd", 8562, {"W507": 16, "W405": 4}),
        # Half of the 79 known ones.
        ("wec-eng", 595, {"E302": 36}),
        ("ontogum/ontogum.dev.conll", 30, {"E402": 1, "W304": 1, "W403": 2}),
    ],
)
def test_findings(folder: str, records: int, codes: dict[str, int]) -> None:
    found, count = run(shared("data", folder))
    assert (Counter(finding.code for finding in found), count) == (codes, records)


def test_the_wrong_spans_of_wec_eng_are_mended_and_nothing_else_is_touched(tmp_path: Path) -> None:
    path = shared("data", "wec-eng", "WEC-Eng_dev_half.json")
    checker = Checker()
    found = list(checker.check([path]))
    (copy,) = fix(found, checker.forms, "en", tmp_path / "mended.json")
    assert copy.fixed == {"E302": 36}
    before, after = path.read_text().splitlines(), copy.target.read_text().splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 36 and all('"tokens_str"' in old for old, _ in changed)
    assert run(copy.target) == ([], 595)
