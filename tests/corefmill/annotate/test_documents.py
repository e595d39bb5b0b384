"""A document's text for tools, and how what is marked in it becomes mentions again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from corefmill.annotate import documents
from corefmill.annotate.documents import ReadChains, ToolMention
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corefmill.annotate.trials import SMALL, TEXT, nasty
from tests.corpora.test_records import EVENT

pytestmark = pytest.mark.usefixtures("without_fsync")

PLAIN = documents.make_plain(7, "test", SMALL)


def marked(words: str, label: str = "") -> ToolMention:
    start = TEXT.index(words)
    return ToolMention(start, start + len(words), label)


def test_a_zero_mention_can_be_seen() -> None:
    assert PLAIN.text == TEXT
    assert PLAIN.name == "0007"
    assert [len(units) for units in PLAIN.sentences] == [5, 3]
    assert PLAIN.marked[0][2] == marked("∅")


def test_pieces_and_their_label() -> None:
    (apart,) = PLAIN.marked[1]
    assert apart == ToolMention(4, 14, "parts 2-2 4-4")
    assert PLAIN.find_mention(4, 14, apart.label) == SMALL.clusters[1][0]
    assert PLAIN.find_mention(4, 14, "verbal") == Mention(0, 1, 4)


@pytest.mark.parametrize(
    ("start", "end", "label", "message"),
    [
        (0, 2, "", r"cuts the token '𝒜da'"),
        (3, 4, "", "covers no token"),
        (11, 19, "", "crosses the end of a sentence"),
        (9, 9, "", r"\[9, 9\) is empty"),
        (20, 99, "", r"outside the text of 26"),
        (4, 14, "parts 2-2", "not of the form parts 1-2 4-5"),
        (4, 14, "parts 2-2 5-5", "does not fit the mention's words"),
        (4, 14, "parts 2-3 3-4", "does not fit the mention's words"),
        (4, 14, "parts 2-1 3-4", "does not fit the mention's words"),
    ],
)
def test_what_is_no_mention(start: int, end: int, label: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PLAIN.find_mention(start, end, label)


@pytest.mark.parametrize("form", ["", "\0", "\ud800"])
def test_a_token_that_is_no_text_is_refused_with_its_line(form: str, tmp_path: Path) -> None:
    bad = replace(SMALL, sentences=(Sentence((Token(form),)),), clusters=())
    with pytest.raises(ValueError, match=r"is empty|NUL or half"):
        documents.make_plain(1, "all", bad)


def test_mentions_whose_parts_are_not_theirs(tmp_path: Path) -> None:
    bad = replace(SMALL, clusters=((Mention(0, 0, 3, parts=((1, 2), (2, 3))),),))
    path = tmp_path / "d.jsonl"
    jsonl.write(path, [SMALL, bad])
    with pytest.raises(DataError, match=r"d\.jsonl:2: the parts \[\[1, 2\], \[2, 3\]\]"):
        list(documents.read_documents(path))


def test_documents_are_numbered_and_those_without_words_passed_over(tmp_path: Path) -> None:
    empty = Document("e", 0, "en", (Sentence(()),), ())
    jsonl.write(tmp_path / "d.jsonl", [empty, SMALL])
    assert [one.number for one in documents.read_documents(tmp_path / "d.jsonl")] == [2]
    jsonl.write(tmp_path / "e.jsonl", [EVENT])
    with pytest.raises(UsageError, match="documents; this corpus holds event mentions"):
        list(documents.read_documents(tmp_path / "e.jsonl"))


def test_another_text_is_refused_where_it_differs() -> None:
    read = ReadChains(7, "", TEXT.replace("left", "lost"), [])
    with pytest.raises(
        DataError, match="differs from document 7 of the corpus: at character 24 'ost', not"
    ):
        documents.apply_chains(PLAIN, read, Path("x"))
    cut = ReadChains(7, "", TEXT[:5], [])
    with pytest.raises(DataError, match="at character 6 '', not"):
        documents.apply_chains(PLAIN, cut, Path("x"))


@settings(max_examples=10)
@given(nasty())
def test_every_mention_comes_back(document: Document) -> None:
    plain = documents.make_plain(1, "all", document)
    read = ReadChains(1, "", plain.text, plain.marked)
    assert documents.apply_chains(plain, read, Path("x")) == document
