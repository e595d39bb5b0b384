"""The site is built with strict links, asks nothing of other hosts, and can be read from files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.commands import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OTHERS = re.compile(r"""<(?:link|script|img|iframe)\b[^>]*\b(?:href|src)=["']?(?:https?:)?//""")
"""What a browser fetches by itself from somewhere else."""

CUT = """
() => [document.documentElement, ...document.querySelectorAll(":not(.drawing) > pre > code")]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText.slice(0, 80))
"""
"""What is wider than the place it has: the page, or a block of code that is no drawing."""


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


def test_the_site(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not OTHERS.search(page.read_text(encoding="utf-8")), page
    filters = (site / "reference/filters/wikicrem.html").read_text(encoding="utf-8")
    assert 'id="rival_pronoun"' in filters
    assert (site / "search/search_index.json").stat().st_size > 100_000


def test_what_a_command_below_another_does_is_told_whole(site: Path) -> None:
    page = (site / "reference/commands/build.html").read_text(encoding="utf-8")
    (said,) = re.findall(r'<li>\s*(?:<p>)?<a href="#build-wec"><code>wec</code></a>: (.*)', page)
    assert said.startswith("Event coreference: links to the same event's article, with their")
    assert 'id="build-wec"' in page


def test_search_works_without_a_server(browser: Browser, site: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((site / "index.html").as_uri())
    said = page.locator(".md-search-result__meta")
    page.click("input.md-search__input")
    said.filter(has_text="Type to start").wait_for(timeout=60_000)
    page.keyboard.type("rival")
    said.filter(has_text="matching").wait_for(timeout=60_000)
    assert "reference/filters/wikicrem.html" in page.inner_html(".md-search-result__list")
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", ["index", "building", "python", "reference/filters/wikicrem"])
def test_nothing_is_cut_off(browser: Browser, site: Path, path: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((site / f"{path}.html").as_uri())
    assert page.evaluate(CUT) == []
    page.close()
