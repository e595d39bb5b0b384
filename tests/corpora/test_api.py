"""What a Python program calls: read, write, convert, check, each on any format."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import api
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.records import Document, Mention
from corefmill.corpora.scoring.score import score
from tests.corpora.test_records import EXAMPLE, document

DOCUMENT = document(Mention(0, 0, 1))


def test_a_document_through_files_of_two_formats(tmp_path: Path) -> None:
    conll, lines = tmp_path / "gold.conll", tmp_path / "response.jsonl"
    assert api.write(conll, [DOCUMENT]) == 1
    assert list(api.read(conll)) == [DOCUMENT]
    assert api.convert(conll, lines).records == 1
    assert list(api.read(str(lines))) == [DOCUMENT]
    assert score(conll, lines)["muc"].f1 == 0 and score(conll, lines)["bcub"].f1 == 1
    assert [found.code for found in api.check(conll, lines)] == []


def test_records_are_written_as_what_they_can_become(tmp_path: Path) -> None:
    api.write(tmp_path / "a.conll", [EXAMPLE], "conll2012")
    (found,) = api.read(tmp_path / "a.conll")
    assert isinstance(found, Document) and len(found.clusters) == 2
    with pytest.raises(UsageError, match="does not say which mention is the target"):
        api.write(tmp_path / "a.txt", [DOCUMENT], "five-line")
    with pytest.raises(UsageError, match="can be read, but not written"):
        api.write(tmp_path / "a", [EXAMPLE], "ecbplus")


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no records to write"):
        api.write(tmp_path / "a.conll", [])
    with pytest.raises(DataError, match="a Document among"):
        api.write(tmp_path / "a.jsonl", [EXAMPLE, DOCUMENT])
