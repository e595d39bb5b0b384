"""What every tool that carries chains is tried with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from corefmill.annotate import documents, webanno
from corefmill.annotate.documents import PlainDocument
from corefmill.annotate.questions import AnnotationItem, read_items
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corpora.generated import corefud_documents
from tests.corpora.test_records import EVENT, EXAMPLE

WORDS = ("𝒜da", "put", "it", "out", ".")
SMALL = Document(
    "news/../1",
    0,
    "en",
    (
        Sentence(tuple(Token(word, space_after=word != "out") for word in WORDS)),
        Sentence((Token("She"), Token("left"))),
    ),
    (
        (Mention(0, 0, 1), Mention(1, 0, 1), Mention(1, 1, 1, zero=True)),
        (Mention(0, 1, 4, parts=((1, 2), (3, 4))),),
        (Mention(0, 0, 5), Mention(0, 2, 3)),
    ),
)
TEXT = "𝒜da put it out.\nShe ∅ left"

NASTY = (
    "a\tb",
    "\\",
    "\\t",
    "|",
    "_",
    "->",
    "[1]",
    "*",
    "𝒜",
    "\x1f",
    "\x85",
    "\u2028",
    "<b>&",
    '"',
)


@st.composite
def nasty(draw: st.DrawFn, more: tuple[str, ...] = ()) -> Document:
    """Documents with zero and split mentions, some of whose tokens no format likes."""
    found = draw(corefud_documents())
    sentences = []
    for sentence in found.sentences:
        tokens = tuple(
            replace(token, form=draw(st.sampled_from((*NASTY, *more))))
            if "\0" in token.form or draw(st.booleans())
            else token
            for token in sentence.tokens
        )
        sentences.append(replace(sentence, tokens=tokens))
    return replace(found, sentences=tuple(sentences))


def sent(document: Document, folder: Path) -> PlainDocument:
    """The document as it was written for INCEpTION into the folder."""
    plain = documents.make_plain(1, "all", document)
    webanno.write_chains(folder, [plain], overwrite=True)
    return plain


def back(plain: PlainDocument, path: Path) -> Document:
    """The document with the chains of a file."""
    read = webanno.read_chains(path)
    assert read is not None and read.number == plain.number
    return documents.apply_chains(plain, read, path)


HOSTILE = replace(EVENT, id="</script><b>'\"\n", cluster_title="<img src=x> A flood")
HOSTILE = replace(HOSTILE, text="After <i>the</i> flood & [so].", start=17, end=22)
PRONOUN = replace(
    EXAMPLE,
    id="p",
    text="Anna met Bob. She left.",
    sentences=((0, 13), (14, 23)),
    target=(14, 17),
    mentions=(),
)


def events(folder: Path) -> tuple[Path, list[AnnotationItem]]:
    path = folder / "events.jsonl"
    jsonl.write(path, [EVENT, HOSTILE])
    return path, list(read_items(path))


def problems(folder: Path) -> tuple[Path, list[AnnotationItem]]:
    path = folder / "problems.jsonl"
    jsonl.write(path, [EXAMPLE, PRONOUN])
    return path, list(read_items(path))
