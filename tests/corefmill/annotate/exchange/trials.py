"""What every tool that carries chains is tried with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from corefmill.annotate.exchange import chains, label_studio, webanno
from corefmill.annotate.exchange.chains import PlainDocument
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corpora.generated_documents import corefud_documents

TOOLS = {"label-studio": label_studio, "inception": webanno}
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


def sent(tool: str, document: Document, folder: Path, number: int = 1) -> PlainDocument:
    """The document as it was written for the tool into the folder."""
    plain = chains.plain(number, "all", document)
    folder.mkdir(exist_ok=True)
    TOOLS[tool].write_chains(folder, [plain])
    names = TOOLS[tool].chain_names([plain])
    assert sorted(names) == sorted(path.name for path in folder.iterdir())
    return plain


def back(tool: str, plain: PlainDocument, path: Path) -> Document:
    """The document with the chains that the tool's file has."""
    (read,) = TOOLS[tool].read_chains(path)
    assert read.number == plain.number
    return chains.judged(plain, read, path)
