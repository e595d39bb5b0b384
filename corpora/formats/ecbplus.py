"""ECB+, a folder of XML files by topic, with the table of validated sentences.

1. A file is `TOPIC_NUMBERecb.xml` or `TOPIC_NUMBERecbplus.xml`, in the folder or one or two folders
   below it; a `.xml` file of another name is an error. Topics come in order of their number, `ecb`
   before `ecbplus`, documents by number, mentions as they stand in the text.
2. The text is the whole document, its tokens with one space between: `Navy foils attack .`
   The mention's sentence is `meta["sentence"]` (from 0) with the span `meta["sentence_span"]`.
   So a mention has all the context there is, and a sentence can be cut from it.
3. A mention is an element of `Markables` with `token_anchor`s. Events are those named `ACTION_...`
   and `NEG_ACTION_...`; the rest (HUMAN_..., LOC_..., TIME_...) are entities, which are not read.
   The element's name is the event type. An element without anchors is an instance: it names a
   chain and is no mention.
4. Anchors that do not follow each other give `parts`: `put ... out` in `put the fire out`.
5. The chain is `note` of the `CROSS_DOC_COREF` that has the mention as a source. It holds across
   all documents. An `INTRA_DOC_COREF` is a chain of its document, `INTRA_ACT_R_DOCUMENT`
   for its r_id R. A mention in neither is a chain of its own, `Singleton_ACT_M_DOCUMENT` for its
   m_id M (three letters of the instance's or mention's element, NEG_ aside); the field's files
   name them so. In two chains: an error. The title is the instance's TAG_DESCRIPTOR, or empty.
6. The field scores the mentions of validated sentences only: of the others none is read.
   `ECBplus_coreference_sentences.csv` (Topic, File, Sentence Number) lists them. It stands in the
   folder or one of the three above it; without it reading is an error.
   So there are 1,245 event mentions in 409 chains in the development topics, 3,808 in 1,527 in
   the training topics.
7. `meta["topic"]` is the sub-topic, `12ecbplus`; `meta["split"]` is dev for topics 2 5 12 18 21 23
   34 35, test for 36 to 45, else train. `meta["note"]` is the element's remark, if any. The source
   is the document's name, `12_1ecbplus.xml`, and the id that and the m_id: `12_1ecbplus.xml_9`.
8. XML that asks for entities or a network, or nests deeper than the parser allows, is not read.
   An anchor to no token, an m_id or t_id that comes twice, an event with empty tokens only: errors.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats.form import Format, Located
from corefmill.corpora.records import EventMention, Meta, Source, Span
from corefmill.corpora.words import join_neighbours

if TYPE_CHECKING:
    from lxml import etree

DEV = frozenset((2, 5, 12, 18, 21, 23, 34, 35))
TEST = frozenset(range(36, 46))

_NUMBER = re.compile(r"\d{1,18}")
"""Of a sentence."""
VALIDATED = "ECBplus_coreference_sentences.csv"
_FILE = re.compile(r"(\d{1,6})_(\d{1,6})(ecb|ecbplus)\.xml")

_DEEPEST = 3
"""Names from the folder that is given to a document: ECB+/1/1_1ecb.xml."""
_HEADER = ["Topic", "File", "Sentence Number"]

_Sentences = set[tuple[str, int]]
"""Validated sentences: the document's name without `.xml`, and the sentence's number."""
_EVENT = re.compile(r"(?:NEG_)?ACTION_")


@dataclass(frozen=True)
class _Document:
    """The common part of a document's mentions; `tokens` maps a t_id to its place in the lists."""

    name: str
    topic: str
    split: str
    text: str
    tokens: dict[str, int]
    spans: list[Span]
    sentences: list[int]
    bounds: dict[int, Span]
    chains: dict[str, tuple[str, str]]


def _read_mentions(path: Path, lang: str, wanted: _Sentences) -> Iterator[tuple[int, EventMention]]:
    """Read the event mentions in the validated sentences of a document."""
    root = disk.read_xml(path, "Document")
    document = _parse_document(root, path)
    stem = document.name.removesuffix(".xml")
    found: list[tuple[list[int], str, etree._Element]] = []
    seen: set[str] = set()
    for element in root.iterfind("Markables/*"):
        if not isinstance(element.tag, str):
            continue  # a comment
        name = _get_attribute(element, "m_id", path)
        if name in seen:
            raise DataError(f"m_id {name} comes twice", path=path, line=_line(element))
        seen.add(name)
        anchors = element.findall("token_anchor")
        if not anchors or not _EVENT.match(element.tag):
            continue
        places: set[int] = set()
        for anchor in anchors:
            token = _get_attribute(anchor, "t_id", path)
            if token not in document.tokens:
                raise DataError(f"no token has the t_id {token}", path=path, line=_line(anchor))
            places.add(document.tokens[token])
        first = min(places)
        if (stem, document.sentences[first]) in wanted:
            found.append((sorted(places), name, element))
    for anchored, name, element in sorted(found, key=lambda one: one[0]):
        yield _line(element), _make_mention(document, anchored, name, element, lang, path)


def _line(element: etree._Element) -> int:
    line = element.sourceline
    return line if isinstance(line, int) else 1


def _get_attribute(element: etree._Element, name: str, path: Path) -> str:
    """Return an attribute of an XML element. Raises `DataError` where it is missing."""
    found = element.get(name)
    if not found:
        raise DataError(f"{element.tag} has no {name}", path=path, line=_line(element))
    return str(found)


def _parse_document(root: etree._Element, path: Path) -> _Document:
    """Parse the tokens, sentences and chains of a document."""
    match = _FILE.fullmatch(path.name)
    assert match is not None  # `files` has made sure
    words: list[str] = []
    tokens: dict[str, int] = {}
    spans: list[Span] = []
    sentences: list[int] = []
    start = 0
    for element in root.findall("token"):
        name, number = (_get_attribute(element, key, path) for key in ("t_id", "sentence"))
        if name in tokens or not _NUMBER.fullmatch(number):
            what = f"t_id {name} comes twice"
            what = what if name in tokens else f"sentence is {number[:20]!r}, not a number"
            raise DataError(what, path=path, line=_line(element))
        word = " ".join((element.text or "").split())
        tokens[name] = len(words)
        words.append(word)
        spans.append((start, start + len(word)))
        sentences.append(int(number))
        start += len(word) + 1
    bounds: dict[int, Span] = {}
    for sentence, (start, end) in zip(sentences, spans, strict=True):
        bounds[sentence] = bounds.get(sentence, (start, end))[0], end
    topic = int(match[1])
    return _Document(
        name=path.name,
        topic=f"{topic}{match[3]}",
        split="dev" if topic in DEV else "test" if topic in TEST else "train",
        text=" ".join(words),
        tokens=tokens,
        spans=spans,
        sentences=sentences,
        bounds=bounds,
        chains=_parse_chains(root, path),
    )


def _parse_chains(root: etree._Element, path: Path) -> dict[str, tuple[str, str]]:
    """Parse the chain and the title of each linked m_id (rule 5)."""
    instances = {element.get("m_id"): element for element in root.iterfind("Markables/*")}
    stem = path.name.removesuffix(".xml")
    chains: dict[str, tuple[str, str]] = {}
    relations: dict[str, list[etree._Element]] = defaultdict(list)
    for relation in root.iterfind("Relations/*"):
        if isinstance(relation.tag, str):
            relations[relation.tag].append(relation)
    for tag in sorted(relations.keys() - {"CROSS_DOC_COREF", "INTRA_DOC_COREF"}):
        line = _line(relations[tag][0])
        raise DataError(f"relation {tag[:40]} is unknown", path=path, line=line)
    for tag in sorted(relations):
        for relation in relations[tag]:
            target = relation.find("target")
            instance = None if target is None else instances.get(target.get("m_id"))
            title = "" if instance is None else instance.get("TAG_DESCRIPTOR", "")
            # A chain across documents has a name; one within its document is named as the field's
            # files do, by the kind of its instance.
            if tag == "CROSS_DOC_COREF":
                chain = _get_attribute(relation, "note", path)
            else:
                kind = "UNK" if instance is None else str(instance.tag)[:3]
                chain = f"INTRA_{kind}_{_get_attribute(relation, 'r_id', path)}_{stem}"
            for source in relation.findall("source"):
                name = _get_attribute(source, "m_id", path)
                if name in chains and chains[name][0] != chain:
                    raise DataError(f"m_id {name} is in two chains", path=path, line=_line(source))
                chains[name] = chain, title
    return chains


def _make_mention(
    document: _Document,
    places: list[int],
    name: str,
    element: etree._Element,
    lang: str,
    path: Path,
) -> EventMention:
    """Make the event mention of an XML element, anchored at the tokens `places`."""
    places = [place for place in places if document.spans[place][0] < document.spans[place][1]]
    if not places:
        line = _line(element)
        raise DataError(f"m_id {name} has empty tokens only", path=path, line=line)
    pieces = join_neighbours(document.spans, places)
    kind = str(element.tag)
    stem = document.name.removesuffix(".xml")
    lonely = f"Singleton_{kind.removeprefix('NEG_')[:3]}_{name}_{stem}"
    chain, title = document.chains.get(name, (lonely, ""))
    sentence = document.sentences[places[0]]
    meta: Meta = {
        "topic": document.topic,
        "split": document.split,
        "sentence": sentence,
        "sentence_span": list(document.bounds[sentence]),
    }
    if element.get("note"):
        meta["note"] = element.get("note")
    return EventMention(
        id=f"{document.name}_{name}",
        lang=lang,
        text=document.text,
        start=pieces[0][0],
        end=pieces[-1][1],
        cluster=chain,
        cluster_title=title,
        event_type=kind,
        infobox="",
        source=Source(title=document.name, page_id=0),
        parts=tuple(pieces) if len(pieces) > 1 else (),
        meta=meta,
    )


def read(path: Path, lang: str = "en") -> Located:
    """Stream the event mentions of a folder or a document, each with its line."""
    validated = _read_validated(path)
    files = _list_files(path)
    if not {name for name, _ in validated} & {file.stem for file in files}:
        raise DataError(f"{VALIDATED} names none of the documents here", path=path)
    for file in files:
        yield from _read_mentions(file, lang, validated)


def _list_files(path: Path) -> list[Path]:
    """List the folder's documents in order (rule 1), or the one document."""
    if path.is_file():
        found = [path]
    else:
        found = [
            file
            for file in disk.list_below(path, (".xml",))
            if not file.name.startswith(".") and len(file.relative_to(path).parts) <= _DEEPEST
        ]
    order: dict[tuple[int, str, int], Path] = {}
    for file in found:
        match = _FILE.fullmatch(file.name)
        if match is None:
            raise DataError("not named TOPIC_NUMBERecb.xml or TOPIC_NUMBERecbplus.xml", path=file)
        key = int(match[1]), match[3], int(match[2])
        if key in order:
            raise DataError(f"this document is also in {order[key]}", path=file)
        order[key] = file
    if not order:
        raise DataError("no documents of ECB+ here", path=path)
    return [order[key] for key in sorted(order)]


def _read_validated(path: Path) -> _Sentences:
    """Read the table of validated sentences (rule 6)."""
    for folder in (path, *path.absolute().parents[:3]):
        table = folder / VALIDATED
        if table.is_file():
            break
    else:
        raise DataError(
            f"no {VALIDATED} here",
            path=path,
            remedy="copy the table from ECB+ to the folder",
        )
    made: _Sentences = set()
    for number, line in disk.read_lines(table):
        try:
            row = [cell.strip() for cell in next(csv.reader([line]), [])]
        except csv.Error as error:  # a field of more than 128 KiB
            raise DataError(f"not CSV: {error}", path=table, line=number) from None
        if number == 1 and row == _HEADER:
            continue
        if number == 1 or len(row) != 3 or not _NUMBER.fullmatch(row[2]):
            names = ", ".join(_HEADER)
            raise DataError(f"needs the columns {names}: {line[:60]!r}", path=table, line=number)
        made.add((f"{row[0]}_{row[1]}", int(row[2])))
    if not made:
        raise DataError("the table has no sentences", path=table)
    return made


def _suits(name: str, head: str) -> bool:
    """Recognize a document, or a folder with one or the table."""
    if name.endswith("/"):
        entries = head.split("\n")
        listed = [entry.rpartition("/")[2] for entry in entries]
        # The table in a folder below says that that one is of the format, and not this one.
        return VALIDATED in entries or any(map(_FILE.fullmatch, listed))
    return _FILE.fullmatch(name) is not None and "<Document" in head


FORMAT = Format(
    name="ecbplus",
    schema="event-mention/1",
    summary="ECB+'s folder of XML: events of the validated sentences",
    suffix=".xml",
    read=read,
    write=None,
    suits=_suits,
)
