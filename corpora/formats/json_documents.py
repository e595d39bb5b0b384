"""JSON Lines of documents, as the field's neural systems read them: one table of field names.

| format | name | words | sentences | speakers | a cluster's mentions |
|---|---|---|---|---|---|
| wl-coref | document_id, part_id | cased_words | sent_id | speaker, a word each | [start, end) |
| s2e | doc_key | sentences | their own lists | speakers, always | [first, last] |
| maverick | doc_key | sentences | their own lists | speakers, if any | [first, last] |
| fastcoref | doc_key | tokens | sentence_ends | speakers, if any | [first, last] |

1. A line is one JSON object, UTF-8, and no line is empty. A key that the format does not know
   (`constituents`, `ner`) is kept under `other` in the format's part of `meta`, and written before
   `clusters`.
2. Mentions count the words of the whole document from 0, and each lies within one sentence.
3. A `doc_key` ends in `_` and the part, `nw/mill_0` say; one without is the name of a part 0.
   wl-coref's `part_id` is a number. It takes the first two letters of `document_id` for the genre.
4. A sentence's speaker is that of all its words; `-` is no speaker. Where words of one sentence
   have several, `meta` keeps them under `speakers`, by the sentence's number. fastcoref makes the
   lists in `speakers` flat.
5. `sent_id` counts the sentences from 0 at each word. `sentence_ends`, which fastcoref itself
   passes over, may be missing: then all is one sentence.
6. wl-coref has `pos` (`xpos`), `deprel` and `head` of each word, null where there is none. `head`
   counts the document's words, null is a root. `deprel` null is a word without a parse (which
   wl-coref does not write), an empty one a word without a label.
7. Files of SpanBERT's and fast-coref's preparation hold word pieces and are refused.
8. Writers refuse zero and discontinuous mentions, clusters without a mention, and a span that is
   named twice. OntoNotes' `/.` and `/?` are written as `.` and `?`. Not written are
   tokens' other values, `lang`, and other `meta`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from corefmill.corpora.files.jsonl import first_fault
from corefmill.corpora.formats.bad_mentions import OVER, drop, is_lenient
from corefmill.corpora.formats.form import Format, line_format, write_documents
from corefmill.corpora.records import Document, Mention, Sentence, Token

NOBODY = "-"
PUNCTUATION = {"/.": ".", "/?": "?"}
"""Marks of OntoNotes that these systems read without the slash, as their preparation makes them."""

_PART = re.compile(r"(.*)_(0|[1-9]\d{0,8})", re.DOTALL)
_PIECES = ("subtoken_map", "sentence_map")
_PARSE = ("pos", "deprel", "head")


class Line(BaseModel):
    """A line's object; each format adds its keys."""

    model_config = ConfigDict(extra="allow", strict=True)

    @property
    def other(self) -> dict[str, Any]:
        """Return the keys unknown to the format."""
        return dict(self.model_extra or {})


L = TypeVar("L", bound=Line)


@dataclass(frozen=True, slots=True)
class _Fields:
    """The field names of one format, "" for those it lacks.

    `sentences` cuts a flat list of words. `spoken` says that speakers are always there, `inclusive`
    that a mention is its first and last word. A file is of the format whose first line has all
    names of `has` and none of `lacks`.
    """

    name: str
    summary: str
    key: str
    words: str
    speakers: str
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    sentences: str = ""
    part: str = ""
    parse: bool = False
    spoken: bool = False
    inclusive: bool = True


_Clusters = list[list[tuple[int, int]]]
_TYPES: dict[str, tuple[Any, Any]] = {
    "document_id": (str, ...),
    "doc_key": (str, ...),
    "part_id": (int, ...),
    "cased_words": (list[str], ...),
    "sentences": (list[list[str]], ...),
    "tokens": (list[str], ...),
    "sent_id": (list[int], ...),
    "sentence_ends": (list[int] | None, None),
    "speaker": (list[str], ...),
    "speakers": (list[list[str]] | None, None),
    "pos": (list[str | None], ...),
    "deprel": (list[str | None], ...),
    "head": (list[int | None], ...),
    "clusters": (_Clusters, []),
}
"""The type and the default of each field; `...` is a field that must be there."""


def _make_format(fields: _Fields) -> Format:
    """Make a format of JSON Lines from its field names."""
    names = [fields.key, fields.words, fields.sentences, fields.part, fields.speakers, "clusters"]
    types = {name: _TYPES[name] for name in names if name}
    if fields.parse:
        types |= {name: _TYPES[name] for name in _PARSE} | {"clusters": (_Clusters, ...)}
    if fields.spoken:
        types[fields.speakers] = (list[list[str]], ...)
    # mypy knows no model whose fields come from a table
    kind: Any = create_model(fields.name, __base__=Line, **types)  # type: ignore[call-overload]

    def parse(line: str, lang: str) -> Document:
        return _make_document(parse_object(line, kind), fields, lang)

    def write(path: Path, documents: Iterable[Document]) -> int:
        def text(document: Document) -> str:
            made = _make_object(document, fields)
            return json.dumps(made, ensure_ascii=False, allow_nan=False) + "\n"

        return write_documents(path, documents, text, f"the form {fields.name}")

    def suits(name: str, head: str) -> bool:
        line = head.lstrip("\ufeff").partition("\n")[0]
        there = {one for one in (*fields.has, *fields.lacks) if re.search(rf'"{one}"\s*:', line)}
        return line.startswith("{") and there == set(fields.has)

    summary, schema = f"JSON Lines {fields.summary}", "document/1"
    return line_format(fields.name, summary, ".jsonlines", parse, write, suits, schema=schema)


def parse_object(text: str | bytes, kind: type[L]) -> L:
    """Parse the object of a line; raise `ValueError` with the fault and its field."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None


def _make_document(line: Line, fields: _Fields, lang: str) -> Document:
    """Make the document of a line. Raises `ValueError` where the line breaks a rule."""
    values = vars(line)
    for name in _PIECES:
        if name in line.other:
            raise ValueError(f"{name} stands for pieces of words, where whole words are needed")

    # The columns with a value a word. Flat ones are cut into lists of a sentence each.
    words, speakers = values[fields.words], values[fields.speakers]
    if fields.sentences == "sentence_ends" and speakers is not None:
        speakers = list(chain.from_iterable(speakers))
    columns = {fields.words: words} | ({} if speakers is None else {fields.speakers: speakers})
    if fields.parse:
        columns |= {name: values[name] for name in _PARSE}
    if fields.sentences:
        size, cut = len(words), values[fields.sentences]
        counted = columns | ({"sent_id": cut} if fields.sentences == "sent_id" else {})
        for name, column in counted.items():
            if len(column) != size:
                raise ValueError(f"{len(column)} values of {name} for {size} words")
        borders = list(pairwise(_find_borders(fields.sentences, cut, size)))
        columns = {
            name: [column[start:end] for start, end in borders] for name, column in columns.items()
        }
    words, speakers = columns[fields.words], columns.get(fields.speakers)

    # The tokens, whose heads count the document's words.
    lengths = list(map(len, words))
    tokens = [[Token(form) for form in sentence] for sentence in words]
    if fields.parse:
        starts = accumulate(lengths, initial=0)
        rows = zip(starts, words, *(columns[name] for name in _PARSE), strict=False)
        tokens = [_parsed_tokens(*row) for row in rows]

    meta: dict[str, Any] = {}
    if fields.part:
        doc_id, part = values[fields.key], values[fields.part]
    else:
        doc_id, part = _split_key(values[fields.key], meta)
    sentences = _make_sentences(tokens, speakers, meta)
    if line.other:
        meta["other"] = line.other
    behind = int(fields.inclusive)
    mentions = (((start, end + behind) for start, end in one) for one in values["clusters"])
    return Document(
        doc_id,
        part,
        lang,
        sentences,
        make_clusters(mentions, lengths, f"document {doc_id}, part {part}"),
        {fields.name: meta} if meta else {},
    )


def _find_borders(name: str, cut: list[int] | None, size: int) -> list[int]:
    """Find the beginnings of the sentences, and the end of the last one."""
    if name == "sent_id":
        assert cut is not None
        starts = [at for at, number in enumerate(cut) if not at or number != cut[at - 1]]
        if [cut[start] for start in starts] != list(range(len(starts))):
            raise ValueError("sent_id does not count the sentences from 0")
        return [*starts, size]
    ends = ([size] if size else []) if cut is None else cut
    if sorted({0, *ends}) != [0, *ends] or [0, *ends][-1] != size:
        raise ValueError("sentence_ends do not cut the tokens into sentences")
    return [0, *ends]


def _parsed_tokens(
    start: int,
    words: list[str],
    tags: list[str | None],
    deprels: list[str | None],
    heads: list[int | None],
) -> list[Token]:
    """Make the tokens of a sentence whose first word is the document's word `start` (rule 6)."""
    tokens = []
    for place, row in enumerate(zip(words, tags, deprels, heads, strict=True), start):
        word, tag, deprel, head = row
        if head is not None and not start <= head < start + len(words):
            raise ValueError(f"head {head} of word {place} is outside its sentence")
        if head is None and deprel is not None:
            head = start - 1  # the root
        own = None if head is None else head - start + 1
        tokens.append(Token(word, xpos=tag, head=own, deprel=deprel or None))
    return tokens


def _split_key(key: str, meta: dict[str, Any]) -> tuple[str, int]:
    """Split a key into name and part; `meta` keeps a key without a part."""
    match = _PART.fullmatch(key)
    if match is None:
        meta["key"] = key
        return key, 0
    return match[1], int(match[2])


def _make_sentences(
    words: Sequence[Sequence[Token]], speakers: Sequence[Sequence[str]] | None, meta: dict[str, Any]
) -> tuple[Sentence, ...]:
    """Make the sentences; speakers changing within a sentence go to `meta` (rule 4)."""
    if speakers is None:
        return tuple(Sentence(tuple(tokens)) for tokens in words)
    if list(map(len, speakers)) != list(map(len, words)):
        raise ValueError("there are not as many speakers as words in each sentence")
    found = []
    for number, (tokens, said) in enumerate(zip(words, speakers, strict=True)):
        same = set(said) <= {said[0]} if said else True
        if not same:
            meta.setdefault("speakers", {})[str(number)] = list(said)
        speaker = said[0] if said and same and said[0] != NOBODY else None
        found.append(Sentence(tuple(tokens), speaker))
    return tuple(found)


def make_clusters(
    spans: Iterable[Iterable[tuple[int, int]]], lengths: Sequence[int], name: str = ""
) -> tuple[tuple[Mention, ...], ...]:
    """Make clusters of half-open spans, given the lengths of the sentences.

    A mention over the end of a sentence of the document `name` is a bad one, see bad_mentions.py.
    """
    starts = [0, *accumulate(lengths)]
    total = starts[-1]

    def make_mention(start: int, end: int) -> Mention | None:
        if not 0 <= start < end <= total:
            raise ValueError(f"mention [{start}, {end}) is empty or outside the {total} words")
        number = bisect_right(starts, start) - 1
        if end > starts[number + 1]:
            error = ValueError(f"mention [{start}, {end}) reaches over the end of a sentence")
            drop(OVER, error, name)
            return None
        return Mention(number, start - starts[number], end - starts[number])

    made = (tuple(filter(None, (make_mention(*span) for span in cluster))) for cluster in spans)
    # Of a cluster whose mentions were all left out nothing stays.
    return tuple(filter(None, made)) if is_lenient() else tuple(made)


def list_spans(document: Document) -> list[list[tuple[int, int]]]:
    """List the clusters as half-open spans of words. Raises `ValueError` by rule 8."""
    starts = [0, *accumulate(len(sentence.tokens) for sentence in document.sentences)]
    found = []
    named: set[tuple[int, int]] = set()
    for cluster in document.clusters:
        if not cluster:
            raise ValueError("a cluster has no mention")
        row = []
        for mention in cluster:
            if mention.zero or mention.parts:
                raise ValueError("a mention is zero or discontinuous")
            first = starts[mention.sentence]
            span = (first + mention.start, first + mention.end)
            if span in named:
                raise ValueError(f"mention [{span[0]}, {span[1]}) is named twice")
            named.add(span)
            row.append(span)
        found.append(row)
    return found


def _make_object(document: Document, fields: _Fields) -> dict[str, Any]:
    """Make the object of a document's line, with its keys in order."""
    meta: dict[str, Any] = document.meta.get(fields.name, {})
    lengths = [len(sentence.tokens) for sentence in document.sentences]
    # A sentence without words could not be told from none by where the others begin or end.
    if fields.sentences and not all(lengths):
        raise ValueError("a sentence has no words")
    words = [
        [PUNCTUATION.get(token.form, token.form) for token in sentence.tokens]
        for sentence in document.sentences
    ]
    speakers = _list_speakers(document, meta)
    # Keys come in the order in which the format's own tools write them.
    made: dict[str, Any] = {
        fields.key: document.doc_id if fields.part else _make_key(document, meta),
        fields.words: list(chain.from_iterable(words)) if fields.sentences else words,
    }
    if fields.sentences == "sent_id":
        made["sent_id"] = [number for number, size in enumerate(lengths) for _ in range(size)]
    elif fields.sentences:
        made[fields.sentences] = list(accumulate(lengths))
    if fields.part:
        made[fields.part] = document.part
    if fields.parse:
        made[fields.speakers] = list(chain.from_iterable(speakers))
        made |= _parse_columns(document, lengths)
    elif fields.spoken or any(said != NOBODY for row in speakers for said in row):
        made[fields.speakers] = speakers
    made |= meta.get("other", {})
    behind = int(fields.inclusive)
    clusters = list_spans(document)
    made["clusters"] = [[[start, end - behind] for start, end in one] for one in clusters]
    return made


def _parse_columns(document: Document, lengths: Sequence[int]) -> dict[str, list[Any]]:
    """Make the columns of wl-coref's parse, the heads counted from the document's first word."""
    made: dict[str, list[Any]] = {name: [] for name in _PARSE}
    for start, sentence in zip(accumulate(lengths, initial=0), document.sentences, strict=False):
        for token in sentence.tokens:
            # `deprel` null says that there is no parse, so that a relation needs a head.
            if token.deprel == "" or (token.head is None and token.deprel is not None):
                raise ValueError(f"{token.form!r} has a relation {token.deprel!r} but no head")
            made["pos"].append(token.xpos)
            made["deprel"].append(None if token.head is None else token.deprel or "")
            made["head"].append(start + token.head - 1 if token.head else None)
    return made


def _make_key(document: Document, meta: dict[str, Any]) -> str:
    """Join name and part to a key. Raises `ValueError` for a part that would not be read."""
    key = f"{document.doc_id}_{document.part}"
    if document.part < 0 or _split_key(key, {}) != (document.doc_id, document.part):
        raise ValueError(f"part {document.part} cannot stand in its key")
    kept = meta.get("key")
    return kept if kept == document.doc_id and not document.part else key


def _list_speakers(document: Document, meta: dict[str, Any]) -> list[list[str]]:
    """List the speaker of each word. Raises `ValueError` for a speaker called `-`."""
    found = []
    for number, sentence in enumerate(document.sentences):
        kept = meta.get("speakers", {}).get(str(number))
        if sentence.speaker == NOBODY or (sentence.speaker is not None and not sentence.tokens):
            raise ValueError(f"speaker {sentence.speaker!r} would be read as none")
        if kept is None or sentence.speaker is not None or len(kept) != len(sentence.tokens):
            kept = [NOBODY if sentence.speaker is None else sentence.speaker] * len(sentence.tokens)
        found.append(list(kept))
    return found


WL_COREF = _make_format(
    _Fields(
        "wl-coref",
        "of wl-coref: words with sentence, speaker, head, clusters",
        key="document_id",
        words="cased_words",
        sentences="sent_id",
        part="part_id",
        speakers="speaker",
        parse=True,
        inclusive=False,
        has=("cased_words",),
    )
)
S2E = _make_format(
    _Fields(
        "s2e",
        "of s2e-coref and e2e-coref: sentences, speakers, clusters",
        key="doc_key",
        words="sentences",
        speakers="speakers",
        spoken=True,
        has=("doc_key", "sentences", "speakers"),
    )
)
MAVERICK = _make_format(
    _Fields(
        "maverick",
        "of Maverick: sentences, clusters, speakers if there are any",
        key="doc_key",
        words="sentences",
        speakers="speakers",
        has=("doc_key", "sentences"),
        lacks=("speakers",),
    )
)
FASTCOREF = _make_format(
    _Fields(
        "fastcoref",
        "that fastcoref trains on: tokens and clusters",
        key="doc_key",
        words="tokens",
        sentences="sentence_ends",
        speakers="speakers",
        has=("doc_key", "tokens"),
        lacks=("sentences",),
    )
)
