"""The three records of corpora: masked examples, event mentions, documents.

All are frozen. Offsets are half-open and count Unicode code points of the text they stand beside
(or tokens of the sentence, in a `Document`). A record checks itself when it is made: a span out of
bounds, a label without its candidate or a head out of the sentence raises `ValueError`.

The kinds of record that a corpus may hold, by the names that commands and settings call them.

A new kind has its row here; tasks of coref_model say which kind they learn from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Any

Span = tuple[int, int]
"""Half-open [start, end)."""

Meta = dict[str, Any]
"""JSON values that are no part of the record's definition: links, tokens, gender, trace ..."""

MASK = "[MASK]"

UNCLEAR = "unclear"
"""Key of a meta that says why a record's answer is not known, though its file gives one."""

# Plain dicts, not pydantic's classes: its import takes as long as a command's help.
_STRICT = {"extra": "forbid", "strict": True}
_IF_KNOWN = {"exclude_if": lambda value: value is None}
"""Metadata of a field that a line of JSON has only where it is not None."""


def _check_span(name: str, span: Span, length: int) -> None:
    start, end = span
    if not 0 <= start < end <= length:
        raise ValueError(f"{name} [{start}, {end}) is empty or outside the text of {length}")


def _read_tokens(meta: Meta, size: int) -> tuple[Span, ...]:
    """Read the spans of `meta["tokens"]`. Raises `ValueError` unless in order and within `size`."""
    spans: list[Span] = []
    position = 0
    try:
        for start, end in meta.get("tokens", ()):
            if not (type(start) is type(end) is int and position <= start < end):
                raise ValueError
            position = end
            spans.append((start, end))
    except (TypeError, ValueError):
        raise ValueError("meta.tokens is not a list of spans in order") from None
    if position > size:
        raise ValueError(f"meta.tokens reaches beyond the text of {size}")
    return tuple(spans)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a passage stands: article title, page id, and the paragraph's index in the page.

    `start` and `end`, given together or not at all, say where: half-open, in characters. Of a page
    they count in its cleaned text, a paragraph a line; of a plain text in the file itself, unpacked
    and decoded, without a byte order mark and with its line ends as they are. So
    `" ".join(text[start:end].split())` is the passage, in which line ends and other white space are
    single blanks. Of JSON Lines they count in the document's own text. Subtitles lose their dash.
    """

    __pydantic_config__ = _STRICT

    title: str
    page_id: int
    paragraph: int | None = None
    start: int | None = field(default=None, metadata=_IF_KNOWN)
    end: int | None = field(default=None, metadata=_IF_KNOWN)

    def __post_init__(self) -> None:
        if self.start is None and self.end is None:
            return
        if self.start is None or self.end is None or not 0 <= self.start < self.end:
            raise ValueError(f"start {self.start} and end {self.end} of a source are no span")

    def as_json(self) -> dict[str, Any]:
        """Convert the source to an object of JSON, with start and end where they are known."""
        made = {"title": self.title, "page_id": self.page_id, "paragraph": self.paragraph}
        return made if self.start is None else {**made, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class MaskedExample:
    """A passage with a name or pronoun for one of several candidates.

    `text` keeps the target in place; `masked_text` shows it hidden. `mentions` are the candidates'
    other occurrences, (index into candidates, start, end), the target not among them. `label` is
    the index of the right candidate, or None where none is right or it is not known.
    """

    __pydantic_config__ = _STRICT

    id: str
    lang: str
    text: str
    sentences: tuple[Span, ...]
    target: Span
    candidates: tuple[str, ...]
    mentions: tuple[tuple[int, int, int], ...]
    label: int | None
    source: Source
    meta: Meta = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.text)
        _check_span("target", self.target, size)
        position = 0
        for sentence in self.sentences:
            _check_span("sentence", sentence, size)
            if sentence[0] < position:
                raise ValueError(
                    f"sentence {list(sentence)} begins before the previous sentence ends"
                )
            position = sentence[1]
        if len(self.candidates) < 2 or len(set(self.candidates)) < len(self.candidates):
            raise ValueError(f"at least two distinct candidates are needed: {self.candidates}")
        if self.label is not None and not 0 <= self.label < len(self.candidates):
            raise ValueError(f"label {self.label} names none of {len(self.candidates)} candidates")
        for candidate, start, end in self.mentions:
            _check_span("mention", (start, end), size)
            if not 0 <= candidate < len(self.candidates):
                raise ValueError(f"mention of candidate {candidate}, which does not exist")

    @property
    def masked_text(self) -> str:
        """The passage with the target replaced by [MASK]."""
        start, end = self.target
        return self.text[:start] + MASK + self.text[end:]

    @property
    def marked_text(self) -> str:
        """The passage with the target in brackets."""
        start, end = self.target
        return f"{self.text[:start]}[{self.text[start:end]}]{self.text[end:]}"

    @property
    def tokens(self) -> tuple[Span, ...]:
        """The words as `meta["tokens"]` has them, empty where it has none.

        Raises `ValueError` unless they are spans of the text, in order and apart.
        """
        return _read_tokens(self.meta, len(self.text))

    @property
    def answer(self) -> str | None:
        """The right candidate, or None."""
        return None if self.label is None else self.candidates[self.label]


@dataclass(frozen=True, slots=True)
class EventMention:
    """An anchor in a paragraph, with the linked event article (its cluster).

    `start`, `end` are offsets into `text`; `parts` lists the pieces where the mention is
    discontinuous, and is empty otherwise. `head` is the head word's span.
    """

    __pydantic_config__ = _STRICT

    id: str
    lang: str
    text: str
    start: int
    end: int
    cluster: str
    cluster_title: str
    event_type: str
    infobox: str
    source: Source
    head: Span | None = None
    lemma: str | None = None
    pos: str | None = None
    ner: str | None = None
    parts: tuple[Span, ...] = ()
    meta: Meta = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.text)
        _check_span("mention", (self.start, self.end), size)
        if self.head is not None:
            _check_span("head", self.head, size)
        for part in self.parts:
            _check_span("part", part, size)

    @property
    def tokens(self) -> tuple[Span, ...]:
        """The words as `meta["tokens"]` has them, empty where it has none."""
        return _read_tokens(self.meta, len(self.text))


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a sentence; `head` counts tokens from 1, 0 is the root, None is no parse."""

    __pydantic_config__ = _STRICT

    form: str
    lemma: str | None = None
    upos: str | None = None
    xpos: str | None = None
    feats: str | None = None
    head: int | None = None
    deprel: str | None = None
    ner: str | None = None
    space_after: bool = True


@dataclass(frozen=True, slots=True)
class Sentence:
    """The tokens of a sentence and its speaker."""

    __pydantic_config__ = _STRICT

    tokens: tuple[Token, ...]
    speaker: str | None = None

    def __post_init__(self) -> None:
        for token in self.tokens:
            if token.head is not None and not 0 <= token.head <= len(self.tokens):
                raise ValueError(f"head {token.head} of {token.form!r} is outside the sentence")


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of tokens [start, end) of one sentence.

    `parts` lists the pieces of a discontinuous mention. A `zero` mention is an empty node: it
    stands before the token `start`, and `start` equals `end`.
    """

    __pydantic_config__ = _STRICT

    sentence: int
    start: int
    end: int
    parts: tuple[Span, ...] = ()
    zero: bool = False


IF_KNOWN = ("text", "offsets")
"""Fields of a `Document` whose keys a line of JSON may lack."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text, or a part of one, with its coreference clusters.

    `text` is the plain text that the document was made from, untouched, and `offsets` has the span
    in it of each token of each sentence; the words of a contraction that was split share one. Both
    are given or neither, and a line of JSON has their keys where they are given.
    """

    __pydantic_config__ = _STRICT

    doc_id: str
    part: int
    lang: str
    sentences: tuple[Sentence, ...]
    clusters: tuple[tuple[Mention, ...], ...]
    meta: Meta = field(default_factory=dict)
    text: str | None = field(default=None, metadata=_IF_KNOWN)
    offsets: tuple[tuple[Span, ...], ...] | None = field(default=None, metadata=_IF_KNOWN)

    def __post_init__(self) -> None:
        self._check_offsets()
        for cluster in self.clusters:
            for mention in cluster:
                if not 0 <= mention.sentence < len(self.sentences):
                    raise ValueError(f"no sentence {mention.sentence}, where a mention stands")
                length = len(self.sentences[mention.sentence].tokens)
                if mention.zero:
                    if not 0 <= mention.start == mention.end <= length:
                        raise ValueError("a zero mention needs start == end within its sentence")
                    continue
                for span in ((mention.start, mention.end), *mention.parts):
                    _check_span("mention", span, length)

    def _check_offsets(self) -> None:
        """Raise `ValueError` unless text, offsets and tokens fit each other."""
        if self.text is None or self.offsets is None:
            if self.text is not None or self.offsets is not None:
                raise ValueError("text and offsets are given together or not at all")
            return
        if [len(s.tokens) for s in self.sentences] != [len(spans) for spans in self.offsets]:
            raise ValueError("each sentence needs exactly one offset per token")
        before = (0, 0)
        for span in chain.from_iterable(self.offsets):
            _check_span("offset", span, len(self.text))
            if span != before and span[0] < before[1]:
                raise ValueError(
                    f"the offsets {list(span)} begin before those of the previous token end"
                )
            before = span

    def locate(self, mention: Mention) -> Span:
        """Return the mention's span in `text`; raises `ValueError` where there is none."""
        if self.offsets is None or mention.zero:
            raise ValueError("this mention has no offsets")
        spans = self.offsets[mention.sentence]
        return spans[mention.start][0], spans[mention.end - 1][1]


Record = MaskedExample | EventMention | Document

SCHEMAS: dict[str, type[Record]] = {
    "masked-example/1": MaskedExample,
    "event-mention/1": EventMention,
    "document/1": Document,
}
"""The name a manifest gives to each kind of record."""


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record: its schema, and its name in messages."""

    name: str
    schema: str
    plural: str


KINDS = {
    one.name: one
    for one in (
        RecordKind("masked", "masked-example/1", "masked examples"),
        RecordKind("events", "event-mention/1", "event mentions"),
        RecordKind("documents", "document/1", "documents"),
    )
}
BY_SCHEMA = {one.schema: one for one in KINDS.values()}
