"""Formats by name, and the format of a file that names none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora import api, lines, manifest
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.form import Format, convert_rows, write_documents
from corefmill.corpora.records import Document, Sentence, Token
from tests.corpora.test_manifest import MANIFEST


def test_every_format_stands_under_its_own_name() -> None:
    assert all(name == form.name for name, form in registry.FORMATS.items())
    assert registry.named("five-line") is registry.FORMATS["five-line"]


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        registry.named("five_line")
    assert "did you mean five-line?" in str(caught.value)
    assert all(name in str(caught.value) for name in registry.FORMATS)


def test_a_corpus_directory_is_of_its_schemas_native_form(tmp_path: Path) -> None:
    manifest.write(tmp_path, MANIFEST)
    (tmp_path / "train.txt").write_text("Anna met Bob.\n")
    assert registry.of_file(tmp_path).name == "native-masked"


@pytest.mark.parametrize("content", [b"", b"\n\n", b"A novel.\n", b"\x00\xff\xfe", b"{}\n", b"[]"])
def test_a_file_of_no_format_is_refused_with_the_way_to_name_one(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "a.dat").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        registry.of_file(tmp_path / "a.dat")
    assert "--from" in str(caught.value) and "a.dat" in str(caught.value)


def test_a_folder_of_no_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "novels").mkdir()
    (tmp_path / "novels" / "one.text").write_text("A novel.\n")
    with pytest.raises(UsageError, match=r"no file in here .*corefmill predict"):
        registry.of_file(tmp_path)


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be opened"):
        registry.of_file(tmp_path / "a.txt")


def test_a_file_that_suits_two_formats_is_refused_with_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    five = registry.FORMATS["five-line"]
    two = {name: replace(five, name=name) for name in ("one", "two")}
    monkeypatch.setattr(registry, "FORMATS", two)
    (tmp_path / "a.txt").write_text("Anna met Bob. [MASK] left.\n[MASK]\nAnna,Bob\nAnna\n\n")
    with pytest.raises(UsageError, match=r"any of one, two .*--from"):
        registry.of_file(tmp_path / "a.txt")


def test_a_new_format_is_its_module_and_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tries docs/adding-a-format.md: all that knows formats knows one that stands in the table."""

    def document(line: str) -> Document:
        name, _, words = line.partition(": ")
        if not words:
            raise ValueError("no words")
        return Document(name, 0, "en", (Sentence(tuple(map(Token, words.split(" ")))),), ())

    toy = Format(
        name="toy",
        schema="document/1",
        summary="a line a document: its name, a colon, its words",
        suffix=".toy",
        read=lambda path, lang: convert_rows(lines.read(path), document, path),
        write=lambda path, documents: write_documents(path, documents, text, "the toy format"),
        suits=lambda name, head: name.endswith(".toy"),
        by_line=True,
    )

    def text(document: Document) -> str:
        (sentence,) = document.sentences
        return f"{document.doc_id}: {' '.join(token.form for token in sentence.tokens)}\n"

    monkeypatch.setitem(registry.FORMATS, toy.name, toy)
    (tmp_path / "a.toy").write_text("one: Ada left\ntwo\nthree: She ran\n")
    assert registry.of_file(tmp_path / "a.toy") is toy
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
