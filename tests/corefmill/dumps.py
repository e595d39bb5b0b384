"""Small dumps made of the sample that ships, and what the tests here ask of a build."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any

from corefmill import corpora
from corefmill.corpora import manifest
from corefmill.corpora.files.ownership import MARKER
from corefmill.corpora.manifest import Manifest
from tests.builders.wiki.dump.dump_writer import dump
from tests.commands import command, json_result

SAMPLE = Path(corpora.__file__).parent / "sample" / "en.xml"

CORPUS = {
    "README.md",
    "croissant.json",
    "lengths.png",
    "shares.png",
    "manifest.json",
    "rejects.json",
    *(f"{split}.{form}" for split in ("train", "validation") for form in ("jsonl", "txt", "conll")),
}
"""The files of a finished corpus."""


def make_manifest(name: str, schema: str, splits: Mapping[str, int], **more: Any) -> Manifest:
    """The manifest of a corpus in English, of nobody."""
    made = {"lang": "en", "mode": "clean", "counts": {}, "seed": 0, "versions": {}, "build": {}}
    made |= {"licence": "CC0 1.0", "attribution": "nobody", "files": {}, **more}
    return Manifest(name=name, schema=schema, splits=dict(splits), **made)


@cache
def sample_pages() -> tuple[str, ...]:
    """The XML of the sample's pages."""
    text = SAMPLE.read_text(encoding="utf-8")
    return tuple(re.findall(r" *<page>.*?</page>\n", text, re.DOTALL))


def small(folder: Path, pages: Iterable[str] = sample_pages()[:12]) -> Path:
    """A dump of a few pages of the sample, which give some thirty examples in two seconds."""
    path = folder / "small.xml"
    path.write_bytes(dump(pages))
    return path


def wikicrem(
    *arguments: str | Path, cwd: Path, stdin: IO[bytes] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs `build wikicrem --workers 1` in a folder."""
    return command("build", "wikicrem", "--workers", "1", *arguments, cwd=cwd, stdin=stdin)


def made(done: subprocess.CompletedProcess[str]) -> manifest.Manifest:
    """The manifest of what a command with --json built."""
    assert done.returncode == 0, done.stderr
    return manifest.read(Path(json_result(done.stdout)["out"]))


def error_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a command which ended with 2 wrote to stderr, without its name."""
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    name, _, line = done.stderr.strip().partition(": ")
    assert name in ("build", "train", "corefmill")
    return line


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones included, but for the marker that it is ours."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MARKER
    }
