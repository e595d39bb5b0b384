"""An error is one line that says what, where, and what to do."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from corefmill.corpora.errors import CorefmillError, DataError, UsageError


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (DataError("no record"), "no record"),
        (DataError("no record", path=Path("a.jsonl")), "a.jsonl: no record"),
        (DataError("no record", path="a.jsonl", line=3), "a.jsonl:3: no record"),
        (
            DataError("no record", path="a.jsonl", line=3, remedy="mend it"),
            "a.jsonl:3: no record (mend it)",
        ),
        (UsageError("a message\n  of\tlines"), "a message of lines"),
    ],
)
def test_is_one_line(error: CorefmillError, line: str) -> None:
    assert str(error) == line


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (Path("s3://bucket/a.jsonl"), "s3://bucket/a.jsonl"),
        ("https://host/a.jsonl", "https://host/a.jsonl"),
        (Path("/home/ann/gs://bucket/a"), "gs://bucket/a"),
        (Path("s3:"), "s3:"),
        (Path("out/s3:/a"), "out/s3:/a"),
        (Path("files:/a"), "files:/a"),
    ],
)
def test_a_url_is_shown_as_it_was_given(path: Path | str, shown: str) -> None:
    assert str(DataError("no record", path=path)) == f"{shown}: no record"


def test_a_line_without_a_path_does_not_begin_with_a_colon() -> None:
    assert str(DataError("no record", line=3)) == "line 3: no record"


@pytest.mark.parametrize("kind", [DataError, UsageError])
def test_crosses_to_another_process_whole(kind: type[CorefmillError]) -> None:
    error = kind("no record", path="a.jsonl", line=3, remedy="mend it")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert vars(copy) == vars(error)
    assert str(copy) == str(error)
