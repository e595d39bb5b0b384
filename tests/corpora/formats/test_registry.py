"""Formats by name and by content, folders, the native form, and tables with a known header."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora import api, manifest
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats import native, registry
from corefmill.corpora.formats.form import (
    find_words,
    line_format,
    masked_example,
    read_table,
    write_documents,
    write_table,
)
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corpora.test_manifest import MANIFEST
from tests.corpora.test_records import EXAMPLE, document


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        registry.get_format("five_line")
    assert "did you mean five-line?" in str(caught.value)
    assert all(name in str(caught.value) for name in registry.FORMATS)


@pytest.mark.parametrize("content", [b"", b"A novel.\n", b"\x00\xff\xfe", b"{}\n"])
def test_a_file_of_no_format_is_refused_with_the_way_to_name_one(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "a.dat").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        registry.detect_format(tmp_path / "a.dat")
    assert "--from" in str(caught.value) and "a.dat" in str(caught.value)


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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.tsv"


def test_rows_come_with_their_lines(path: Path) -> None:
    path.write_bytes("\ufeffa\tb\r\n1\t\r\n\x85 2\t3".encode())
    assert list(read_table(path, ["a", "b"], ["a"])) == [(2, ["1", ""]), (3, ["\x85 2", "3"])]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("", None, "without the header"),
        ("a b\n", 1, "the header is 'a b'"),
        ("b\ta\n", 1, "the header is 'b a'"),
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
        list(read_table(path, ["a", "b"]))
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_a_row_with_other_cells_is_a_fault_among_the_rows(path: Path) -> None:
    path.write_text("a\tb\n1\n1\t2\n")
    (_, fault), row = read_table(path, ["a", "b"])
    assert isinstance(fault, DataError) and row == (3, ["1", "2"])
    assert (fault.line, fault.message) == (2, "1 columns where the header has 2")


@pytest.mark.parametrize("sign", ["\t", "\r"])
def test_cells_that_would_break_the_table_are_refused(path: Path, sign: str) -> None:
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
