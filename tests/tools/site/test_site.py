"""The site is built with strict links, and asks nothing of other hosts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT

OTHERS = re.compile(r"""<(?:link|script|img|iframe)\b[^>]*\b(?:href|src)=["']?(?:https?:)?//""")
"""What a browser fetches by itself from somewhere else."""


def test_the_site(tmp_path: Path) -> None:
    for package in ("mkdocs", "material"):
        pytest.importorskip(package, reason="needs the extra docs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for page in tmp_path.rglob("*.html"):
        assert not OTHERS.search(page.read_text(encoding="utf-8")), page
    filters = (tmp_path / "reference/filters/wikicrem.html").read_text(encoding="utf-8")
    assert 'id="rival_pronoun"' in filters
    assert (tmp_path / "search/search_index.json").stat().st_size > 100_000
