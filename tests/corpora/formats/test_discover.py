"""What a command line names: files, folders of them, and what is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import jsonl
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.formats import discover, registry
from corefmill.corpora.records import Document, Sentence, Token

DOCUMENT = Document("d", 0, "en", (Sentence(tuple(map(Token, ["She", "left", "."]))),), ())


def test_files_are_taken_as_they_are_and_folders_by_their_files(tmp_path: Path) -> None:
    one = tmp_path / "alone.jsonl"
    inside = tmp_path / "corpus" / "deep" / "train.jsonl"
    for path in (one, inside):
        path.parent.mkdir(parents=True, exist_ok=True)
        jsonl.write(path, [DOCUMENT])
    (tmp_path / "corpus" / "notes.md").write_text("of no format")
    found = discover.named([one, tmp_path / "corpus"])
    assert list(found) == [one, inside]
    assert {form.schema for form in found.values()} == {"document/1"}
    form = registry.named("conll2012")
    assert discover.named([one], form) == {one: form}


def test_what_is_not_there_or_of_no_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file or folder"):
        discover.named([tmp_path / "gone"])
    with pytest.raises(UsageError, match="of a format known here"):
        discover.named([tmp_path])
