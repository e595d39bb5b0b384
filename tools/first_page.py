"""Fills README.md, the site's start page, with what its commands print, and takes its picture.

    python -m tools.first_page

Every `$` line of a `console` block is run, in order and in an empty folder, and what it prints
is written below it. The picture needs Chromium (apt-get install chromium).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "docs/pictures/show.png"
PAGE = "documents.html"
"""The page of `show` that a command of README.md writes; the picture is of its first record."""

_PROGRESS = re.compile(r"^\w+: +\d+%\|.*\n", re.MULTILINE)
"""A line of progress, which only a busy machine prints."""

_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def outputs(text: str) -> list[tuple[str, str]]:
    """Read each `$` line of the console blocks with the output that stands below it."""
    parts = [part for block in _BLOCK.findall(text) for part in re.split(r"(?m)^\$ ", block)[1:]]
    return [(line, shown.strip("\n")) for line, _, shown in (p.partition("\n") for p in parts)]


def run(line: str, folder: Path) -> str:
    """Run a line of the page in `folder` and return what it prints; paths are relative to it."""
    samples = folder / "corpora"  # where they are in a checkout
    if not samples.exists():
        samples.symlink_to(ROOT / "corpora")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        line,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{line}: {done.stdout}")
    said = _PROGRESS.sub("", done.stdout)
    return said.replace(f"{folder}/", "").strip("\n")


def fill(text: str, folder: Path) -> str:
    """Replace what the page shows below each line by what it prints now."""

    def rerun(block: re.Match[str]) -> str:
        lines = re.findall(r"(?m)^\$ (.*)", block[0])
        return "\n\n".join(f"$ {line}\n{run(line, folder)}" for line in lines) + "\n"

    return _BLOCK.sub(rerun, text)


def photograph(page: Path, picture: Path, browser: Any) -> None:
    """Write a picture of the first record of a page of `show`."""
    view = browser.new_page(viewport={"width": 800, "height": 900}, color_scheme="light")
    view.goto(page.as_uri())
    picture.parent.mkdir(parents=True, exist_ok=True)
    view.locator("article.record").first.screenshot(path=picture)
    view.close()


def main() -> None:
    """Fill the page, and take the picture where there is a browser."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as name:
        folder = Path(name)
        README.write_text(fill(README.read_text("utf-8"), folder), "utf-8")
        chromium = shutil.which("chromium")
        if chromium is None:
            print("chromium is not installed: the picture stays as it is")
            return
        with sync_playwright() as playwright:
            # A container's root has no sandbox; the page is ours.
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            photograph(folder / PAGE, PICTURE, browser)
            browser.close()


if __name__ == "__main__":
    main()
