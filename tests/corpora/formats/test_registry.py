"""Formats by name and content, folders, the native form, tables with a header, and Parquet."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.corpora import api, manifest
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats import native, parquet, registry
from corefmill.corpora.formats.form import (
    Format,
    find_words,
    line_format,
    masked_example,
    write_documents,
    write_table,
)
from corefmill.corpora.formats.rows import Columns, read_rows
from corefmill.corpora.records import Document, Mention, Sentence, Source, Token
from tests.corpora.generated import documents, event_mentions, masked_examples
from tests.corpora.test_records import EVENT, EXAMPLE, MANIFEST, document


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        registry.get_format("five_line")
    assert "did you mean five-line?" in str(caught.value)
    assert all(name in str(caught.value) for name in registry.FORMATS)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.dat", b"", "--from"),
        ("a.dat", b"A novel.\n", "--from"),
        ("a.dat", b"\x00\xff\xfe", "--from"),
        ("a.dat", b"{}\n", "--from"),
        ("a.v4_gold_conll", b"d 0 0 Ann -\n", "no '#begin document .*--lenient.*--columns"),
        ("a.dat", b"0\tAnn\t(1)\n1\tleft\t-\n", "no '#begin document .*--lenient.*--columns"),
        ("a.txt", b'CorefResult(text="Ann left", clusters=[])\n', "cut off .*as_strings=False"),
        ("a.json", b'[{"text": "A", "label": [], "annotation_id": 1}]', "JSON-MIN .*Export > JSON"),
        ("a.jsonl", b'{"text": "A", "relations": [{"head_span": {}}]}', "Prodigy .*from_id"),
        ("a.csv", b"ID,A,B,NEITHER\n1,0.1,0.2,0.7\n", "answers to GAP.*score KEY FILE"),
        ("a.csv", b"test-1,TRUE,FALSE\ntest-2,FALSE,TRUE\n", "answers to GAP.*score KEY FILE"),
        ("a.json", b'{"sentences": [{"words": ["A"], "coref_spans": []}]}', "Hub's CoNLL-2012"),
    ],
)
def test_a_file_of_no_format_is_refused_with_the_way_out(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=rf"{name}.*{message}"):
        registry.detect_format(tmp_path / name)


def test_a_new_format_is_its_module_and_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tries docs/adding-a-format.md: all that knows formats knows one that stands in the table."""

    def parse(line: str, lang: str) -> Document:
        name, _, words = line.partition(": ")
        if not words:
            raise ValueError("no words")
        return Document(name, 0, lang, (Sentence(tuple(map(Token, words.split(" ")))),), ())

    toy = line_format(
        "toy",
        "a line a document: its name, a colon, its words",
        ".toy",
        parse,
        write=lambda path, documents: write_documents(path, documents, text, "the toy format"),
        suits=lambda name, head: name.endswith(".toy"),
        schema="document/1",
    )

    def text(document: Document) -> str:
        (sentence,) = document.sentences
        return f"{document.doc_id}: {' '.join(token.form for token in sentence.tokens)}\n"

    monkeypatch.setitem(registry.FORMATS, toy.name, toy)
    (tmp_path / "a.toy").write_text("one: Ada left\ntwo\nthree: She ran\n")
    assert registry.detect_format(tmp_path / "a.toy") is toy
    with pytest.raises(DataError, match=r"a\.toy:2: no words"):
        list(api.read(tmp_path / "a.toy"))
    assert [(one.code, one.line) for one in api.check(tmp_path / "a.toy")] == [("E202", 2)]
    (tmp_path / "a.toy").write_text("one: Ada left\nthree: She ran\n")
    assert api.convert(tmp_path / "a.toy", tmp_path / "a.conll").records == 2
    assert api.convert(tmp_path / "a.conll", tmp_path / "b.toy").lost == {}
    assert (tmp_path / "b.toy").read_bytes() == (tmp_path / "a.toy").read_bytes()
    with pytest.raises(
        DataError, match=r"document d, part 0: .*toy format cannot carry it; JSON Lines"
    ):
        api.write(tmp_path / "c.toy", [Document("d", 0, "en", (), ())])


def test_files_are_taken_as_they_are_and_folders_by_their_files(tmp_path: Path) -> None:
    one = tmp_path / "alone.jsonl"
    inside = tmp_path / "corpus" / "deep" / "train.jsonl"
    for path in (one, inside):
        path.parent.mkdir(parents=True, exist_ok=True)
        jsonl.write(path, [DOCUMENT])
    (tmp_path / "corpus" / "notes.md").write_text("of no format")
    found = registry.find_files([one, tmp_path / "corpus"])
    assert list(found) == [one, inside]
    assert {form.schema for form in found.values()} == {"document/1"}
    form = registry.get_format("conll2012")
    assert registry.find_files([one], form) == {one: form}


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


def test_rows_come_with_their_lines_and_faults_among_them(path: Path) -> None:
    path.write_bytes("\ufeffa\tb\r\n1\t\r\n\x85 2\t3".encode())
    rows = [(2, {"a": "1", "b": "", "other": {}}), (3, {"a": "\x85 2", "b": "3", "other": {}})]
    assert list(read_rows(path, Columns(("a", "b")))) == rows
    path.write_text("a\tb\n1\n1\t2\n")
    (_, fault), row = read_rows(path, Columns(("a", "b")))
    assert isinstance(fault, DataError) and row == (3, {"a": "1", "b": "2", "other": {}})
    assert (fault.line, fault.message) == (2, "1 columns where the header has 2")


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", None, "without the header"),
        ("a b\n", 1, "the header is 'a b'"),
        ("b\tb\n", 1, "the header is 'b b'"),
        ("a\tb\n1\t2\x00\n", 2, "NUL"),
        ("a\tb\n" + "x" * (3 << 20), 2, "a line of over 1 MiB"),
    ],
)
def test_what_is_no_such_table_is_named(
    path: Path, content: str, line: int | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk.read_lines, "__defaults__", (1 << 20,))
    path.write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        list(read_rows(path, Columns(("a", "b"))))
    assert (caught.value.path, caught.value.line) == (str(path), line)


@pytest.mark.parametrize("sign", ["\t", "\r"])
def test_cells_that_would_break_the_table_are_refused(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "a.tsv"
    good, bad = (
        masked_example(name, "en", "He ran.", (0, 2), ("A", "B"), 0, meta={"cell": cell})
        for name, cell in (("6", "x"), ("7", f"x{sign}y"))
    )
    with pytest.raises(DataError, match="example 7: a cell holds a tab, a line end or a NUL"):
        write_table(path, ["a"], [good, bad], lambda one: [[one.meta["cell"]]])
    assert not path.exists()


def test_a_name_is_found_as_words_apart_from_what_is_taken() -> None:
    text = "Annabel met Ann. Ann left."
    assert find_words(text, "Ann") == (12, 15)
    assert find_words(text, "Ann", [(12, 15)]) == (17, 20)
    assert find_words(text, "Bo") is None
    assert find_words(text, "") is None


MASKED, EVENTS, DOCUMENTS = parquet.MASKED, parquet.EVENTS, parquet.DOCUMENTS
KINDS = [(MASKED, masked_examples()), (EVENTS, event_mentions()), (DOCUMENTS, documents())]
ONE = [(MASKED, EXAMPLE), (EVENTS, EVENT), (DOCUMENTS, document())]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("it's parquet")


def written(form: Format, path: Path, *records: Any) -> Path:
    assert form.write is not None
    assert form.write(path, records) == len(records)
    return path


def read_all(form: Format, path: Path) -> list[Any]:
    return [record for _, record in form.read(path, "en")]


@pytest.mark.parametrize(("form", "records"), KINDS, ids=lambda one: getattr(one, "name", ""))
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_what_is_written_is_read_the_same(
    folder: Path, form: Format, records: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(records, max_size=3))
    path = written(form, folder / "a.parquet", *drawn)
    assert read_all(form, path) == drawn
    assert [line for line, _ in form.read(path, "en")] == list(range(1, len(drawn) + 1))


@pytest.mark.parametrize(("form", "record"), ONE)
def test_a_file_is_told_by_its_suffix_schema_or_columns(
    folder: Path, form: Format, record: Any
) -> None:
    for suffix in (form.suffix, ".parquet"):
        path = written(form, folder / f"train{suffix}", record)
        assert registry.detect_format(path) is form
    assert registry.detect_format(selected(path, "*")) is form
    with pytest.raises(UsageError, match="the format of this file is not known"):
        registry.detect_format(selected(path, "1 AS more"))


def test_meta_keeps_numbers_that_columns_do_not(folder: Path) -> None:
    meta = {"big": 10**30, "float": 1e16, "int": 10**16, "deep": [None, {"ü": "\0"}]}
    example = replace(EXAMPLE, meta=meta)
    (again,) = read_all(MASKED, written(MASKED, folder / "a.parquet", example))
    assert json.dumps(again.meta) == json.dumps(meta)
    large = replace(EXAMPLE, source=Source("x", 1 << 70))
    with pytest.raises(DataError, match="cannot be written as Parquet"):
        written(MASKED, folder / "large.parquet", large)
    assert not (folder / "large.parquet").exists()


def test_records_of_another_kind_are_refused(folder: Path) -> None:
    with pytest.raises(DataError, match="a EventMention among MaskedExample records"):
        written(MASKED, folder / "b.parquet", EXAMPLE, EVENT)
    path = written(EVENTS, folder / "a.parquet", EVENT)
    with pytest.raises(DataError, match="the table holds event-mention/1"):
        read_all(MASKED, path)


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("* EXCLUDE (label)", "column 'label' has the type missing"),
        ("*, 1 AS more", "column 'more' has the type INTEGER"),
        ("* REPLACE (NULL::VARCHAR AS meta)", "the row has no meta"),
        ("* REPLACE ([0, 99]::BIGINT[] AS target)", "empty or outside the text"),
    ],
)
def test_a_table_of_other_columns_is_refused(folder: Path, select: str, message: str) -> None:
    other = selected(written(MASKED, folder / "a.parquet", EXAMPLE), select)
    with pytest.raises(DataError, match=message) as caught:
        read_all(MASKED, other)
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
    path = written(MASKED, folder / "a.parquet", EXAMPLE, EXAMPLE)
    loaded = datasets.load_dataset(
        "parquet", data_files={"train": str(path)}, cache_dir=str(folder / "cache")
    )["train"]
    assert len(loaded) == 2
    assert loaded[0]["candidates"] == list(EXAMPLE.candidates)
    assert tuple(loaded[0]["target"]) == EXAMPLE.target
