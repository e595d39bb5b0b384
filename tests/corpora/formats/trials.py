"""What every format is tried with: records of one line, damaged files, the real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import MaskedExample, Source

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"

# Nothing that ends a line or a cell, but all sorts of other letters and signs.
WORDS = (
    "met",
    "👩\u200d🚀",
    "שלום",
    "नमस्ते",
    "Jose\u0301",
    '"quoted',
    "it's",
    "\u2028",
    "\x85",
    "#",
    "&amp;",
)
NAMES = ("Anna", "Zoë", "𝒜da", "Jean-Luc Picard", "O'Neil", "李明", "Ann (II)", "Ann")


@st.composite
def lines_of_text(draw: st.DrawFn, names: tuple[str, ...] = NAMES) -> MaskedExample:
    """Examples on one line with two names, each with a mention, and a pronoun."""
    two = draw(st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True))
    target = draw(st.sampled_from(("he", "She", "his")))
    text, spans = "", {}
    for piece in draw(st.permutations([*two, target])):
        text += "".join(f"{word} " for word in draw(st.lists(st.sampled_from(WORDS), max_size=2)))
        spans[piece] = len(text), len(text) + len(piece)
        text += piece + " "
    text += draw(st.sampled_from(("left.", "won !")))
    return MaskedExample(
        id=draw(st.sampled_from(("7", "test-1", "é 2"))),
        lang="en",
        text=text,
        sentences=((0, len(text)),),
        target=spans[target],
        candidates=tuple(two),
        mentions=((0, *spans[two[0]]), (1, *spans[two[1]])),
        label=draw(st.sampled_from((0, 1, None))),
        source=Source(draw(st.sampled_from(("", "Ann Lee", "100% & Co./Ω?"))), 0),
    )


def read(form: Format, path: Path, content: str | bytes, lang: str = "en") -> list[Any]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [record for _, record in form.read(path, lang)]


def write(form: Format, path: Path, *records: Any) -> str:
    """The text that the writer makes of the records, all of which it counts."""
    assert form.write is not None
    assert form.write(path, records) == len(records)
    return path.read_text("utf-8")


def refused(form: Format, path: Path, content: str | bytes) -> DataError:
    """The error with which the reader refuses the content; it names the file."""
    try:
        read(form, path, content)
    except DataError as error:
        assert error.path == str(path)
        return error
    raise AssertionError("it was read")


def rewritten(form: Format, source: Path, target: Path) -> list[Any]:
    """The records of a real file, once writing them has given its bytes again."""
    records = [record for _, record in form.read(source, "en")]
    assert form.write is not None
    assert form.write(target, records) == len(records)
    assert target.read_bytes() == source.read_bytes()
    assert [record for _, record in form.read(target, "en")] == records
    return records
