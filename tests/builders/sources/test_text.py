"""Plain text and JSON Lines: what is a document, what a paragraph, and what is no text."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corefmill.builders.run.stages import Context, Unit
from corefmill.builders.sources import text as module
from corefmill.builders.sources.inputs import from_text
from corefmill.builders.sources.text import TextKind, TextSource, comment_prose, read_text
from corefmill.builders.wiki.article import Article
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.manifest import Manifest

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}
NUL = "the line contains NUL, so this is not a text file"
NO_PARQUET = "the file is Parquet, but plain text or JSON Lines is expected"
LONG = "He walked on and on. " * 10  # 209 characters without the blank at the end


def units(*names: Path | str) -> list[Unit]:
    return list(TextSource([str(name) for name in names]).units(()))


def articles(*names: Path | str) -> list[Article]:
    return [
        article
        for unit in units(*names)
        for article in read_text(iter([unit.payload]), Context(unit.index, 0))
    ]


def paragraphs(path: Path, content: str | bytes) -> list[str]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [p.text for article in articles(path) for p in article.paragraphs]


def refused(path: Path, content: str | bytes) -> DataError:
    with pytest.raises(DataError) as caught:
        paragraphs(path, content)
    assert caught.value.path == str(path)
    return caught.value


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return tmp_path / "book.txt"


@pytest.fixture
def news(tmp_path: Path) -> Path:
    return tmp_path / "news.jsonl"


def test_a_file_is_a_document_called_by_its_name(book: Path) -> None:
    book.write_text("Anna left.\n")
    (article,) = articles(book)
    assert (article.key, article.title, article.page_id) == ("text-1", "book", 1)
    assert article.is_person is None
    assert article.title_of("any target") == "any target"
    (paragraph,) = article.paragraphs
    assert (paragraph.kind, paragraph.index, paragraph.links) == ("prose", 0, [])


LINE = LONG.strip()


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("One.\n\n \t\nTwo.\n", ["One.", "Two."]),
        ("Ada\n  left\tus.\r\nShe ran.", ["Ada left us. She ran."]),
        (f"Head\n{LINE}\n{LINE}\nAn\nend\n", ["Head", LINE, LINE, "An end"]),
        ("x" * 160 + "\nend\n", ["x" * 160 + " end"]),
        ("x" * 161 + "\nend\n", ["x" * 161, "end"]),
        ("\ufeffZoë left.", ["Zoë left."]),
        ("Ada ran. " * 300_000, [("Ada ran. " * 300_000).strip()]),
    ],
    ids=["empty line", "wrapped", "long lines", "160", "161", "mark in front", "huge line"],
)
def test_lines_make_paragraphs(book: Path, content: str, found: list[str]) -> None:
    assert paragraphs(book, content) == found


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("One.\r\rTwo.\r", ["One.", "Two."]),
        ("Ada left\rus.\r", ["Ada left us."]),
        ("One.\r\nTwo.\r\n\r\nThree.", ["One. Two.", "Three."]),
        ("One.\r\r\nTwo.\r\r\n\r\r\nThree.", ["One. Two.", "Three."]),
        ("One.\x85\x85Two.\x85Three.", ["One.", "Two. Three."]),
        ("One.\u2028Two.\u2028\u2028Three.", ["One. Two.", "Three."]),
        ("One.\u2029Two.\u2029", ["One.", "Two."]),
        ("One.\u2029\nTwo.", ["One.", "Two."]),
        ("One.\r\n\rTwo.\n\rThree.", ["One.", "Two.", "Three."]),
        (f"Head\r{LINE}\r{LINE}\rend", ["Head", LINE, LINE, "end"]),
        ("\ufeffOne.\u2028\u2028\rTwo.", ["One.", "Two."]),
        ("A page\fand the next.\vA tab.", ["A page and the next. A tab."]),
    ],
)
def test_every_line_end_ends_a_line(book: Path, content: str, found: list[str]) -> None:
    assert paragraphs(book, content) == found
    # Where each stands is counted in the file with its own line ends.
    text = content.removeprefix("\ufeff")
    for article in articles(book):
        for one in article.paragraphs:
            assert text[one.start : one.start + len(one.raw)] == one.raw


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028", "\u2029"])
def test_every_line_end_ends_a_subtitle(book: Path, end: str) -> None:
    book.write_bytes(end.join(("- Ada left.", "", "She  ran.", "-", "")).encode())
    (unit,) = TextSource([str(book)], TextKind.LINES).units(())
    (article,) = read_text(iter([unit.payload]), Context(0, 0))
    assert [one.text for one in article.paragraphs] == ["Ada left.", "She ran."]


def test_a_line_longer_than_any_text_is_an_error(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONGEST_LINE", 1 << 20)
    error = refused(book, b"One.\n" + b"x" * (1 << 20))
    assert (error.line, error.message) == (
        2,
        "the line is longer than 1 MiB, so this is not a text file",
    )


@pytest.mark.parametrize(
    ("content", "line", "message", "remedy"),
    [
        (b"One.\nZo\xeb left.\n", 2, "the line is not UTF-8 at its byte 3", "iconv"),
        ("Anna".encode("utf-16"), 1, "the file is UTF-16, not UTF-8", "iconv -f UTF-16 -t UTF-8"),
        (b"PAR1\x15\x04\x15\n\xff", None, NO_PARQUET, "--dump takes articles as rows"),
        (b"One.\n\nAn\0na\n", 3, NUL, ""),
    ],
    ids=["latin-1", "UTF-16", "Parquet", "NUL"],
)
def test_bytes_that_are_no_text_are_named(
    book: Path, content: bytes, line: int | None, message: str, remedy: str
) -> None:
    error = refused(book, content)
    assert line in (error.line, None) and error.message == message
    assert remedy in (error.remedy or "")


def lines(*documents: object) -> str:
    return "".join(json.dumps(document) + "\n" for document in documents)


def test_json_lines_hold_a_document_a_line(news: Path) -> None:
    news.write_text(
        lines(
            {"text": "One.\n\nTwo.", "title": "First", "id": 5},
            {"text": "Three.", "id": 5},
            {"text": "Four.", "other": [1]},
        )
        + "\n"
        + lines({"text": "Five."})
    )
    found = articles(news)
    assert [article.title for article in found] == ["First", "5", "news:3", "news:5"]
    assert [len(article.paragraphs) for article in found] == [2, 1, 1, 1]
    assert len({article.key for article in found}) == 4


BIG_NUMBER = '{"text": "Anna", "id": ' + "9" * 5000 + "}"
NO_DOCUMENTS = ("{}", '{"Text": "A"}', '{"text": 5}', '{"text": null}', '["text"]', '"text"', "5")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        *(
            (line, "the line is not valid JSON")
            for line in ("{", "Anna left.", "[" * 100_000, BIG_NUMBER)
        ),
        *((line, 'the line is not a JSON object with a string "text"') for line in NO_DOCUMENTS),
        (r'{"text": "An\u0000na"}', NUL),
    ],
)
def test_a_line_that_is_no_document_is_named(news: Path, line: str, message: str) -> None:
    error = refused(news, lines({"text": "One."}) + line)
    assert (error.line, error.message) == (2, message)


@pytest.mark.parametrize("ending", PACKERS)
def test_packed_files_are_read_as_what_they_hold(tmp_path: Path, ending: str) -> None:
    pack = PACKERS[ending]
    (tmp_path / f"book.txt{ending}").write_bytes(pack(b"One.\n\nTwo."))
    (tmp_path / f"news.jsonl{ending}").write_bytes(pack(lines({"text": "Three."}).encode()))
    found = articles(tmp_path)
    assert [article.title for article in found] == ["book", "news:1"]
    assert [p.text for article in found for p in article.paragraphs] == ["One.", "Two.", "Three."]


@pytest.mark.parametrize("form", [".txt", ".jsonl"])
@pytest.mark.parametrize("ending", PACKERS)
def test_a_cut_packed_file_is_a_data_error_in_either_form(
    tmp_path: Path, form: str, ending: str
) -> None:
    """Of plain text it was an EOFError, and .zst was not read at all."""
    noise = random.Random(1)  # no packer makes it small
    content = "".join(lines({"text": noise.randbytes(20).hex()}) for _ in range(500))
    packed = PACKERS[ending](content.encode())
    error = refused(tmp_path / f"a{form}{ending}", packed[: len(packed) // 2])
    assert "cut off" in error.message


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with texts in it and below, and other things."""
    for name in ("b.txt", "a.txt", "below/c.jsonl", "below/d.txt.gz", "e.md", "f.txt.zip"):
        path = tmp_path / "shelf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = (lines({"text": name}) if "jsonl" in name else name).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (tmp_path / "shelf" / "folder.txt").mkdir()
    return tmp_path / "shelf"


def names(*given: Path | str) -> list[str]:
    return [path.name for path in TextSource([str(name) for name in given]).paths]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("", "a.txt b.txt c.jsonl d.txt.gz"),  # the texts in a folder and below, sorted
        ("e.md", "e.md"),  # a file is taken whatever its ending
        ("*.txt", "a.txt b.txt"),  # a pattern matches files only
        ("**/*.gz", "d.txt.gz"),
        ("b.txt .", "b.txt a.txt c.jsonl d.txt.gz"),  # a file counts once
    ],
)
def test_a_name_stands_for_files(shelf: Path, given: str, found: str) -> None:
    assert names(*(shelf / name for name in given.split() or ["."])) == found.split()


@pytest.mark.parametrize("name", ["none.txt", "*.none", "no/such/folder", "**none.txt"])
def test_a_name_that_stands_for_no_file_is_a_usage_error(shelf: Path, name: str) -> None:
    """In a pattern "**" beside other characters was a ValueError."""
    with pytest.raises(
        UsageError, match=r"no text file found under this name \(--text takes files, folders"
    ):
        TextSource([str(shelf / "a.txt"), str(shelf / name)])


def test_corpora_in_a_folder_are_passed_over_and_named(shelf: Path) -> None:
    for folder, marks in (
        ("out/begun", ".corefmill/owner.json"),
        ("out/deep/done", "manifest.json"),
    ):
        for name in (marks, "train.jsonl", "below/x.txt"):
            (shelf / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (shelf / folder / name).write_text("{}")
    parts: tuple[dict[str, Any], ...] = ({}, {})
    done = Manifest("a", "document/1", "en", "clean", *parts, 0, *parts, "CC0", "", {})
    manifest.write(shelf / "out" / "deep" / "done", done)
    # What another program calls a manifest makes no corpus.
    (shelf / "below" / "manifest.json").write_text('{"name": "page"}')
    source = TextSource([str(shelf)])
    assert [path.name for path in source.paths] == ["a.txt", "b.txt", "c.jsonl", "d.txt.gz"]
    assert [path.name for path in source.passed_over] == ["begun", "done"]
    assert from_text([str(shelf)]).says.endswith(
        "4 text files (passed over as corpora: begun, done)"
    )
    with pytest.raises(UsageError, match="the folder is a corpus"):
        TextSource([str(shelf / "out" / "begun")])
    assert names(shelf / "out" / "begun" / "train.jsonl") == ["train.jsonl"]


def digests(found: list[Unit]) -> list[tuple[int, str]]:
    return [(unit.index, unit.digest) for unit in found]


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PACK", 200)
    monkeypatch.setattr(module, "_CUT", 500)


@pytest.mark.usefixtures("small_units")
def test_units_depend_on_the_content_alone(tmp_path: Path) -> None:
    """Not on folders, packing or how often the source is asked. On line ends, since what stands
    behind them stands further on in the file."""
    plain, packed = tmp_path / "plain", tmp_path / "packed" / "deeper"
    plain.mkdir()
    packed.mkdir(parents=True)
    for number in range(9):
        content = f"Document {number}. ".encode() * 17 + b"\n\nIts end.\n"
        (plain / f"{number}.txt").write_bytes(content)
        (packed / f"{number}.txt.gz").write_bytes(gzip.compress(content))
    source = TextSource([str(plain)])
    first = list(source.units(()))
    assert len(first) == 9
    assert digests(list(source.units(()))) == digests(first)
    assert digests(units(packed)) == digests(first)
    (plain / "4.txt").write_bytes((plain / "4.txt").read_bytes().replace(b"\n", b"\r\n"))
    changed = [a != b for a, b in zip(digests(units(plain)), digests(first), strict=True)]
    assert changed == [number == 4 for number in range(9)]


def test_small_documents_share_a_unit(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"{number}.txt").write_text(LONG)
    (unit,) = units(tmp_path)
    assert len(unit.payload) == 50


@pytest.mark.usefixtures("small_units")
def test_a_document_cut_into_pieces_keeps_its_paragraphs_numbers(book: Path) -> None:
    book.write_text("\n".join(f"{number} {LONG}" for number in range(10)))
    found = articles(book)
    # Three paragraphs of 211 characters reach the 500 at which a document is cut.
    assert [len(article.paragraphs) for article in found] == [3, 3, 3, 1]
    assert [p.index for article in found for p in article.paragraphs] == list(range(10))
    assert [p.text.split()[0] for a in found for p in a.paragraphs] == [str(n) for n in range(10)]
    assert {(article.key, article.title) for article in found} == {("text-1", "book")}


def test_what_came_before_an_error_is_still_given(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 161 + "\n" + "word " * 250_000)
    (tmp_path / "b.txt").write_bytes(b"\xff")
    source = TextSource([str(tmp_path)]).units(())
    assert next(source).index == 0
    with pytest.raises(DataError, match=r"b\.txt:1: the line is not UTF-8"):
        next(source)


def pieces(path: Path, kind: TextKind) -> list[tuple[str, list[str]]]:
    return [
        (piece.title, [" ".join(raw.text.split()) for raw in piece.paragraphs])
        for unit in TextSource([str(path)], kind).units(())
        for piece in unit.payload
    ]


@pytest.mark.parametrize("field", ["body", "fullbody"])
def test_comments_are_json_lines_whatever_the_name(tmp_path: Path, field: str) -> None:
    path = tmp_path / "RC_2012-03"
    first = {field: "Ann met **Bo**.\n\n> quoted\n\nShe left.", "id": "c1"}
    path.write_text(lines(first, {field: "[deleted]", "id": "c2"}, {field: "Bo slept."}), "utf-8")
    assert pieces(path, TextKind.COMMENTS) == [
        ("c1", ["Ann met Bo.", "She left."]),
        ("RC_2012-03:3", ["Bo slept."]),
    ]
    path.write_text(lines({field: "Ann."}, {"text": "Bo."}), "utf-8")
    with pytest.raises(
        DataError, match=r'RC_2012-03:2: the line is not a JSON object with a string "body"'
    ):
        pieces(path, TextKind.COMMENTS)


@pytest.mark.parametrize(
    ("body", "prose"),
    [
        # Quotations, code, tables and lists are no prose.
        (
            "&gt; Ann met Bo\n\nShe left\nhim.\n\n    code\n\n* an item\n1. another",
            ["She left him."],
        ),
        ("|a|b|\n# Head\n\nEnd.", ["End."]),
        # Markup is taken off.
        ("**Ann** _met_ *Bo* ~~not~~ `x`", ["Ann met Bo not x"]),
        ("[Ann](https://a.example/b) met u/bo at https://c.example", ["Ann met at"]),
        (r"Ann \_met\_ Bo \*", ["Ann _met_ Bo *"]),
        ("snake_case &amp; Bo &lt;3", ["snake_case & Bo <3"]),
    ],
)
def test_the_prose_of_a_comment(body: str, prose: list[str]) -> None:
    assert list(comment_prose(body)) == prose


# Blanks of all sorts, line ends that only Python knows, and a byte that one character takes two of.
TEXTS = st.lists(
    st.sampled_from(
        ["Ann", "é", "-", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\x85", LONG]
    )
).map("".join)


@given(content=TEXTS, mark=st.booleans(), kind=st.sampled_from([TextKind.TEXT, TextKind.LINES]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_file_at_a_paragraphs_offsets_is_the_paragraph_but_for_blanks(
    book: Path, content: str, mark: bool, kind: TextKind
) -> None:
    book.write_bytes(content.encode("utf-8-sig" if mark else "utf-8"))
    with book.open(encoding="utf-8-sig", newline="") as file:
        there = file.read()
    source = TextSource([str(book)], kind)
    payloads = iter([unit.payload for unit in source.units(())])
    for article in read_text(payloads, Context(0, 0)):
        for paragraph in article.paragraphs:
            # The whole of it, and what stands between any two words.
            borders = [match.span() for match in re.finditer(r"\S+", paragraph.text)]
            for start, end in [(0, len(paragraph.text)), *pairwise_words(borders)]:
                left, right = paragraph.place(start, end)
                assert " ".join(there[left:right].split()) == paragraph.text[start:end]
                assert there[left:right] == there[left:right].strip()


def pairwise_words(words: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """From each word to the next but one, and within the word."""
    for number, (start, end) in enumerate(words):
        yield start, words[min(number + 2, len(words) - 1)][1]
        yield end - 1, end


def test_of_json_lines_and_comments_offsets_count_in_the_documents_text(news: Path) -> None:
    text = "One\nline.\r\n\r\nAn  end."
    news.write_text(lines({"text": "x"}, {"text": text}))
    places = [(p.text, p.place(0, len(p.text))) for p in articles(news)[1].paragraphs]
    assert places == [("One line.", (0, 9)), ("An end.", (13, 21))]
    news.write_text(lines({"body": "One **line**.\n\n> no\n\nAn  end."}))
    (unit,) = TextSource([str(news)], TextKind.COMMENTS).units(())
    (article,) = read_text(iter([unit.payload]), Context(0, 0))
    places = [(p.text, p.place(0, len(p.text))) for p in article.paragraphs]
    assert places == [("One line.", (0, 9)), ("An end.", (10, 17))]


ITALIAN = "Quel ramo del lago di Como, che volge a mezzogiorno, tra due catene non interrotte. "


@pytest.mark.parametrize(
    ("text", "lang", "other"),
    [
        (ITALIAN * 9, "en", "it"),
        (ITALIAN * 9, "it", None),
        ("Quel ramo.", "en", None),
        ("", "en", None),
    ],
)
def test_the_language_of_the_text_is_compared(
    tmp_path: Path, text: str, lang: str, other: str | None
) -> None:
    pytest.importorskip("py3langid")
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    source = TextSource([str(path)])
    assert source.other_language(lang) == other
    assert source.progress().done == 0
