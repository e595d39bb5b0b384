"""Plain text with mentions on its words, as CRAC's track for language models has it.

1. A line is a document, its words between single blanks. After a word and `|` stand its brackets,
   with commas between: `Los|[e1 jugadores|e1] ganan|[e2]`. `[e1` opens a mention of the entity e1,
   `e1]` closes the one that was opened last, `[e1]` is of one word.
2. `##`, with or without a form behind it, is an empty node. Mentions of such nodes alone are zero
   mentions; where a mention begins or ends at one, its words count. Those that are of no mention
   are passed over, since a record has no place for them.
3. What stands behind `|` and is not all brackets is part of the word: `a|b`.
4. The form has no names and no sentences: a document is named after the file, with its line's
   number, and is one sentence. To put mentions into the sentences of the documents that a language
   model was given, see realign.py.
5. The writer names entities e1, e2 ... in each document. A blank in a word becomes `_`, and of a
   discontinuous mention it writes the part with the head, as the form's own converter does. It
   refuses a span that is named twice, mentions of one entity that cross, and words that would be
   read otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from corefmill.corpora import disk, lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import brackets
from corefmill.corpora.formats.form import Format, Located, write_documents
from corefmill.corpora.records import Document, Mention, Sentence, Span, Token

ZERO = "##"
TAG = re.compile(r"\[[^][()|,\s]+\]?|[^][()|,\s]+\]")


def read(path: Path, lang: str) -> Located:
    """Streams the documents with their lines; raises `DataError` for brackets that do not match."""
    for number, line in lines.read(path):
        nodes = [cut(word) for word in line.split()]
        if not any(not word.startswith(ZERO) for word, _ in nodes):
            raise DataError("a line without words", path=path, line=number)
        cells = ["|".join(map(_bracket, tags)) or "-" for _, tags in nodes]
        try:
            named = brackets.parse(cells)
        except brackets.BracketError as error:
            word = nodes[error.start][0]
            raise DataError(
                f"word {error.start + 1}, {word[:40]!r}: {error.problem}",
                path=path,
                line=number,
                remedy="of a language model's answer, --like KEY mends what can be mended",
            ) from None
        yield number, _document(f"{disk.shown(path.stem)}-{number}", lang, nodes, named)


def cut(word: str) -> tuple[str, list[str]]:
    """A word and its brackets, by rules 1 and 3."""
    form, bar, behind = word.rpartition("|")
    tags = behind.split(",") if bar else []
    return (form, tags) if form and tags and all(map(TAG.fullmatch, tags)) else (word, [])


def _bracket(tag: str) -> str:
    return tag.replace("[", "(").replace("]", ")")


def _document(
    name: str, lang: str, nodes: Sequence[tuple[str, list[str]]], named: Sequence[brackets.Named]
) -> Document:
    words = [word for word, _ in nodes if not word.startswith(ZERO)]
    before = [0, *accumulate(not word.startswith(ZERO) for word, _ in nodes)]
    clusters: dict[str, list[Mention]] = {}
    for entity, start, end in named:
        first, last = before[start], before[end]
        clusters.setdefault(entity, []).append(Mention(0, first, last, zero=first == last))
    sentence = Sentence(tuple(Token(word) for word in words))
    return Document(name, 0, lang, (sentence,), tuple(map(tuple, clusters.values())))


def write(path: Path, documents: Iterable[Document]) -> int:
    """Writes a line a document and returns their number; raises `DataError` by rule 5."""
    return write_documents(path, documents, _line, "text2text")


def _line(document: Document) -> str:
    words: list[str] = []
    cells: list[str] = []
    for number in range(len(document.sentences)):
        forms, named = _nodes(document, number)
        words += forms
        cells += brackets.make(named, len(forms))
    if not words:
        raise ValueError("it has no words")
    return " ".join(map(_word, words, cells)) + "\n"


def _nodes(document: Document, number: int) -> tuple[list[str], list[brackets.Named]]:
    """The words and empty nodes of a sentence, and its mentions by these."""
    tokens = document.sentences[number].tokens
    here = [
        (f"e{entity}", mention)
        for entity, cluster in enumerate(document.clusters, 1)
        for mention in cluster
        if mention.sentence == number
    ]
    zeros = [0] * (len(tokens) + 1)  # before each word, and after the last
    for _, mention in here:
        zeros[mention.start] += mention.zero
    forms: list[str] = []
    places: list[int] = []  # of each word among the nodes
    for token, count in zip((*tokens, None), zeros, strict=True):
        forms += [ZERO] * count
        places.append(len(forms))
        if token is not None:
            forms.append(_form(token))
    named: list[brackets.Named] = []
    for entity, mention in here:
        if mention.zero:
            node = places[mention.start] - zeros[mention.start]
            zeros[mention.start] -= 1
            named.append((entity, node, node + 1))
        else:
            start, end = _with_head(mention, tokens)
            named.append((entity, places[start], places[end - 1] + 1))
    return forms, named


def _with_head(mention: Mention, tokens: Sequence[Token]) -> Span:
    """The part of a mention in which the first word stands whose head lies outside of it."""
    parts = mention.parts or ((mention.start, mention.end),)
    words = {word for start, end in parts for word in range(start, end)}
    for start, end in parts:
        for word in range(start, end):
            head = tokens[word].head
            if head is not None and head - 1 not in words:
                return start, end
    return parts[0]


def _form(token: Token) -> str:
    form = re.sub(r"\s", "_", token.form)
    if not form or "\0" in form or form.startswith(ZERO) or cut(form)[1]:
        raise ValueError(f"the word {form[:40]!r} would be read otherwise")
    return form


def _word(form: str, cell: str) -> str:
    return form if cell == "-" else f"{form}|{cell.translate({40: '[', 41: ']', 124: ','})}"


def _suits(name: str, head: str) -> bool:
    line = head.lstrip("\ufeff").partition("\n")[0]
    return (
        re.search(r"(?<=[^\s|])\|\[[^][()|,\s]+\]?(?:,|\s|$)", line) is not None
        and "\t" not in line
    )


FORMAT = Format(
    name="text2text",
    schema="document/1",
    summary="a line a document, Ada|[e1] wrote: for language models (CRAC's LLM track)",
    suffix=".t2t.txt",
    read=read,
    write=write,
    suits=_suits,
    by_line=True,
)
