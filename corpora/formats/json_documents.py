"""JSON of documents, as the field's neural systems read and write it: one table of field names.

| format | name | words | sentences | speakers | a cluster's mentions |
|---|---|---|---|---|---|
| wl-coref | document_id, part_id | cased_words | sent_id | speaker, a word each | [start, end) |
| s2e | doc_key | sentences | their own lists | speakers, always | [first, last] |
| maverick | doc_key | sentences | their own lists | speakers, if any | [first, last] |
| fastcoref | doc_key | tokens | sentence_ends | speakers, if any | [first, last] |
| fastcoref, printed | doc_key | text | none | none | [start, end) of characters, or strings |

1. A line is one JSON object, UTF-8, and no line is empty. Arrays and Parquet are read, too. A key
   that is not read (`constituents`, `ner`, `word_clusters`) is kept under `other` in the format's
   part of `meta`, and written before `clusters`.
   Any format's names are read in any file, and all but the words may be missing. A name that is
   missing is made of file and number (`train-7`).
2. Mentions count the words of the whole document from 0, and each lies within one sentence.
   `predicted_clusters` (e2e-coref), `span_clusters` (wl-coref) and `clusters_token_offsets`
   (Maverick) are what a tool found: they go before `clusters`, the gold ones in such a file.
   PreCo's `mention_clusters` have [sentence, start, end).
3. A `doc_key` ends in `_` and the part, `nw/mill_0` say; one without is the name of a part 0.
   wl-coref's `part_id` is a number. It takes the first two letters of `document_id` for the genre.
4. A sentence's speaker is that of all its words; `-` is no speaker, nor is `_` where wl-coref has
   put it at all words. Where words of one sentence have several, `meta` keeps them under
   `speakers`, by the sentence's number. fastcoref makes the lists in `speakers` flat.
5. `sent_id` counts the sentences at each word (written from 0). Without it, or without
   `sentence_ends`, which fastcoref itself passes over, a sentence ends where the speaker changes.
6. wl-coref has `pos` (`xpos`), `deprel` and `head` of each word, null where there is none. `head`
   counts the document's words, null is a root. `deprel` null is a word without a parse (which
   wl-coref does not write), an empty one a word without a label.
7. Files of SpanBERT's and fast-coref's preparation hold word pieces and are refused.
8. Writers refuse zero and discontinuous mentions, clusters without a mention, and a span that is
   named twice. OntoNotes' `/.` and `/?` are written as `.` and `?`. Not written are
   tokens' other values, `lang`, and other `meta`.
9. A `text` is cut into words, also at the borders of mentions, which may not lie between two
   letters of a word. Mentions given as strings alone
   (`get_clusters()` of fastcoref) are found where the text has a string as often as the clusters
   have it: `"She"` once in one cluster and twice in the text is an error.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Annotated, Any, TypeVar

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, TypeAdapter, ValidationError

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.jsonl import first_fault
from corefmill.corpora.files.terminal import warn_once
from corefmill.corpora.formats.bad_mentions import OVER, drop, is_lenient
from corefmill.corpora.formats.form import (
    Format,
    Located,
    is_whole,
    stop_at_faults,
    write_documents,
)
from corefmill.corpora.formats.rows import first_keys, make_name, read_json
from corefmill.corpora.records import Document, Mention, Sentence, Span, Token
from corefmill.corpora.words import cut_or_tokens, strip_span

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


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Fields:
    """The field names of one format, "" for those it lacks.

    `sentences` cuts a flat list of words. `spoken` says that speakers are always written,
    `inclusive` that a mention is its first and last word. `has` says by the keys of a file's first
    object (see `first_keys`) whether it is of the format.
    """

    name: str
    summary: str
    key: str
    words: str
    speakers: str
    has: Callable[[dict[str, str]], bool]
    sentences: str = ""
    part: str = ""
    parse: bool = False
    spoken: bool = False
    inclusive: bool = True


_TYPES: dict[str, TypeAdapter[Any]] = {
    **dict.fromkeys(("doc_key", "document_id"), TypeAdapter(StrictStr | StrictInt)),
    **dict.fromkeys(("part_id",), TypeAdapter(StrictInt)),
    "sentences": TypeAdapter(list[list[StrictStr]]),
    "speakers": TypeAdapter(list[list[StrictStr]] | list[StrictStr]),
    **dict.fromkeys(("cased_words", "tokens", "document", "speaker"), TypeAdapter(list[StrictStr])),
    **dict.fromkeys(("sent_id", "sentence_ends"), TypeAdapter(list[StrictInt])),
    **dict.fromkeys(("pos", "deprel"), TypeAdapter(list[StrictStr | None])),
    "head": TypeAdapter(list[StrictInt | None]),
    "text": TypeAdapter(StrictStr),
    "clusters": TypeAdapter(list[list[Annotated[list[StrictInt], Len(2, 2)]]]),
    "clusters_strings": TypeAdapter(list[list[StrictStr]]),
    "mention_clusters": TypeAdapter(list[list[Annotated[list[StrictInt], Len(3, 3)]]]),
}
"""The type of each key that is read; only then it is asked for."""

_WORDS = ("cased_words", "sentences", "tokens", "document")
"""Keys of words (`document` is AllenNLP's), in the order in which they are looked for after the
format's own; then `text`, for fastcoref alone, since many other files have one."""

_CLUSTERS = (
    *("predicted_clusters", "span_clusters", "clusters_token_offsets"),
    *("clusters", "mention_clusters"),
)
"""Keys of clusters, those that a tool found before the gold ones (rule 2)."""

_OBJECT = TypeAdapter(dict[str, Any])


def _make_format(fields: _Fields) -> Format:
    """Make a format from its field names."""

    def read_on(path: Path, lang: str) -> Located:
        """Stream the documents of a file, with an error in the place of each broken line."""
        for count, (number, text) in enumerate(read_json(path), 1):
            found: Any
            try:
                made = parse_object(text, _OBJECT)
                there = [key for key in _CLUSTERS if made.get(key) is not None]
                if len(there) > 1:
                    said = f"the clusters are those of {there[0]}, not of {there[1]}, which are"
                    warn_once(f"{path}: {said} not read even where {there[0]} has none")
                found = _make_document(made, fields, lang, make_name(path, count))
            except ValueError as error:
                found = DataError(str(error), path=path, line=number)
            yield number, found

    def write(path: Path, documents: Iterable[Document]) -> int:
        def text(document: Document) -> str:
            made = _make_object(document, fields)
            return json.dumps(made, ensure_ascii=False, allow_nan=False) + "\n"

        return write_documents(path, documents, text, f"the form {fields.name}")

    def suits(name: str, head: str) -> bool:
        return bool(keys := first_keys(head)) and fields.has(keys)

    summary, schema = f"JSON Lines {fields.summary}", "document/1"
    read = stop_at_faults(read_on)
    return Format(fields.name, schema, summary, ".jsonlines", read, write, suits, read_on)


def parse_object(text: str | bytes, kind: TypeAdapter[T]) -> T:
    """Parse the object of a line; raise `ValueError` with the fault and its field."""
    try:
        return kind.validate_json(text)
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None


def _take(line: dict[str, Any], key: str, kind: str = "") -> Any:
    """Take a value out of a line, None where it is not there. Raises `ValueError` by its type."""
    value = line.pop(key, None)
    try:
        return None if value is None else _TYPES[kind or key].validate_python(value)
    except ValidationError as error:
        fault = first_fault(error)
        raise ValueError(f"{key}{'.' if fault[:1].isdigit() else ': '}{fault}") from None


def _make_document(line: dict[str, Any], fields: _Fields, lang: str, name: str) -> Document:
    """Make the document of a line. Raises `ValueError` where the line breaks a rule.

    What is read is taken out of the line; the rest goes to `meta`.
    """
    for piece in _PIECES:
        if piece in line:
            raise ValueError(f"{piece} stands for pieces of words, where whole words are needed")
    meta: dict[str, Any] = {}
    doc_id, part = _take_name(line, fields, meta) or (name, 0)
    order = (fields.words, *_WORDS, *(("text",) if fields.words == "tokens" else ()))
    source = next((key for key in order if line.get(key) is not None), "")
    if not source:
        raise ValueError(f"no words: one of {', '.join(dict.fromkeys(order))} is needed")
    words = _take(line, source)

    # Mentions as half-open spans of words. Those in characters say where words end.
    text, offsets = None, None
    found = next((key for key in _CLUSTERS if line.get(key) is not None), "clusters")
    if source == "text":
        text, spans = words, _take_characters(words, line, f"document {doc_id}, part {part}")
        offsets = cut_or_tokens(text, [border for one in spans for span in one for border in span])
        words = [text[start:end] for start, end in offsets]
        starts = {start: at for at, (start, _) in enumerate(offsets)}
        ends = {end: at for at, (_, end) in enumerate(offsets, 1)}
        clusters = [[(starts[start], ends[end]) for start, end in one] for one in spans]
    else:
        behind = int(source != "cased_words")
        if found == "mention_clusters":
            read = _count_words(_take(line, found) or [], words)
        else:
            read = _take(line, found, "clusters") or []
        clusters = [[(start, end + behind) for start, end in one] for one in read]

    columns = _take_columns(line, source, words)
    words = columns[source]
    lengths = list(map(len, words))
    speakers = columns.get("speakers", columns.get("speaker"))
    if "speaker" in columns and set(chain(*columns["speaker"])) == {"_"}:
        speakers = None

    tokens = [[Token(form) for form in sentence] for sentence in words]
    if not columns.keys().isdisjoint(_PARSE):
        # Of the columns that are missing nothing is known, but a head with no name is one.
        none = [[None] * length for length in lengths]
        unnamed = [[""] * length for length in lengths] if "head" in columns else none
        columns = {"pos": none, "deprel": unnamed, "head": none} | columns
        beginnings = accumulate(lengths, initial=0)  # heads count the document's words
        rows = zip(beginnings, words, *(columns[key] for key in _PARSE), strict=False)
        tokens = [_parsed_tokens(*row) for row in rows]
    sentences = _make_sentences(tokens, speakers, meta)
    if line:
        meta["other"] = line
    return Document(
        doc_id,
        part,
        lang,
        sentences,
        make_clusters(clusters, lengths, f"document {doc_id}, part {part}"),
        {fields.name: meta} if meta else {},
        text,
        None if offsets is None else (tuple(offsets),),
    )


def _take_columns(line: dict[str, Any], source: str, words: list[Any]) -> dict[str, list[Any]]:
    """Take the columns with a value a word out of a line, cut into a list for each sentence."""
    columns = {source: words}
    if source == "cased_words":
        taken = {key: _take(line, key) for key in ("speaker", *_PARSE)}
        columns |= {key: column for key, column in taken.items() if column is not None}
    elif source != "text" and (speakers := _take(line, "speakers")):
        flat = source != "sentences" and isinstance(speakers[0], list)
        columns["speakers"] = list(chain(*speakers)) if flat else speakers
    if source == "sentences":
        if isinstance(columns.get("speakers", [[]])[0], str):  # flat, too
            speakers, size = iter(columns["speakers"]), sum(map(len, words))
            if len(columns["speakers"]) != size:
                raise ValueError(f"{len(columns['speakers'])} values of speakers for {size} words")
            columns["speakers"] = [[next(speakers) for _ in sentence] for sentence in words]
        return columns
    size, numbered = len(words), source == "cased_words" and line.get("sent_id") is not None
    cut = "sent_id" if numbered else "sentence_ends"
    cuts = None if source == "text" else _take(line, cut)
    for key, column in (columns | {cut: cuts or []} if numbered else columns).items():
        if len(column) != size:
            raise ValueError(f"{len(column)} values of {key} for {size} words")
    found = set(_find_borders(cut, cuts, size))
    if cuts is None and "speakers" in columns:
        turns = enumerate(pairwise(columns["speakers"]), 1)
        found.update(at for at, (before, after) in turns if before != after)
    borders = list(pairwise(sorted(found)))
    return {key: [column[start:end] for start, end in borders] for key, column in columns.items()}


def _count_words(clusters: list[list[list[int]]], sentences: list[Any]) -> list[list[list[int]]]:
    """Count PreCo's mentions over all words, as first and last word."""
    starts = list(accumulate(map(len, sentences), initial=0))
    if not all(0 <= one[0] < len(sentences) for one in chain(*clusters)):
        raise ValueError("mention_clusters name a sentence that is not there")
    return [[[starts[at] + a, starts[at] + b - 1] for at, a, b in one] for one in clusters]


def _take_name(
    line: dict[str, Any], fields: _Fields, meta: dict[str, Any]
) -> tuple[str, int] | None:
    """Take name and part of a document out of its line (rule 3); `meta` keeps what they lack."""
    for key in (fields.key, "doc_key", "document_id"):
        if (name := _take(line, key)) is not None:
            if key == "doc_key":
                return _split_key(str(name), meta)
            return str(name), _take(line, "part_id") or 0
    return None


def _take_characters(text: str, line: dict[str, Any], name: str) -> list[list[Span]]:
    """Take the mentions of a text out of its line, as spans of characters (rule 9).

    Raises `ValueError` where they read otherwise than fastcoref has printed beside. A mention that
    cuts a word of the document `name` is a bad one.
    """

    clusters, strings = line.get("clusters"), _take(line, "clusters_strings")
    if isinstance(clusters, list) and any(
        isinstance(mention, str) for one in clusters if isinstance(one, list) for mention in one
    ):
        return _find_strings(text, _take(line, "clusters", "clusters_strings"))
    spans = [[(start, end) for start, end in one] for one in _take(line, "clusters") or []]
    for start, end in chain.from_iterable(spans):
        if not 0 <= start < end <= len(text) or not text[start:end].strip():
            raise ValueError(f"mention [{start}, {end}) is empty or beyond {len(text)} characters")
    if strings not in (None, [[text[start:end] for start, end in one] for one in spans]):
        raise ValueError("the offsets in clusters do not give the words in clusters_strings")
    stripped = [[strip_span(text, *span) for span in one] for one in spans]
    return [[span for span in one if is_whole(text, span, name)] for one in stripped]


def _find_strings(text: str, clusters: list[list[str]]) -> list[list[Span]]:
    """Find the mentions that are given as strings alone (rule 9)."""
    counts = Counter(chain.from_iterable(clusters))
    found = []
    for cluster in clusters:
        places = {}
        for string in dict.fromkeys(cluster):
            pattern = rf"(?<!\w){re.escape(string)}(?!\w)"
            every = [match.span() for match in re.finditer(pattern, text)] if string.strip() else []
            if not len(every) == cluster.count(string) == counts[string]:
                raise ValueError(
                    f"{string[:40]!r} stands {len(every)} times in the text, {counts[string]} times"
                    " in the clusters; give offsets instead (get_clusters(as_strings=False))"
                )
            places[string] = iter(every)
        found.append([strip_span(text, *next(places[string])) for string in cluster])
    return found


def _find_borders(name: str, cut: list[int] | None, size: int) -> list[int]:
    """Find the beginnings of the sentences, and the end of the last one."""
    if name == "sent_id":
        assert cut is not None
        starts = [at for at, number in enumerate(cut) if not at or number != cut[at - 1]]
        numbers = [cut[start] for start in starts]
        if numbers != sorted(set(numbers)):
            raise ValueError("sent_id does not number the sentences in rising order")
        return [*starts, size]
    ends = ([size] if size else []) if cut is None else cut
    if sorted({0, *ends}) != [0, *ends] or [0, *ends][-1] != size:
        raise ValueError("sentence_ends must rise, up to the number of tokens")
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
        raise ValueError("speakers must have one value for each word")
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
                raise ValueError(f"mention [{span[0]}, {span[1]}) is in the clusters twice")
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
        raise ValueError(f"part {document.part} cannot be read again from a key NAME_PART")
    kept = meta.get("key")
    return kept if kept == document.doc_id and not document.part else key


def _list_speakers(document: Document, meta: dict[str, Any]) -> list[list[str]]:
    """List the speaker of each word. Raises `ValueError` for a speaker called `-`."""
    found = []
    for number, sentence in enumerate(document.sentences):
        kept = meta.get("speakers", {}).get(str(number))
        if sentence.speaker == NOBODY or (sentence.speaker is not None and not sentence.tokens):
            raise ValueError(f"speaker {sentence.speaker!r} would be read as no speaker")
        if kept is None or sentence.speaker is not None or len(kept) != len(sentence.tokens):
            kept = [NOBODY if sentence.speaker is None else sentence.speaker] * len(sentence.tokens)
        found.append(list(kept))
    return found


def _is_nested(keys: dict[str, str]) -> bool:
    """Say whether `sentences` are lists of words (in Parquet, by their type)."""
    value = keys.get("sentences", "")
    empty = value.startswith(("[],", "[]}")) and "doc_id" not in keys
    return empty or value.startswith(('[["', "[[]", '"VARCHAR[][]'))


def _has_speakers(keys: dict[str, str]) -> bool:
    return not keys.get("speakers", "null").startswith("null")


def _has_clusters(keys: dict[str, str]) -> bool:
    """Say whether a key of documents is there, or may come beyond the head."""
    return not keys.keys().isdisjoint(("doc_key", "", *_CLUSTERS))


def _has_fastcoref(keys: dict[str, str]) -> bool:
    """Recognize tokens, or a text, with clusters or a name."""
    if "clusters_token_offsets" in keys or "cased_words" in keys or "sentences" in keys:
        return False
    words = keys.get("tokens", keys.get("document", ""))
    tokens = words.startswith(('["', "[]", '"VARCHAR[]"'))
    if tokens and keys.keys() <= {"tokens", "speakers", "sentence_ends", "text"}:
        return True
    printed = "text" in keys and keys.get("clusters", "").startswith(("[[", "[]", '"'))
    return (tokens and _has_clusters(keys)) or printed or {"text", "doc_key"} <= keys.keys()


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
        has=lambda keys: "cased_words" in keys,
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
        has=lambda keys: _is_nested(keys) and _has_speakers(keys),
    )
)
MAVERICK = _make_format(
    _Fields(
        "maverick",
        "of Maverick: sentences, clusters, speakers if there are any",
        key="doc_key",
        words="sentences",
        speakers="speakers",
        has=lambda keys: (
            not _has_speakers(keys)
            and ((_is_nested(keys) and _has_clusters(keys)) or "clusters_token_offsets" in keys)
        ),
    )
)
FASTCOREF = _make_format(
    _Fields(
        "fastcoref",
        "that fastcoref trains on or prints: tokens or a text, clusters",
        key="doc_key",
        words="tokens",
        sentences="sentence_ends",
        speakers="speakers",
        has=_has_fastcoref,
    )
)
