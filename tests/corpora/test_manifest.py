"""manifest.json: what is written is read, and what is no finished corpus is told."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.manifest import Manifest
from tests.corpora.test_records import EVENT, EXAMPLE

MANIFEST = Manifest(
    name="wikicrem-en",
    schema="masked-example/1",
    lang="en",
    mode="clean",
    splits={"train": 2},
    counts={"pages": 5, "rejects": {"enumeration": 1}},
    seed=1,
    versions={"corefmill": "0.1.0"},
    build={"fingerprint": "ab"},
    licence="CC BY-SA 4.0",
    attribution="Wikipedia, Zoë and others",
    files={"train.jsonl": "00"},
)


def test_a_manifest_that_was_read_is_written_as_the_same_bytes(tmp_path: Path) -> None:
    manifest.write(tmp_path, MANIFEST)
    first = (tmp_path / "manifest.json").read_bytes()
    assert manifest.read(tmp_path) == MANIFEST
    manifest.write(tmp_path, manifest.read(tmp_path))
    assert (tmp_path / "manifest.json").read_bytes() == first
    assert list(json.loads(first))[:3] == ["name", "schema", "lang"]


def test_a_folder_without_one_is_no_finished_corpus(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"not a finished corpus .*run the same build command again"
    ):
        manifest.read(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        (b"{}", "name: Field required"),
        (b'{"name": 5}', "name: Input should be a valid string"),
    ],
)
def test_a_broken_one_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(DataError, match=rf"manifest\.json: .*{message}"):
        manifest.read(tmp_path)


def test_an_unknown_schema_lists_the_known(tmp_path: Path) -> None:
    manifest.write(tmp_path, replace(MANIFEST, schema="masked-example/9"))
    with pytest.raises(DataError, match="'masked-example/9', known are masked-example/1, event"):
        manifest.read(tmp_path)


def test_records_of_a_split_are_of_the_schemas_kind(tmp_path: Path) -> None:
    manifest.write(tmp_path, MANIFEST)
    jsonl.write(tmp_path / "train.jsonl", [EXAMPLE, EXAMPLE])
    assert list(manifest.records(tmp_path, "train")) == [EXAMPLE, EXAMPLE]
    manifest.write(tmp_path, replace(MANIFEST, schema="event-mention/1"))
    jsonl.write(tmp_path / "train.jsonl", [EVENT])
    assert list(manifest.records(tmp_path, "train")) == [EVENT]


SPLITS = ("../evil", "/etc/evil", ".hidden", "a/b", "a\0b", "a\n", "", "x" * 101)
FILES = ("/etc/passwd", "../secret", "stages/../../secret", "a\0b", "", "a//b", "x" * 300)


@pytest.mark.parametrize(
    ("field", "name"),
    [*(("splits", name) for name in SPLITS), *(("files", name) for name in FILES)],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, field: str, name: str) -> None:
    value = {name: 1} if field == "splits" else {name: "00"}
    (tmp_path / "manifest.json").write_text(json.dumps({**asdict(MANIFEST), field: value}))
    with pytest.raises(
        DataError, match=rf"manifest\.json: the name of a {field[:-1]}, .* is not allowed"
    ):
        manifest.read(tmp_path)
