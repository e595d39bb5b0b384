"""What enters a fingerprint, and what is said of two that differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.run.job import (
    Fingerprint,
    describe_differences,
    describe_inputs,
)


def test_the_order_of_options_does_not_matter() -> None:
    first = Fingerprint.compute({"a": 1, "b": (2, "x")})
    assert first == Fingerprint.compute({"b": [2, "x"], "a": 1})
    assert first.digest != Fingerprint.compute({"a": 1, "b": [2, "y"]}).digest


def test_parts_are_what_json_holds() -> None:
    with pytest.raises(TypeError):
        Fingerprint.compute({"a": {1, 2}})


@pytest.mark.parametrize(
    ("there", "here", "told"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b was 1, is 2"]),
        ({"a": 1}, {"b": 1}, ["a was 1, is null", "b was null, is 1"]),
        ({"a": [{"x": 1}, 2]}, {"a": [{"x": 1}, 3]}, ["a: 2 left out", "a: 3 added"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a: 2 added"]),
        ({"code": {"source": "1f"}}, {"code": {"source": "2e"}}, ["the code of corefmill changed"]),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, ["a: order changed"]),
        ({"a": list("vwxyz")}, {"a": ["v"]}, ["a: w, x, y and 1 more left out"]),
        (
            {"inputs": [{"name": "a.txt", "size": 1}, {"name": "b.txt", "size": 1}]},
            {"inputs": [{"name": "a.txt", "size": 2}, {"name": "c.txt", "size": 1}]},
            ["inputs: a.txt changed", "inputs: b.txt left out", "inputs: c.txt added"],
        ),
    ],
)
def test_differences_name_the_leaf(there: object, here: object, told: list[str]) -> None:
    assert list(describe_differences(there, here)) == told


def test_both_ends_of_an_input_count(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    found = []
    for content in (b"a" + b"." * 3_000_000, b"." * 3_000_001, b"." * 3_000_000 + b"a", b"a"):
        path.write_bytes(content)
        found.append(str(describe_inputs([path])))
    assert len(set(found)) == 4
