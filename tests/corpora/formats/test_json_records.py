"""Objects streamed from an array, with the line of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import json_records

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.lists(
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), values, max_size=4),
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(
    found=objects,
    indent=st.sampled_from([None, 0, 2]),
    ascii_only=st.booleans(),
    chunk=st.sampled_from([1, 2, 7, 1000]),
)
def test_an_array_is_read_through_any_window(
    path: Path, found: list[dict[str, Any]], indent: int | None, ascii_only: bool, chunk: int
) -> None:
    content = json.dumps(found, indent=indent, ensure_ascii=ascii_only)
    path.write_bytes(f"\ufeff\n {content}\r\n".encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_records, "_CHUNK", chunk)
        read = list(json_records.read_array(path))
    assert [made for _, made in read] == found
    if indent == 0 and ascii_only:
        lines = content.split("\n")
        assert all(lines[line - 2].startswith("{") for line, _ in read)


@settings(max_examples=15, deadline=None)
@given(found=objects)
def test_an_array_is_written_as_the_standard_library_does(
    path: Path, found: list[dict[str, Any]]
) -> None:
    assert json_records.write_array(path, found) == len(found)
    assert path.read_text() == json.dumps(found, indent=0)


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("\n{}", 1, "an array was expected, here stands '{'"),
        ("[\n{},\n7]", 3, "record 2 is not an object"),
        ("[\n{}", 2, "after record 1 a comma"),
        ('[{}, {"a":\n"b}]', 2, "not JSON in record 2: Unterminated string"),
        ('[{"a":\n\nx}]', 3, "not JSON in record 1: Expecting value"),
        ('[{"a": NaN}]', 1, "NaN is not JSON"),
        ('[{}, {"a": 1, "a": 1}]', 1, "the key 'a' comes twice"),
        ('[{"a": "\\ud800"}]', 1, "half a surrogate pair"),
        ('[{"a": ' + "[" * 100_000 + "}]", 1, "not JSON in record 1: maximum recursion"),
        ('[{"a": ' + "1" * 5000 + "}]", 1, "not JSON in record 1: Exceeds the limit"),
    ],
)
def test_what_is_no_array_of_objects_is_named(
    path: Path, content: str, line: int, message: str
) -> None:
    path.write_text(content)
    with pytest.raises(DataError) as caught:
        list(json_records.read_array(path))
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert message in caught.value.message


def test_a_record_without_end_is_not_taken_into_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(b'[{"a": "' + b"x" * (5 << 20) + b'"}]')
    assert len(list(json_records.read_array(path))) == 1
    monkeypatch.setattr(disk, "LONGEST_LINE", 1 << 20)
    with pytest.raises(DataError, match="record 1 is over 1 Mi characters long"):
        list(json_records.read_array(path))
