"""Records of each kind through Parquet and back, and into the tools that load it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats import parquet, registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import Source
from tests.corpora.generated import documents, event_mentions, masked_examples
from tests.corpora.test_records import EVENT, EXAMPLE, document

KINDS = [
    (parquet.MASKED, masked_examples()),
    (parquet.EVENTS, event_mentions()),
    (parquet.DOCUMENTS, documents()),
]
ONE = [(parquet.MASKED, EXAMPLE), (parquet.EVENTS, EVENT), (parquet.DOCUMENTS, document())]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("it's parquet")


def written(form: Format, path: Path, *records: Any) -> Path:
    assert form.write is not None
    assert form.write(path, records) == len(records)
    return path


def read(form: Format, path: Path) -> list[Any]:
    return [record for _, record in form.read(path, "en")]


@pytest.mark.parametrize(("form", "records"), KINDS, ids=lambda one: getattr(one, "name", ""))
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_what_is_written_is_read_the_same(
    folder: Path, form: Format, records: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(records, max_size=3))
    path = written(form, folder / "a.parquet", *drawn)
    assert read(form, path) == drawn
    assert [line for line, _ in form.read(path, "en")] == list(range(1, len(drawn) + 1))


@pytest.mark.parametrize(("form", "record"), ONE)
def test_a_file_is_told_by_its_suffix(folder: Path, form: Format, record: Any) -> None:
    path = written(form, folder / f"train{form.suffix}", record)
    assert registry.detect_format(path) is form
    with pytest.raises(UsageError, match="could be any of parquet-masked, parquet-events"):
        registry.detect_format(written(form, folder / "train.parquet", record))


def test_meta_keeps_numbers_that_columns_do_not(folder: Path) -> None:
    meta = {"big": 10**30, "float": 1e16, "int": 10**16, "deep": [None, {"ü": "\0"}]}
    example = replace(EXAMPLE, meta=meta)
    (again,) = read(parquet.MASKED, written(parquet.MASKED, folder / "a.parquet", example))
    assert json.dumps(again.meta) == json.dumps(meta)
    large = replace(EXAMPLE, source=Source("x", 1 << 70))
    with pytest.raises(DataError, match="cannot be written as Parquet"):
        written(parquet.MASKED, folder / "large.parquet", large)
    assert not (folder / "large.parquet").exists()


def test_records_of_another_kind_are_refused(folder: Path) -> None:
    with pytest.raises(DataError, match="a EventMention among MaskedExample records"):
        written(parquet.MASKED, folder / "b.parquet", EXAMPLE, EVENT)
    path = written(parquet.EVENTS, folder / "a.parquet", EVENT)
    with pytest.raises(DataError, match="the table is of event-mention/1"):
        read(parquet.MASKED, path)


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("* EXCLUDE (label)", "column 'label' is missing"),
        ("*, 1 AS more", "column 'more' is INTEGER"),
        ("* REPLACE (NULL::VARCHAR AS meta)", "a row without meta"),
        ("* REPLACE ([0, 99]::BIGINT[] AS target)", "empty or outside the text"),
    ],
)
def test_a_table_of_other_columns_is_refused(folder: Path, select: str, message: str) -> None:
    other = selected(written(parquet.MASKED, folder / "a.parquet", EXAMPLE), select)
    with pytest.raises(DataError, match=message) as caught:
        read(parquet.MASKED, other)
    assert caught.value.path == str(other)


def selected(path: Path, select: str) -> Path:
    """A table of these columns of the table."""
    other = path.with_name("other.parquet")
    source, target = (str(name).replace("'", "''") for name in (path, other))
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {select} FROM '{source}') TO '{target}' (FORMAT parquet)")
    return other


def test_datasets_load_the_table(folder: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs Hugging Face's datasets")
    path = written(parquet.MASKED, folder / "a.parquet", EXAMPLE, EXAMPLE)
    loaded = datasets.load_dataset(
        "parquet", data_files={"train": str(path)}, cache_dir=str(folder / "cache")
    )["train"]
    assert len(loaded) == 2
    assert loaded[0]["candidates"] == list(EXAMPLE.candidates)
    assert tuple(loaded[0]["target"]) == EXAMPLE.target
