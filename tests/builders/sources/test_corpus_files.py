"""Corpora of the catalogue from a local server: sums, sizes, and where the catalogue finds them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from corefmill.builders.services import download as downloading
from corefmill.cli import corpora
from corefmill.corpora import catalogue
from tests.builders.services.file_server import FileServer
from tests.commands import command, json_result

FILES = {
    f"gap-{part}.tsv": f"ID\tText {part}\n".encode() * 20_000
    for part in ("development", "test", "validation")
}


@pytest.fixture
def gap(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A server that has three files, which the table knows."""
    server.files = {f"/{name}": content for name, content in FILES.items()}
    known = {n: [len(c), hashlib.sha256(c).hexdigest()] for n, c in FILES.items()}
    table = {"gap": {"base": server.url, "files": known}}
    monkeypatch.setattr(corpora, "read_downloads", lambda: table)
    monkeypatch.setattr(downloading, "_WAIT", 0.001)
    monkeypatch.setattr(downloading, "_TRIES", 3)
    yield server


def test_a_corpus_is_fetched_to_where_the_catalogue_finds_it(
    gap: FileServer, tmp_path: Path
) -> None:
    gap.break_after = 200_000
    gap.failures = [503]
    done = command("corefmill", "corpora", "download", "gap", "--data-dir", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 files" in done.stdout and "Licence: Apache-2.0" in done.stdout
    found = catalogue.DataDir(tmp_path).find(catalogue.entry("gap"))
    assert {split: paths[0].read_bytes() for split, paths in found.items()} == {
        "train": FILES["gap-development.tsv"],
        "validation": FILES["gap-validation.tsv"],
        "test": FILES["gap-test.tsv"],
    }
    assert sorted(path.name for path in (tmp_path / "gap").iterdir()) == sorted(FILES)
    asked = len(gap.asked)
    again = command("corefmill", "corpora", "download", "gap", "--data-dir", tmp_path, "--json")
    assert len(gap.asked) == asked
    assert json_result(again.stdout)["bytes"] == sum(map(len, FILES.values()))


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (FILES["gap-test.tsv"][:-1] + b"x", "the download's sha256 is"),
        (FILES["gap-test.tsv"] * 2, "bytes, the published one"),
        (None, "404"),
    ],
)
def test_another_file_is_refused(
    gap: FileServer, tmp_path: Path, sent: bytes | None, said: str
) -> None:
    gap.files = {path: one for path, one in gap.files.items() if "test" not in path}
    if sent is not None:
        gap.files["/gap-test.tsv"] = sent
    done = command("corefmill", "corpora", "download", "gap", "--data-dir", tmp_path, "--quiet")
    assert done.returncode == 2 and said in done.stderr
    assert not (tmp_path / "gap/gap-test.tsv").exists()


@pytest.mark.parametrize(
    ("name", "said"), [("ontonotes", "From the LDC"), ("wikicrem", "Oxford"), ("gpa", "gap")]
)
def test_what_may_not_be_had_is_explained(name: str, said: str, tmp_path: Path) -> None:
    done = command("corefmill", "corpora", "download", name, "--data-dir", tmp_path)
    assert done.returncode == 2 and said in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", corpora.read_downloads())
def test_the_table_is_sound(name: str, tmp_path: Path) -> None:
    """Every address names a commit, every path stays below, and the catalogue finds every split."""
    told = corpora.read_downloads()[name]
    assert re.fullmatch(r"https://[a-z.]+/[\w-]+/[\w-]+/[0-9a-f]{40}", told["base"])
    for path, (size, digest) in told["files"].items():
        assert size > 0 and re.fullmatch("[0-9a-f]{64}", digest)
        assert not PurePosixPath(path).is_absolute() and ".." not in PurePosixPath(path).parts
        target = tmp_path / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    found = catalogue.DataDir(tmp_path).find(catalogue.entry(name))
    assert sum(map(len, found.values())) == len(told["files"])


def test_the_catalogue_names_the_command_for_what_can_be_fetched() -> None:
    named = {
        name
        for name, one in catalogue.entries().items()
        if f"`corefmill corpora download {name}`" in one.get
    }
    assert named == set(corpora.read_downloads())
