"""OntoCorefIT, the Italian OntoNotes: one JSON object of documents, parts and utterances.

1. `{"docs": {NAME: {"parts": {PART: {"utts": [...]}}}}}`; an utterance has `tokens`, `speakers`
   (one label for all of them) and `corefs`, each with `start`, `end` and `label`.
2. `start` and `end` count the utterance's tokens from 0, and both lie within the mention. `label`
   names the cluster within the part.
3. `-` is no speaker. Each part is a document of its own; a part that is no number is kept as
   `part` in `meta["ontocorefit"]`, where its number is its place among the parts.
4. Clusters come in order of their first mention, mentions in the order of the text. Labels that do
   not count the clusters from 0 in that order are kept as `labels`.
5. Other keys (the original utterance, the modified text, readability ...) are kept: `utterances` by
   number, `others` of the part, `document` and `file` with the first part of these.
6. No other document comes between the parts of one. Writers refuse zero and discontinuous mentions,
   clusters without a mention, and a span that is named twice. Not written are tokens' values but
   their forms, `lang`, and other `meta`.
7. An utterance may record the rules that made it (the paper's figure 10), all in keys that may be
   missing. The published spelling of the keys is lost, so these are ours: `original_text` and
   `modified_text`, as written before and after the rules; `tokens_old` and `corefs_old`, before
   the rules as `tokens` and `corefs` are after them; `readability` of the modified text, null
   where it has no words; `deleted`, `rewritten`, `shifted`: whether a pronoun was deleted, another
   word rewritten, a mention moved; and `changes`, each with `rule`, `start`, `end` (half-open, in
   tokens that the rule was given), `before` and `after`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.files.jsonl import first_fault
from corefmill.corpora.files.writing import write_whole
from corefmill.corpora.formats import json_documents
from corefmill.corpora.formats.form import Format, naming_record
from corefmill.corpora.formats.json_documents import NOBODY, Line
from corefmill.corpora.records import Document, Mention, Sentence, Token

_NUMBER = re.compile(r"0|[1-9]\d{0,17}")
LARGEST = 1 << 30
"""Bytes a file may have; it is read as one."""


class _Coref(Line):
    start: int
    end: int
    label: int | str


class _Utterance(Line):
    tokens: list[str]
    speakers: str = NOBODY
    corefs: list[_Coref] = Field(default_factory=list)


class _Part(Line):
    utts: list[_Utterance]


class _Doc(Line):
    parts: dict[str, _Part]


class _File(Line):
    docs: dict[str, _Doc]


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Stream the parts of a file of OntoCorefIT as documents; the line is always 1.

    Raises `DataError` that names the document, part and utterance.
    """
    content = disk.read_bytes(path, LARGEST)
    with naming(path, 1):
        content = content.removeprefix(b"\xef\xbb\xbf")
        whole = json_documents.parse_object(content, TypeAdapter(_File))
    rest: dict[str, Any] = {"file": whole.other} if whole.other else {}
    for name, doc in whole.docs.items():
        if doc.other:
            rest["document"] = doc.other
        if not doc.parts:
            raise DataError(f"document {name} has no parts", path=path, line=1)
        for number, (part, content_of) in enumerate(doc.parts.items()):
            try:
                document = _parse_part(name, part, number, content_of, lang, rest)
            except ValueError as error:
                raise DataError(
                    f"document {name}, part {part}: {error}", path=path, line=1
                ) from None
            yield 1, document
            rest = {}


def _parse_part(
    name: str, part: str, number: int, content: _Part, lang: str, rest: dict[str, Any]
) -> Document:
    """Make the document of a part; keys without a field go to the meta."""
    meta = dict(rest)
    if not _NUMBER.fullmatch(part):
        meta["part"] = part
    if content.other:
        meta["others"] = content.other
    sentences: list[Sentence] = []
    clusters: dict[int | str, list[Mention]] = {}
    for place, utterance in enumerate(content.utts):
        speaker = None if utterance.speakers == NOBODY else utterance.speakers
        sentences.append(Sentence(tuple(Token(form) for form in utterance.tokens), speaker))
        if utterance.other:
            meta.setdefault("utterances", {})[str(place)] = utterance.other
        for coref in sorted(utterance.corefs, key=lambda coref: (coref.start, coref.end)):
            if coref.other:
                raise ValueError(f"utterance {place}: unknown key {sorted(coref.other)[0]!r}")
            if not 0 <= coref.start <= coref.end < len(utterance.tokens):
                raise ValueError(
                    f"utterance {place}: mention {coref.start} to {coref.end} is not"
                    f" within the {len(utterance.tokens)} tokens"
                )
            mention = Mention(place, coref.start, coref.end + 1)
            clusters.setdefault(coref.label, []).append(mention)
    if list(clusters) != list(range(len(clusters))):
        meta["labels"] = list(clusters)
    return Document(
        name,
        int(part) if "part" not in meta else number,
        lang,
        tuple(sentences),
        tuple(map(tuple, clusters.values())),
        {"ontocorefit": meta} if meta else {},
    )


def write(path: Path, documents: Iterable[Document]) -> int:
    """Write the documents as one object, whole or not at all, and return their number.

    Raises `DataError` for what rule 6 refuses.
    """
    count = 0
    whole: dict[str, Any] = {}
    docs: dict[str, dict[str, Any]] = {}
    last: str | None = None
    for document in documents:
        with naming_record(document, path, "OntoCorefIT's form cannot carry it"):
            meta: dict[str, Any] = document.meta.get("ontocorefit", {})
            whole |= meta.get("file", {})
            if document.doc_id != last and document.doc_id in docs:
                raise ValueError("the parts of the document do not follow one another")
            last = document.doc_id
            doc = docs.setdefault(document.doc_id, {**meta.get("document", {}), "parts": {}})
            part = meta.get("part", str(document.part))
            if part in doc["parts"] or (
                len(doc["parts"]) != document.part if "part" in meta else document.part < 0
            ):
                raise ValueError(f"part {part} is there twice, or is not valid")
            doc["parts"][part] = _make_part(document, meta)
        count += 1
    try:
        text = json.dumps(whole | {"docs": docs}, ensure_ascii=False, allow_nan=False, indent=1)
        encoded = text.encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise DataError(f"a value is not JSON: {error}", path=path) from None
    write_whole(path, encoded)
    return count


def _make_part(document: Document, meta: dict[str, Any]) -> dict[str, Any]:
    """Make the JSON object of a document's part. Raises `ValueError` by rule 6."""
    json_documents.list_spans(document)  # refuses what this form has no place for
    clusters = list(document.clusters)
    labels = meta.get("labels", [])
    if not len(labels) == len(set(labels)) == len(clusters):
        clusters.sort(key=lambda cluster: min((m.sentence, m.start, m.end) for m in cluster))
        labels = list(range(len(clusters)))
    corefs: dict[int, list[dict[str, Any]]] = {}
    for label, cluster in zip(labels, clusters, strict=True):
        for mention in cluster:
            corefs.setdefault(mention.sentence, []).append(
                {"start": mention.start, "end": mention.end - 1, "label": label}
            )
    utterances = []
    for number, sentence in enumerate(document.sentences):
        if sentence.speaker == NOBODY:
            raise ValueError("speaker '-' would be read as no speaker")
        utterances.append(
            {
                **meta.get("utterances", {}).get(str(number), {}),
                "tokens": [token.form for token in sentence.tokens],
                "speakers": NOBODY if sentence.speaker is None else sentence.speaker,
                "corefs": sorted(corefs.get(number, []), key=lambda c: (c["start"], c["end"])),
            }
        )
    return {**meta.get("others", {}), "utts": utterances}


FORMAT = Format(
    name="ontocorefit",
    schema="document/1",
    summary="OntoCorefIT: documents, parts and utterances in one JSON object",
    suffix=".json",
    read=read,
    write=write,
    suits=lambda name, head: (
        head.lstrip("\ufeff \t\r\n").startswith("{")
        and all(re.search(rf'"{key}"\s*:\s*[{{\[]', head) for key in ("docs", "parts", "utts"))
    ),
)


_Place = Annotated[int, Field(ge=0)]


class _Recorded(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class Coref(_Recorded):
    """A mention before the rules: tokens [start, end], both within it, and its cluster."""

    start: _Place
    end: _Place
    label: int | str


class RecordedChange(_Recorded):
    """The change of one rule, in tokens [start, end) of its input."""

    rule: str
    start: _Place
    end: _Place
    before: str
    after: str


class UtteranceRecord(_Recorded):
    """The record of one utterance; keys that are not ours are passed over."""

    original_text: str | None = None
    modified_text: str | None = None
    tokens_old: list[str] = Field(default_factory=list)
    corefs_old: list[Coref] = Field(default_factory=list)
    readability: float | None = Field(default=None, allow_inf_nan=False)
    deleted: bool = False
    rewritten: bool = False
    shifted: bool = False
    changes: list[RecordedChange] = Field(default_factory=list)


def read_records(document: Document) -> tuple[UtteranceRecord | None, ...]:
    """Read the record of the rules for each utterance, None for one without.

    Raises `ValueError` that names the utterance, for values of another type, an utterance that is
    not there, and an old mention outside the old tokens.
    """
    found: list[UtteranceRecord | None] = [None] * len(document.sentences)
    kept = document.meta.get("ontocorefit", {})
    utterances: Any = kept.get("utterances", {}) if isinstance(kept, dict) else None
    if not isinstance(utterances, dict):
        raise ValueError("meta.ontocorefit.utterances is not an object")
    for key, value in utterances.items():
        if not (key.isascii() and key.isdigit() and int(key[:9]) < len(found)):
            raise ValueError(f"a record of utterance {key[:20]!r}, which is not there")
        try:
            record = UtteranceRecord.model_validate(value)
        except ValidationError as error:
            raise ValueError(f"utterance {key}: {first_fault(error)}") from None
        for coref in record.corefs_old:
            if not coref.start <= coref.end < len(record.tokens_old):
                raise ValueError(
                    f"utterance {key}: corefs_old {coref.start} to {coref.end} "
                    f"of {len(record.tokens_old)} tokens"
                )
        found[int(key)] = record
    return tuple(found)
