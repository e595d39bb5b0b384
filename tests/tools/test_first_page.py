"""README.md, which is the site's start page, shows what its commands print."""

from __future__ import annotations

import re

import pytest

from tools import first_page

SHOWN = first_page.outputs(first_page.README.read_text("utf-8"))
_DECIMALS = re.compile(r"\d+\.\d+|\d+(?=/)")
"""Figures of a score, which a processor that rounds otherwise may move a little."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What each line printed; all ran in one folder, one after the other."""
    for package in ("spacy", "torch", "transformers"):
        pytest.importorskip(package, reason="needs the extras build and train")
    folder = tmp_path_factory.mktemp("first")
    found = []
    for line, _ in SHOWN:
        try:
            found.append(first_page.run(line, folder))
        except RuntimeError as error:
            found.append(str(error))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("which", range(len(SHOWN)), ids=[line for line, _ in SHOWN])
def test_a_line_prints_what_the_page_shows(which: int, printed: list[str]) -> None:
    line, shown = SHOWN[which]
    found = printed[which]
    if " score " not in line:
        assert found == shown
        return
    bare, wanted = (re.sub(" +", " ", _DECIMALS.sub("#", text)) for text in (found, shown))
    assert bare == wanted
    for ours, theirs in zip(_DECIMALS.findall(found), _DECIMALS.findall(shown), strict=True):
        assert float(ours) == pytest.approx(float(theirs), abs=2.5)
