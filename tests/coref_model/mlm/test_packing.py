"""Whole sentences in sequences, none across documents; words found by their letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.mlm.packing import packed, sentences, word_begins
from corefmill.coref_model.mlm.text import TextDocument

PIECES = load("tiny").pieces


def document(*paragraphs: str) -> TextDocument:
    return TextDocument("a", iter(paragraphs))


def read(folder: Path, room: int, *documents: TextDocument) -> list[str]:
    text = packed(documents, PIECES, room, folder)
    return [" ".join(PIECES.string(int(piece)) for piece in text[at][0]) for at in range(len(text))]


def test_sentences_are_whole_while_they_fit(tmp_path: Path) -> None:
    found = read(tmp_path, 7, document("an as. it is at.", "he."), document("her."))
    # The third sentence has no room beside the first two, and a document begins a sequence.
    assert found == ["an as . it is at .", "he .", "her ."]


def test_a_sentence_too_long_is_cut(tmp_path: Path) -> None:
    assert read(tmp_path, 3, document("an as at it is.")) == ["an as at", "it is ."]


def test_documents_are_told_apart(tmp_path: Path) -> None:
    text = packed([document("an."), document(""), document("as. at.")], PIECES, 2, tmp_path)
    assert text.documents.tolist() == [0, 2, 2]
    assert text.starts.tolist() == [0, 2, 4, 6]


def test_a_text_of_nothing_is_no_sequence(tmp_path: Path) -> None:
    assert len(packed([document("")], PIECES, 8, tmp_path)) == 0


@settings(max_examples=40, deadline=None)
@given(st.text("an. ?!\u3002b'", max_size=60), st.integers(1, 9))
def test_no_piece_is_lost(tmp_path_factory: pytest.TempPathFactory, text: str, room: int) -> None:
    whole = " ".join(text.split())
    found = packed([document(whole)], PIECES, room, tmp_path_factory.mktemp("text"))
    assert found.pieces.tolist() == PIECES.text(whole)[0]


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ('He said "no." She left!', ['He said "no."', "She left!"]),
        ("今日は。はい。", ["今日は。", "はい。"]),
        ("no end", ["no end"]),
        ("It is 3.5 now.", ["It is 3.5 now."]),
        ("", []),
    ],
)
def test_sentences(paragraph: str, expected: list[str]) -> None:
    assert list(sentences(paragraph)) == expected


def test_words_begin_at_letters_after_others() -> None:
    text = "Ann's o'er-long"
    spans = [(0, 2), (2, 3), (3, 4), (4, 5), (6, 7), (7, 8), (8, 10), (10, 11), (11, 15)]
    assert word_begins(text, spans) == [True, False, *[True] * 7]


def test_each_sign_is_a_word_where_no_blank_is_written() -> None:
    assert word_begins("東京b", [(0, 1), (1, 2), (2, 3)]) == [True, True, False]


def test_pieces_of_one_sign_are_one_word() -> None:
    assert word_begins("a €", [(0, 1), (2, 3), (2, 3), (3, 3)]) == [True, True, False, False]
