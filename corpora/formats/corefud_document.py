"""One document of CorefUD, read sentence by sentence and written; the rules stand in corefud.py."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.corefud_comments import Comments
from corefmill.corpora.formats.corefud_entity import HEADER, EntityError
from corefmill.corpora.formats.corefud_lines import EXACT, LOOSE, NEWDOC
from corefmill.corpora.formats.corefud_mentions import (
    Named,
    as_they_were,
    attribute_keys,
    by_sentence,
    check_mention,
    drop_usual_nodes,
    in_order,
    is_usual,
    made,
    mentions_of,
    named_clusters,
    usual_attributes,
    usual_ids,
)
from corefmill.corpora.formats.corefud_sentence import (
    Nodes,
    keep_relations,
    nodes_of,
    parse,
    related_entities,
    rows_of,
)
from corefmill.corpora.records import Document, Mention, Sentence


@dataclass(slots=True)
class Header:
    """The last `# global.Entity` of a file, which holds for the documents after it too.

    `clusters` counts those of the documents so far: a name stands for one cluster of a file.
    `dropped` counts the relations that were not written, since they do not hold any more.
    """

    fields: str | None = None
    clusters: int = 0
    dropped: int = 0


class Builder:
    """A document while it is read; `line` is where it begins."""

    def __init__(self, comments: Sequence[str], line: int, unnamed: str, header: Header) -> None:
        self.line, self.header = line, header
        self.headed = header.fields is not None
        self.part = 0
        self.sentences: list[Sentence] = []
        self.nodes: list[Nodes] = []
        self.cells: list[list[str | None]] = []
        self.extras: list[dict[str, Any]] = []
        self.found: dict[str, list[tuple[Mention, str]]] = {}
        self.meta: dict[str, Any] = {}
        opening = next(filter(NEWDOC.fullmatch, comments), None)
        exact, loose = (pattern.fullmatch(opening or "") for pattern in (EXACT, NEWDOC))
        name = exact[2] if exact else loose and loose[1]
        self.name: str = unnamed if name is None else name
        if name is None:
            self.meta["newdoc"] = opening

    @staticmethod
    def opens(comments: Sequence[str]) -> bool:
        """Whether a sentence with these comments begins a document."""
        return any(map(NEWDOC.fullmatch, comments))

    def sentence(self, comments: Sequence[str], rows: Sequence[str]) -> None:
        """Takes a sentence. Raises `RowError`, or `EntityError` with the row as its node."""
        number = len(self.sentences)
        parsed = parse(rows)
        speaker = None
        for comment in comments:
            match = EXACT.fullmatch(comment) or LOOSE.fullmatch(comment)
            if match and match[1] == "speaker":
                speaker = match[2]
            elif match and match[1] == "global.Entity":
                self._told(match[2], number)
            elif match and match[1] == "part" and not number:
                self.part = int(match[2]) if re.fullmatch(r"-?\d{1,18}", match[2]) else 0
        try:
            at = corefud_entity.position(self.header.fields or HEADER)
            spans = corefud_entity.parse(parsed.entities, at)
        except EntityError as error:
            raise EntityError(str(error), parsed.rows[error.node]) from None
        for span, mention in zip(spans, mentions_of(spans, number, parsed.nodes), strict=True):
            self.found.setdefault(span.entity, []).append((mention, span.attributes))
        self.sentences.append(Sentence(parsed.tokens, speaker))
        self.nodes.append(parsed.nodes)
        self.cells.append(parsed.entities)
        self.extras.append({"comments": list(comments), **parsed.extra})

    def _told(self, fields: str, number: int) -> None:
        """Takes the header. What comes later in a document must agree with what was read by it."""
        if number and fields != (self.header.fields or HEADER):
            raise ValueError("# global.Entity changes within a document")
        self.header.fields = fields
        self.headed = self.headed or not number

    def document(self, lang: str) -> Document:
        """The document, with no more in its meta than the writer would not write anyway."""
        fields = self.header.fields or HEADER
        if self.found and not self.headed:
            # As it would be written: mentions are not without a header before them.
            self.header.fields = fields
            self.extras[0]["comments"].append(f"# global.Entity = {fields}")
        if fields != HEADER and self.found:
            self.meta["header"] = fields
        for mentions in self.found.values():
            mentions.sort(key=lambda found: (found[0].sentence, found[0].start, found[0].end))
        clusters = [tuple(mention for mention, _ in found) for found in self.found.values()]
        extras = {str(number): extra for number, extra in enumerate(self.extras)}
        ids = list(self.found)
        before = self.header.clusters
        self.header.clusters += len(ids)
        if ids != usual_ids(len(ids), before) or clusters != in_order(clusters, extras):
            self.meta["ids"] = ids
        named = dict(zip(ids, clusters, strict=True))
        if related := set().union(*map(related_entities, self.extras)):
            self.meta["related"] = {
                name: attribute_keys(named.get(name, ())) for name in sorted(related)
            }
        attributes = {
            key: said
            for mentions in self.found.values()
            for (mention, said), key in zip(
                mentions, attribute_keys([mention for mention, _ in mentions]), strict=True
            )
            if said != self._usual(mention)
        }
        if attributes:
            self.meta["attributes"] = attributes
        document = Document(
            self.name,
            self.part,
            lang,
            tuple(self.sentences),
            tuple(clusters),
            {"corefud": self.meta} if self.meta else {},
        )
        kept = self._extras(document, fields, extras, before)
        if not kept:
            return document
        meta = {"corefud": self.meta | {"sentences": kept}}
        return Document(self.name, self.part, lang, document.sentences, document.clusters, meta)

    def _usual(self, mention: Mention) -> str:
        number = mention.sentence
        return usual_attributes(mention, self.nodes[number], self.sentences[number])

    def _extras(
        self, document: Document, fields: str, extras: dict[str, dict[str, Any]], before: int
    ) -> dict[str, dict[str, Any]]:
        """What is to be kept of each sentence, by its number."""
        mentions = by_sentence(document, self.meta, extras, before)
        kept: dict[str, dict[str, Any]] = {}
        for number, extra in enumerate(extras.values()):
            here = mentions.get(number, [])
            nodes, cells, sentence = self.nodes[number], self.cells[number], self.sentences[number]
            if is_usual(cells, here, nodes, sentence, fields):
                drop_usual_nodes(extra, here)
            else:
                extra["entity"] = {
                    name: cell for name, cell in zip(nodes.ids, cells, strict=True) if cell
                }
            lines = Comments(document, self.meta.get("newdoc"), "newdoc" in self.meta, fields)
            said = [lines.marked(comment, number, extra) for comment in extra.pop("comments")]
            if said != lines.usual(number):
                extra["comments"] = said
            if extra:
                kept[str(number)] = extra
        return kept


def document_lines(document: Document, unnamed: str, first: bool, header: Header) -> Iterator[str]:
    """The lines of a document; `unnamed` is what a reader calls it if it has no name.

    Raises `ValueError` (or what malformed meta raises) for what cannot be written.
    """
    meta: dict[str, Any] = document.meta.get("corefud", {})
    if not document.sentences:
        raise ValueError("it has no sentences")
    fields = meta.get("header", HEADER)
    extras = meta.get("sentences", {})
    mentions = by_sentence(document, meta, extras, header.clusters)
    # A relation holds as long as both of its entities have the mentions that they had, which are
    # none where its file named one that was not there.
    was = {name: sorted(keys) for name, keys in meta.get("related", {}).items()}
    named = named_clusters(document, meta, extras, header.clusters) if was else {}
    now = {tuple(sorted(attribute_keys(cluster))): name for name, cluster in named.items()}
    related = {name: now[tuple(keys)] for name, keys in was.items() if tuple(keys) in now}
    related |= {name: name for name, keys in was.items() if not keys and name not in named}
    header.clusters += len(document.clusters)
    newdoc = meta.get("newdoc")
    nameless = "newdoc" in meta and document.doc_id == unnamed and (first or newdoc is not None)
    comments = Comments(document, newdoc, nameless, fields)
    for number, sentence in enumerate(document.sentences):
        extra, dropped = keep_relations(extras.get(str(number), {}), related)
        header.dropped += dropped
        yield from _comment_lines(comments, number, extra, header)
        # Mentions need a header before them that says the same of their attributes.
        if document.clusters and header.fields != fields:
            header.fields = fields
            yield f"# global.Entity = {fields}"
        nodes, cells = _entities(sentence, mentions.get(number, []), extra, fields)
        yield from rows_of(sentence, nodes, cells, extra)
        yield ""


def _comment_lines(
    comments: Comments, number: int, extra: dict[str, Any], header: Header
) -> Iterator[str]:
    """The comments of a sentence; `header` takes the `# global.Entity` that is among them."""
    words = list(extra.get("comments", comments.usual(number)))
    # A document's first sentence opens it, even if its comments are from a document before.
    if not number and "newdoc" not in words and not any(map(comments.is_name, words)):
        words = ["newdoc", *(word for word in words if not NEWDOC.fullmatch(word))]
    for word in words:
        line = word if word.startswith("#") else comments.line(word, number, extra)
        if line is None:
            continue
        if "\n" in line or "\0" in line or line.endswith("\r"):
            raise ValueError("a name or comment holds the end of a line")
        if number and NEWDOC.fullmatch(line):
            raise ValueError("meta.corefud opens a document within another")
        match = EXACT.fullmatch(line) or LOOSE.fullmatch(line)
        if match and match[1] == "global.Entity":
            header.fields = match[2]
        yield line


def _entities(
    sentence: Sentence, mentions: Sequence[Named], extra: dict[str, Any], fields: str
) -> tuple[Nodes, list[str | None]]:
    """The nodes of a sentence with their values of `Entity`."""
    for _, _, mention in mentions:
        check_mention(mention)
    # First, as they were read, if they still name these mentions.
    if "entity" in extra and mentions:
        nodes = nodes_of(len(sentence.tokens), Counter(), extra)
        cells = as_they_were(mentions, extra["entity"], nodes, sentence, fields)
        if cells is not None:
            return nodes, cells
    # Else new brackets, with an empty node for each zero mention.
    zeros = Counter(mention.start for _, _, mention in mentions if mention.zero)
    nodes = nodes_of(len(sentence.tokens), zeros, extra)
    return nodes, made(mentions, nodes, sentence, fields)
