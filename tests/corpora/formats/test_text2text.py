"""Text with brackets on its words: what is read, written and refused."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given

from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.text2text import read, write
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corpora.generated_documents import plain_documents

# Los_0 jugadores_1 de_2 el_3 Espanyol_4 dicen_5 que_6 (zero) ganan_7 .
LINE = "Los|[e1 jugadores de el Espanyol|[e2],e1] dicen que ##él|[e1] ganan a|b ## .\n"


def test_mentions_of_words_and_of_empty_nodes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(LINE)
    ((line, document),) = read(path, "es")
    assert (line, document.doc_id) == (1, "a-1")
    assert [token.form for token in document.sentences[0].tokens][7:] == ["ganan", "a|b", "."]
    assert document.clusters == (
        (Mention(0, 0, 5), Mention(0, 7, 7, zero=True)),
        (Mention(0, 4, 5),),
    )
    write(tmp_path / "b.txt", [document])
    assert (tmp_path / "b.txt").read_text() == LINE.replace("##él", "##").replace("## .", ".")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a|e1]", "word 1, 'a': e1. closes what is not open"),
        ("b|[e1 c", "word 1, 'b': .e1 is not closed"),
        ("##|[e1]", "a line without words"),
        ("", "a line without words"),
    ],
)
def test_what_is_refused(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"fine|[e1]\n{line}\n")
    with pytest.raises(DataError, match=message) as caught:
        list(read(path, "es"))
    assert caught.value.line == 2


def document(*words: Token, mentions: tuple[Mention, ...]) -> Document:
    return Document("d", 0, "cs", (Sentence(words),), (mentions,))


def test_of_a_discontinuous_mention_the_part_with_the_head(tmp_path: Path) -> None:
    words = (Token("a", head=3), Token("b", head=3), Token("c d", head=0))
    made = document(*words, mentions=(Mention(0, 0, 3, parts=((0, 1), (2, 3))),))
    write(tmp_path / "a.txt", [made])
    assert (tmp_path / "a.txt").read_text() == "a b c_d|[e1]\n"


@pytest.mark.parametrize("form", ["", "x|[e1]", "##x", "##"])
def test_words_that_would_be_read_otherwise(tmp_path: Path, form: str) -> None:
    with pytest.raises(DataError, match="would be read otherwise"):
        write(tmp_path / "a.txt", [document(Token(form), mentions=())])


@given(record=plain_documents())
def test_reads_the_mentions_that_it_wrote(
    tmp_path_factory: pytest.TempPathFactory, record: Document
) -> None:
    path = tmp_path_factory.mktemp("t2t") / "a.txt"
    try:
        write(path, [record])
    except DataError:
        return
    ((_, again),) = read(path, "en")
    starts = [0, *accumulate(len(sentence.tokens) for sentence in record.sentences)]
    moved = {
        frozenset((starts[m.sentence] + m.start, starts[m.sentence] + m.end) for m in cluster)
        for cluster in record.clusters
        if cluster
    }
    assert {frozenset((m.start, m.end) for m in cluster) for cluster in again.clusters} == moved
