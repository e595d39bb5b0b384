"""The native form as a format: a file or a corpus directory, each record with its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora import jsonl, manifest
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import native
from corefmill.corpora.records import Mention
from tests.corpora.test_manifest import MANIFEST
from tests.corpora.test_records import EXAMPLE, document

DOCUMENT = document(Mention(0, 0, 1))


def test_a_first_line_longer_than_what_is_looked_at_is_told_by_its_beginning() -> None:
    line = jsonl.dumps(DOCUMENT).decode()
    cut = line[: line.index("tokens")]
    assert native.DOCUMENTS.suits("a", cut)
    assert not native.EVENTS.suits("a", cut)


def test_a_corpus_is_read_split_by_split(tmp_path: Path) -> None:
    for split in ("train", "validation"):
        jsonl.write(tmp_path / f"{split}.jsonl", [EXAMPLE])
    manifest.write(tmp_path, replace(MANIFEST, splits={"train": 1, "validation": 1}))
    assert [record for _, record in native.MASKED.read(tmp_path, "en")] == [EXAMPLE, EXAMPLE]
    with pytest.raises(DataError, match="not of event-mention/1"):
        next(native.EVENTS.read(tmp_path, "en"))


def test_a_record_of_another_kind_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a Document among MaskedExample records"):
        native.MASKED.write(tmp_path / "a.jsonl", [EXAMPLE, DOCUMENT])
    assert not list(tmp_path.iterdir())


def test_an_empty_line_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl.dumps(EXAMPLE) + b"\n\n")
    with pytest.raises(DataError) as caught:
        list(native.MASKED.read(path, "en"))
    assert caught.value.line == 2
