"""The coreference column as the reference scorer reads it, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corefmill.corpora import lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.scoring import column
from corefmill.corpora.scoring.units import ScoredDocument
from tests.commands import shared

BEGIN, END = "#begin document (nw/a); part 000\n", "#end document\n"


def read(path: Path, content: str | bytes) -> list[ScoredDocument]:
    path = path / "file.conll"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(column.read(path))


def clusters(path: Path, *cells: str) -> list[list[object]]:
    tokens = "".join(f"nw/a\t0\t{n}\tword\t{cell}\n" for n, cell in enumerate(cells))
    (text,) = read(path, BEGIN + tokens + END)
    assert text.tokens == len(cells)
    return text.clusters


def test_names_parts_and_tokens(tmp_path: Path) -> None:
    content = (
        "# a comment\n\n#begin document (nw/a); part 000\nx\t-\n\nx\t(1)\n#end document\n"
        "#begin document (nw/a); part 012\n# masked {}\n#\t-\n   \n#end document\n"
        "#begin document (b);\n#end document\n# begin document c d\nx y -\n#end document"
    )
    found = [(text.name, text.part, text.tokens, text.clusters) for text in read(tmp_path, content)]
    assert found == [
        ("nw/a", 0, 2, [[(1, 2)]]),
        ("nw/a", 12, 1, []),
        ("b", 0, 0, []),
        ("c d", 0, 1, []),
    ]


@pytest.mark.parametrize("content", [b"", b"\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_a_file_without_documents_has_none(tmp_path: Path, content: bytes) -> None:
    assert read(tmp_path, content) == []


def test_entities_in_the_order_in_which_they_open(tmp_path: Path) -> None:
    # 7 opens first, but 3 closes first; a token's own mentions come before what opens there.
    assert clusters(tmp_path, "(7", "(3)", "7)") == [[(0, 3)], [(1, 2)]]
    assert clusters(tmp_path, "(7|(3)", "7)") == [[(0, 1)], [(0, 2)]]
    # Of one entity, mentions come in the order in which they close, inner ones first.
    assert clusters(tmp_path, "(1|(1", "1)", "1)|(1)") == [[(0, 2), (2, 3), (0, 3)]]


def test_mentions_that_cross_are_read_as_nested(tmp_path: Path) -> None:
    assert clusters(tmp_path, "(1", "(1", "1)", "1)") == [[(1, 3), (0, 4)]]


def test_bars_may_be_missing_and_mentions_may_repeat(tmp_path: Path) -> None:
    assert clusters(tmp_path, "(0(1(2)", "1)0)") == [[(0, 1)], [(0, 2)], [(0, 2)]]
    assert clusters(tmp_path, "(1)|(1)") == [[(0, 1), (0, 1)]]


@pytest.mark.parametrize(
    "line",
    [
        "nw/a 0 3   word  NN (S* - - - Speaker#1 *   (4)",
        "nw/a\t0\t3\tword\t(ARG0*)\t(4)",
        "nw/a\t(4)",
        "nw/a\t0\t3\tword\t(4)\t",
        "#\t(4)",
        "nw/a\t(4)\r",
    ],
)
def test_the_last_column_however_columns_are_set(tmp_path: Path, line: str) -> None:
    (text,) = read(tmp_path, BEGIN + line + "\n" + END)
    assert text.clusters == [[(0, 1)]]


@pytest.mark.parametrize("cell", ["-", "_", "*", "", "\t", "word_\t", "(ARG0*)\t"])
def test_tokens_without_a_bracket(tmp_path: Path, cell: str) -> None:
    (text,) = read(tmp_path, f"{BEGIN}x\t(1\nx\tNN\t{cell}\nx\t1)\n{END}")
    assert (text.tokens, text.clusters) == (3, [[(0, 3)]])


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("x\t-\n", 1, "a token outside of documents"),
        ("\nx\t(1)\n", 2, "a token outside of documents"),
        (f"{BEGIN}{END}x\t-\nx\t-\n", 3, "a token outside of documents"),
        (f"{BEGIN}x\t-\n", 1, "document 'nw/a' does not end"),
        (f"{BEGIN}x\t-\n{BEGIN}", 3, "a document opens within 'nw/a'"),
        (END, 1, "an '#end document' without its begin"),
        (f"{BEGIN}x\t-\nx\t3)\n{END}", 3, "3) closes a mention that is not open"),
        (f"{BEGIN}x\t(3\nx\t-\n{END}", 2, "(3 opens a mention that does not close"),
        (f"{BEGIN}x\t(e3)\n{END}", 2, "the last column holds '(e3)'"),
        (f"{BEGIN}x\t(3\nx\t(3)x\n{END}", 3, "the last column holds '(3)x'"),
        (f"{BEGIN}x\t(3+1)\n{END}", 2, "the last column holds '(3+1)'"),
        (f"{BEGIN}x\t(٣)\n{END}", 2, "which is not coreference"),
        (f"{BEGIN}x y (3]\n{END}", 2, "the last column holds '(3]'"),
        (BEGIN.encode() + b"x\t\x00\n", 2, "a NUL byte"),
        (BEGIN.encode() + b"x\t-\n\xff\t-\n" + END.encode(), 3, "not UTF-8 at byte 1"),
    ],
)
def test_errors_name_file_and_line(
    tmp_path: Path, content: str | bytes, line: int, said: str
) -> None:
    with pytest.raises(DataError) as raised:
        read(tmp_path, content)
    assert said in str(raised.value)
    assert (Path(raised.value.path or "").name, raised.value.line) == ("file.conll", line)


def test_lines_may_be_long_but_not_endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column, "_BLOCK", 100)
    monkeypatch.setattr(lines, "LONGEST", 1000)
    (text,) = read(tmp_path, f"{BEGIN}{'x' * 900}\t(1)\n{END}")
    assert text.clusters == [[(0, 1)]]
    with pytest.raises(DataError, match="a line of over") as raised:
        read(tmp_path, f"{BEGIN}{'x' * 5000}\t(1)\n{END}")
    assert raised.value.line == 2


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_blocks_of_any_size_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    cells = "".join(f"x\t{cell}\n\n" for cell in ("-", "(1", "é-", "1)", "_", "(2)"))
    content = "\ufeff" + 3 * f"{BEGIN}{cells.replace('é-', '-')}{END}".replace("\n", "\r\n")
    whole = read(tmp_path, content)
    monkeypatch.setattr(column, "_BLOCK", block)
    assert read(tmp_path, content) == whole
    assert [text.tokens for text in whole] == [6, 6, 6]


PIECE = st.sampled_from(
    [
        BEGIN,
        END,
        "x\t-\n",
        "x\t(1\n",
        "x\t1)\n",
        "x\t(1)|(2)\n",
        "x - -\t(\n",
        "\n",
        "#\n",
        "\r",
        "é",
    ]
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pieces=st.lists(PIECE, max_size=12))
def test_nothing_but_data_errors_comes_of_broken_files(tmp_path: Path, pieces: list[str]) -> None:
    try:
        found = read(tmp_path, "".join(pieces))
    except DataError as error:
        assert error.line is not None
    else:
        assert len(found) == "".join(pieces).count("#begin")


# Documents, tokens, mentions and entities, as the files have them.
@pytest.mark.parametrize(
    ("folder", "pattern", "expected"),
    [
        ("litbank", "conll/*.conll", (80, 168_638, 23_150, 6_304)),
        ("ontogum", "*.dev.conll", (30, 28_119, 3_818, 857)),
        ("ontogum", "*.train.conll", (177, 177_410, 23_320, 5_311)),
        ("winograd", "winobias/conll/dev_type1_pro*_conll", (396, 5_513, 801, 396)),
    ],
)
def test_real_files(folder: str, pattern: str, expected: tuple[int, ...]) -> None:
    found = [text for path in shared("data", folder).glob(pattern) for text in column.read(path)]
    entities = [entity for text in found for entity in text.clusters]
    tokens = sum(text.tokens or 0 for text in found)
    assert (len(found), tokens, sum(map(len, entities)), len(entities)) == expected
