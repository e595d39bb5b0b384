"""The site is built with strict links and asks nothing of other hosts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT

OTHERS = re.compile(r"""<(?:link|script|img|iframe)\b[^>]*\b(?:href|src)=["']?(?:https?:)?//""")
"""What a browser fetches by itself from somewhere else."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("mkdocs", "material"):
        pytest.importorskip(package, reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.thorough  # `make site` builds it as strictly
def test_the_site(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not OTHERS.search(page.read_text(encoding="utf-8")), page
    filters = (site / "reference/filters/wikicrem.html").read_text(encoding="utf-8")
    assert 'id="rival_pronoun"' in filters
    assert (site / "search/search_index.json").stat().st_size > 100_000
