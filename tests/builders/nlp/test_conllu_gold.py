"""Trees as text and words: blanks, multiword tokens, paragraphs, and files that are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corefmill.builders.nlp import conllu_gold, ner_gold
from corefmill.builders.nlp.conllu_gold import read
from corefmill.corpora.errors import DataError


def row(number: str, form: str, head: str = "0", misc: str = "_") -> str:
    return "\t".join([number, form, "_", "X", "_", "_", head, "dep", "_", misc]) + "\n"


FIRST = (
    "# newpar\n# sent_id = 1\n"
    + row("1", "Vado")
    + row("2-3", "nella", "_", "SpaceAfter=No").replace("\t_\tdep", "\t_\t_")
    + row("2", "in", "4")
    + row("3", "la", "4")
    + row("3.1", "x", "_")
    + row("4", "casa", "1", "SpaceAfter=No")
    + row("5", ".", "1")
    + "\n"
)
SECOND = row("1", "Lei") + row("2", "ride", "1") + "\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "trees.conllu"
    path.write_text(text, encoding="utf-8")
    return path


def test_text_words_tokens_and_sentences(tmp_path: Path) -> None:
    (gold,) = read(written(tmp_path, FIRST + SECOND))
    assert gold.text == "Vado nellacasa. Lei ride"
    assert [(w.form, w.span, w.multiword, w.head) for w in gold.side.words] == [
        ("Vado", (0, 4), False, None),
        ("in", (4, 9), True, 3),
        ("la", (4, 9), True, 3),
        ("casa", (9, 13), False, 0),
        (".", (13, 14), False, 0),
        ("Lei", (14, 17), False, None),
        ("ride", (17, 21), False, 5),
    ]
    assert gold.side.sentences == ((0, 14), (14, 21))
    assert [words.text for words in gold.words()] == ["Vado inlacasa.", "Lei ride"]


def test_a_paragraph_is_a_text_and_the_last_sentence_needs_no_empty_line(tmp_path: Path) -> None:
    golds = list(read(written(tmp_path, FIRST + SECOND + FIRST.rstrip("\n"))))
    assert [gold.text for gold in golds] == ["Vado nellacasa. Lei ride", "Vado nellacasa."]


def test_a_long_text_is_cut_between_sentences(tmp_path: Path) -> None:
    assert len(list(read(written(tmp_path, SECOND * 3), most=20))) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\ta\tb\n", "trees.conllu:1: 3 columns, CoNLL-U has 10"),
        (row("1", "a") + row("3", "b"), ":2: ID '3' where 2 was expected"),
        (row("1", "a", "_"), ":1: HEAD '_' is no number"),
        (row("1", "a", "7") + "\n", ":1: HEAD '7' is not a word of the sentence"),
        (row("1-2", "ab", "_") + row("1", "a") + "\n", "a multiword token lacks words"),
        (row("2-3", "ab", "_"), ":1: ID '2-3' where 1 was expected"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        list(read(written(tmp_path, text)))
    assert said in str(caught.value)


@pytest.mark.parametrize("read", [conllu_gold.read, ner_gold.read])
@pytest.mark.parametrize(
    ("text", "said"),
    [("a\t" * 200_000, ":1: a row of over 100,000 cells"), ("a\0b\tO\n", ":1: a NUL byte")],
)
def test_a_line_is_bounded_as_everywhere(
    tmp_path: Path, read: Callable[[Path], Iterator[object]], text: str, said: str
) -> None:
    path = tmp_path / "gold"
    path.write_text(text)
    with pytest.raises(DataError, match=said):
        list(read(path))


def test_a_head_of_five_thousand_digits(tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(f"1\ta\ta\tX\t_\t_\t{'1' * 5_000}\troot\t_\t_\n\n")
    with pytest.raises(DataError, match=r":1: HEAD '1{20}' is not a word of the sentence"):
        list(conllu_gold.read(path))
