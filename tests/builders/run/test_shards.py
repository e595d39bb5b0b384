"""Receipts and shard files, samples by lowest hashes, and the database that sorts on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.builders.run.database import scratch_database
from corefmill.builders.run.shards import (
    Receipt,
    ShardFile,
    ShardWriter,
    SourceEnd,
    read_receipts,
)
from corefmill.builders.run.stages import HashSample, make_random
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from tests.odd_names import ODD

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(0, 10**12)
RECEIPTS = st.builds(
    Receipt,
    unit=NUMBERS,
    input=NAMES,
    files=st.dictionaries(NAMES, st.builds(ShardFile, NUMBERS, NUMBERS, NAMES), max_size=3),
    counts=st.dictionaries(NAMES, NUMBERS, max_size=3),
    rejects=st.dictionaries(NAMES, NUMBERS, max_size=3),
)


@given(RECEIPTS)
def test_receipts_read_back_as_they_were(receipt: Receipt) -> None:
    assert Receipt.from_json(receipt.to_json()) == receipt


@given(RECEIPTS, st.data())
def test_a_receipt_cut_short_is_none(receipt: Receipt, data: st.DataObject) -> None:
    text = receipt.to_json()
    with pytest.raises(ValueError):
        Receipt.from_json(text[: data.draw(st.integers(0, len(text) - 1))])


@pytest.mark.parametrize("error", [None, DataError("cut", path="a.xml", line=3, remedy="mend it")])
def test_the_end_reads_back_as_it_was(tmp_path: Path, error: DataError | None) -> None:
    SourceEnd(3, (5, 6), error).write(tmp_path)
    end = SourceEnd.read(tmp_path)
    assert end is not None
    assert (end.units, end.mtimes, str(end.error)) == (3, (5, 6), str(error))


def test_nothing_stays_of_a_unit_that_was_not_committed(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), ShardWriter(tmp_path, 4) as shard:
        shard.write("a", {"x": 1})
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "FIFO", "deep"])
def test_records_that_are_no_plain_files_are_none(tmp_path: Path, kind: str) -> None:
    with ShardWriter(tmp_path, 1) as shard:
        shard.commit("d", counts={}, rejects={})
    SourceEnd(1, (), None).write(tmp_path)
    for name in ("00001.json", "end.json"):
        path = tmp_path / name
        content = path.read_bytes()
        path.unlink()
        if kind == "link":
            path.symlink_to(tmp_path / f"{name}.other")
            (tmp_path / f"{name}.other").write_bytes(content)
        elif kind == "FIFO":
            os.mkfifo(path)
        else:
            path.write_text("[" * 100_000)
    assert (read_receipts(tmp_path), SourceEnd.read(tmp_path)) == ({}, None)


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    with ShardWriter(tmp_path, 12) as shard:
        shard.write("a", {"x": "Perché 🙂 \u2028"})
        receipt = shard.commit("d", counts={"b": 1, "a": 2}, rejects={})
    assert (tmp_path / "00012.a.jsonl").read_text("utf-8") == '{"x": "Perché 🙂 \u2028"}\n'
    assert list(receipt.counts) == ["a", "b"]
    assert read_receipts(tmp_path) == {12: receipt}


@given(st.lists(st.integers(0, 50)), st.integers(0, 9))
def test_the_lowest_are_those_that_sorting_gives(keys: list[int], size: int) -> None:
    def hashed(key: int) -> float:
        return make_random(1, key).random()

    drawn = HashSample[int, str](size)
    for key in keys:
        drawn.offer(hashed(key), key, str(key))
    assert list(drawn.values()) == [str(key) for key in sorted(set(keys), key=hashed)[:size]]


def test_what_is_held_can_be_added_to() -> None:
    drawn = HashSample[str, list[int]](2)
    for hashed, key, value in ((0.5, "b", 1), (0.1, "a", 2), (0.7, "c", 3), (0.5, "b", 4)):
        held = drawn.offer(hashed, key, [])
        if held is not None:
            held.append(value)
    assert list(drawn.values()) == [[2], [1, 4]]


@pytest.mark.parametrize("name", ["plain", *ODD], ids=repr)
def test_it_sorts_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    scratch = tmp_path / name
    scratch.mkdir()
    rows = scratch / "rows.jsonl"
    rows.write_text('{"x": 2}\n{"x": 1}\n')
    with (
        scratch_database(scratch, memory="60MB") as (base, folder),
        disk.plain_names([rows]) as names,
    ):
        found = base.execute("SELECT x FROM read_json(?) ORDER BY x", [names]).fetchall()
        base.execute("CREATE TABLE t AS SELECT range i, hash(range)::VARCHAR h FROM range(100_000)")
        assert base.execute("SELECT count(DISTINCT h) FROM t").fetchall() == [(100_000,)]
        (folder / "own.jsonl").write_text("{}")
    assert found == [(1,), (2,)]
    assert list(scratch.iterdir()) == [rows]
