"""CoNLL-U with the coreference of CorefUD, in the attribute `Entity` of the last column.

1. Ten columns separated by tabs, `_` for none; an empty line closes a sentence; lines before it
   that begin with # are its comments (https://universaldependencies.org/format.html). IDs count
   from 1; `3-4` is a multiword token over the words 3 and 4, `3.1` an empty node after word 3.
2. `# newdoc id = NAME` opens a document. What stands before the first is a document too, named
   after the file, as is one whose `# newdoc` has no name, with its number. The writer opens every
   document by its name.
3. `# part = 2` is a convention of ours for a document's part other than 0, `# speaker = X` for a
   sentence's speaker.
4. Mentions are read as corefud_entity.py says. Spans count words; where a span begins or ends at an
   empty node, the words inside count. A mention of empty nodes alone is a zero mention.
   A dropped subject is an empty node whose MISC says which word shows it (`OnVerb=4`): as a record
   has it, its mention is on that word, unless the word has a mention to itself; then it is zero.
   Mentions of CorefUD 0.x are read as corefud_old.py says.
5. A file without `Entity` makes documents without clusters.
6. Clusters come in order of their first bracket, mentions in the order of the text. The writer
   names clusters e1, e2 ... in that order, going on in the next document of a file, unless `meta`
   has as many names, and gives the first node
   whose head lies outside the mention as its `head`. It refuses duplicate spans and mentions of one
   cluster that cross in more than one node.
7. `SpaceAfter=No` and `NER=TAG` in MISC are `space_after` and `ner`; within a multiword token only
   its last word has a space after it. A value that is `_` reads as none.
8. `meta["corefud"]` holds what a `Document` has no place for, and only where the writer would not
   write it anyway: `header` (of `# global.Entity`), `ids` (names of the clusters), `attributes`
   (of the mentions, by sentence and words) and `sentences`, by the sentence's number: `comments`
   (lines, or the words newdoc, part, global.Entity, sent_id, speaker, text for lines that the
   record gives), `multiword` and `empty` (columns by ID, tabs between), `deps` (`=` is the basic
   tree's), `misc` by word (a key alone stands for a value that the record gives) and `entity` by
   node, where brackets stand otherwise than the writer would set them. `related` has the mentions
   of each entity that stands in a relation.
9. Relations (`Bridge`, `SplitAnte` in MISC) are written between entities whose mentions are those
   of `related`, by the names that these have now. All others are left out and counted.
10. Not written are `lang` and other `meta`.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.bad_mentions import REMEDY, drop
from corefmill.corpora.formats.corefud_entity import (
    EXACT,
    HEADER,
    LOOSE,
    NEWDOC,
    EntityError,
    RowError,
    suits,
)
from corefmill.corpora.formats.corefud_old import modernize
from corefmill.corpora.formats.corefud_sentence import (
    Named,
    Nodes,
    attribute_keys,
    drop_usual_nodes,
    group_by_sentence,
    join_text,
    make_cells,
    make_mentions,
    make_nodes,
    make_rows,
    name_clusters,
    parse,
    restore_cells,
    sort_clusters,
    usual_attributes,
    usual_ids,
)
from corefmill.corpora.formats.form import Format, write_documents
from corefmill.corpora.records import Document, Mention, Sentence

_RELATION = re.compile(r"(?:(?<=\|)|^)(Bridge|SplitAnte)=([^|]*)")
_PAIR = re.compile(r"([^<,]+)<([^<,:]+)((?::[^,]*)?)")
"""`e1<e2:subset`: antecedent, anaphor and kind; commas stand between several."""


@dataclass(slots=True)
class Comments:
    """Comment lines from a record; `fields` are those of `# global.Entity`."""

    document: Document
    fields: str

    def expand(self, word: str, number: int, extra: dict[str, Any]) -> str:
        """Expand a word of `comments` to a whole comment line."""
        document, sentence = self.document, self.document.sentences[number]
        if word == "newdoc":
            return f"# newdoc id = {document.doc_id}"
        if word == "part":
            return f"# part = {document.part}"
        if word == "global.Entity":
            return f"# global.Entity = {self.fields}"
        if word == "sent_id":
            # No name of a sentence may hold blanks or slashes, and parts share the document's.
            name = "_".join(re.split(r"[/\s]+", document.doc_id))
            part = f"-part{document.part}" if document.part else ""
            return f"# sent_id = {name}{part}-{number + 1}"
        if word == "speaker":
            return f"# speaker = {sentence.speaker}"
        if word == "text":
            return f"# text = {join_text(sentence, extra)}"
        raise ValueError(f"meta.corefud has an unknown comment {word!r}")

    def list_usual(self, number: int) -> list[str]:
        """List the words for the comments of a sentence without kept ones."""
        words = ["newdoc"]
        words += ["part"] if self.document.part else []
        words += ["global.Entity"] if self.document.clusters else []
        spoken = self.document.sentences[number].speaker is not None
        return [*(words if not number else []), "sent_id", *(["speaker"] * spoken), "text"]

    def shorten(self, comment: str, number: int, extra: dict[str, Any]) -> str:
        """Shorten a comment to its word in `comments`, if there is one."""
        words = ["newdoc", "part", "global.Entity"] if not number else []
        for word in [*words, "sent_id", "speaker", "text"]:
            if comment == self.expand(word, number, extra):
                return word
        return comment


@dataclass(slots=True)
class Header:
    """The last `# global.Entity` of a file, valid for the documents after it too.

    `clusters` counts those of the documents so far: a name stands for one cluster of a file.
    `dropped` counts the relations that were not written, since they do not hold any more.
    """

    fields: str | None = None
    clusters: int = 0
    dropped: int = 0


class DocumentBuilder:
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
        opening = next(filter(NEWDOC.fullmatch, comments), "")
        exact, loose = (pattern.fullmatch(opening) for pattern in (EXACT, NEWDOC))
        name = exact[2] if exact else loose and loose[1]
        self.name: str = unnamed if name is None else name

    def add_sentence(self, comments: Sequence[str], rows: Sequence[str]) -> None:
        """Add a sentence. Raises `RowError`, or `EntityError` with the row as its node."""
        number = len(self.sentences)
        parsed = parse(modernize(rows))
        # Every document opens by its name in one and the same way, as it is written.
        if not number:
            others = (comment for comment in comments if not NEWDOC.fullmatch(comment))
            comments = [f"# newdoc id = {self.name}", *others]
        speaker = None
        for comment in comments:
            match = EXACT.fullmatch(comment) or LOOSE.fullmatch(comment)
            if match and match[1] == "speaker":
                speaker = match[2]
            elif match and match[1] == "global.Entity":
                # What comes later in a document must agree with what was read by it.
                if number and match[2] != (self.header.fields or HEADER):
                    raise ValueError("# global.Entity changes within a document")
                self.header.fields = match[2]
                self.headed = self.headed or not number
            elif match and match[1] == "part" and not number:
                self.part = int(match[2]) if re.fullmatch(r"-?\d{1,18}", match[2]) else 0
        if self.header.fields is None and any(parsed.entities):
            self.header.fields = corefud_entity.guess_header(filter(None, parsed.entities))
        # Brackets, by nodes, which are words and empty nodes; then as mentions, by words.
        place = f"document {self.name}, sentence {number + 1}"

        def fault(error: EntityError) -> None:
            drop(error.kind, EntityError(str(error), parsed.rows[error.node]), place)

        at = corefud_entity.find_name_place(self.header.fields or HEADER)
        spans = corefud_entity.parse(parsed.entities, at, fault)
        for span, mention in zip(spans, make_mentions(spans, number, parsed.nodes), strict=True):
            self.found.setdefault(span.entity, []).append((mention, span.attributes))
        self.sentences.append(Sentence(parsed.tokens, speaker))
        self.nodes.append(parsed.nodes)
        self.cells.append(parsed.entities)
        self.extras.append({"comments": list(comments), **parsed.extra})

    def make_document(self, lang: str) -> Document:
        """Make the document, its meta without parts that the writer adds anyway."""
        # The header, as it would be written: mentions are not without one before them.
        fields = self.header.fields or HEADER
        if self.found and not self.headed:
            self.header.fields = fields
            self.extras[0]["comments"].append(f"# global.Entity = {fields}")
        if fields != HEADER and self.found:
            self.meta["header"] = fields
        # The clusters by first bracket, their mentions in the order of the text. Their names are
        # kept where the writer, which counts through the file, would give others.
        for mentions in self.found.values():
            mentions.sort(key=lambda found: (found[0].sentence, found[0].start, found[0].end))
        clusters = [tuple(mention for mention, _ in found) for found in self.found.values()]
        extras = {str(number): extra for number, extra in enumerate(self.extras)}
        ids = list(self.found)
        before = self.header.clusters
        self.header.clusters += len(ids)
        if ids != usual_ids(len(ids), before) or clusters != sort_clusters(clusters, extras):
            self.meta["ids"] = ids
        if related := self._collect_related(dict(zip(ids, clusters, strict=True))):
            self.meta["related"] = related
        if attributes := self._collect_attributes():
            self.meta["attributes"] = attributes
        # What is left of each sentence is found by writing it, which takes a document.
        document = Document(
            self.name,
            self.part,
            lang,
            tuple(self.sentences),
            tuple(clusters),
            {"corefud": self.meta} if self.meta else {},
        )
        if kept := self._collect_extras(document, fields, extras, before):
            meta = {"corefud": self.meta | {"sentences": kept}}
            return replace(document, meta=meta)
        return document

    def _collect_related(self, named: Mapping[str, Sequence[Mention]]) -> dict[str, list[str]]:
        """Collect the mentions of each entity in a relation, none where the file has none."""
        # In `misc` of the words, and in the last of the columns that an empty node has.
        names = {
            name
            for extra in self.extras
            for text in (*extra.get("misc", {}).values(), *extra.get("empty", {}).values())
            for _, value in _RELATION.findall(text.replace("\t", "|"))
            for pair in _PAIR.findall(value)
            for name in pair[:2]
        }
        return {name: attribute_keys(named.get(name, ())) for name in sorted(names)}

    def _collect_attributes(self) -> dict[str, str]:
        """Collect the attributes (type, head, ...) differing from the writer's defaults."""
        return {
            key: said
            for mentions in self.found.values()
            for (mention, said), key in zip(
                mentions, attribute_keys([mention for mention, _ in mentions]), strict=True
            )
            if said
            != usual_attributes(
                mention, self.nodes[mention.sentence], self.sentences[mention.sentence]
            )
        }

    def _collect_extras(
        self, document: Document, fields: str, extras: dict[str, dict[str, Any]], before: int
    ) -> dict[str, dict[str, Any]]:
        """Collect the extras of each sentence, by its number, as the meta keeps them."""
        named = name_clusters(document, self.meta, extras, before)
        mentions = group_by_sentence(named, self.meta)
        lines = Comments(document, fields)
        kept: dict[str, dict[str, Any]] = {}
        for number, extra in enumerate(extras.values()):
            here = mentions.get(number, [])
            nodes, cells, sentence = self.nodes[number], self.cells[number], self.sentences[number]
            # Brackets are kept where the writer would set others, or refuse these: in Czech two
            # mentions may differ in an empty node alone, and have the same words.
            try:
                usual = make_cells(here, nodes, sentence, fields) == cells
            except (LookupError, ValueError):
                usual = False
            if usual:
                drop_usual_nodes(extra, here)
            else:
                extra["entity"] = {
                    name: cell for name, cell in zip(nodes.ids, cells, strict=True) if cell
                }
            said = [lines.shorten(comment, number, extra) for comment in extra.pop("comments")]
            if said != lines.list_usual(number):
                extra["comments"] = said
            if extra:
                kept[str(number)] = extra
        return kept


def list_relations(document: Document) -> Iterator[tuple[str, str, str, bool]]:
    """Yield a document's relations: `Bridge` or `SplitAnte`, `e1<e2:kind`, and where it stands.

    Last comes whether a mention is there, of which an empty node says nothing. Raises what
    malformed meta raises.
    """
    covered = {
        (mention.sentence, word)
        for cluster in document.clusters
        for mention in cluster
        for word in range(mention.start, max(mention.end, mention.start + 1))
    }
    sentences: dict[str, dict[str, Any]] = document.meta.get("corefud", {}).get("sentences", {})
    for number, extra in sentences.items():
        words, nodes = extra.get("misc", {}), extra.get("empty", {})
        miscs = [
            (f"word {int(word) + 1}", misc, (int(number), int(word)) in covered)
            for word, misc in words.items()
        ]
        miscs += [(f"node {name}", row.replace("\t", "|"), True) for name, row in nodes.items()]
        for node, misc, there in miscs:
            for kind, value in _RELATION.findall(misc):
                for pair in value.split(","):
                    yield kind, pair, f"{node} of sentence {int(number) + 1}", there


def split_relation(pair: str) -> tuple[str, str] | None:
    """Split `e1<e2:kind` into antecedent and anaphor; None where it is no such pair."""
    match = _PAIR.fullmatch(pair)
    return (match[1], match[2]) if match else None


def _keep_relations(
    extra: dict[str, Any], names: Mapping[str, str], header: Header
) -> dict[str, Any]:
    """Drop the relations of an `extra` between entities not in `names`; `header` counts them."""
    made = dict(extra)
    if "misc" in extra:
        made["misc"] = {word: _keep_in(misc, names, header) for word, misc in extra["misc"].items()}
    if "empty" in extra:  # MISC is the last column of a whole row, and short rows have none
        rows = ((name, row.split("\t")) for name, row in extra["empty"].items())
        made["empty"] = {
            name: "\t".join([*row[:8], *(_keep_in(misc, names, header) for misc in row[8:])])
            for name, row in rows
        }
    return made


def _keep_in(misc: str, names: Mapping[str, str], header: Header) -> str:
    """Drop the relations in MISC between entities not in `names`; rename the others."""
    items = []
    for item in misc.split("|"):
        if relation := _RELATION.fullmatch(item):
            pairs = [_PAIR.fullmatch(pair) for pair in relation[2].split(",")]
            holds = [p for p in pairs if p and p[1] in names and p[2] in names]
            # Split antecedents of one anaphor go together: a part of them says something else.
            if relation[1] == "SplitAnte":
                lost = {p[2] if p else None for p in pairs if p not in holds}
                holds = [p for p in holds if p[2] not in lost]
            header.dropped += len(pairs) - len(holds)
            value = ",".join(f"{names[p[1]]}<{names[p[2]]}{p[3]}" for p in holds)
            item = f"{relation[1]}={value}" if value else ""
        items.append(item)
    return "|".join(filter(None, items)) or "_"


def document_lines(document: Document, header: Header) -> Iterator[str]:
    """Yield the lines of a document in CoNLL-U.

    Raises `ValueError` (or what malformed meta raises) for what cannot be written.
    """
    meta: dict[str, Any] = document.meta.get("corefud", {})
    if not document.sentences:
        raise ValueError("the document has no sentences")
    fields = meta.get("header", HEADER)
    extras = meta.get("sentences", {})
    named = name_clusters(document, meta, extras, header.clusters)
    mentions = group_by_sentence(named, meta)
    # Relations name unchanged entities by their new names. An entity that the file named but did
    # not have is still none, unless its name is given now.
    was = {name: tuple(sorted(keys)) for name, keys in meta.get("related", {}).items()}
    now = {tuple(sorted(attribute_keys(cluster))): name for name, cluster in named.items()}
    related = {name: now[keys] for name, keys in was.items() if keys in now}
    related |= {name: name for name, keys in was.items() if not keys and name not in named}
    header.clusters += len(document.clusters)
    comments = Comments(document, fields)
    for number, sentence in enumerate(document.sentences):
        extra = _keep_relations(extras.get(str(number), {}), related, header)
        yield from _comment_lines(comments, number, extra, header)
        # Mentions need a header before them that says the same of their attributes.
        if document.clusters and header.fields != fields:
            header.fields = fields
            yield f"# global.Entity = {fields}"
        nodes, cells = _make_entities(sentence, mentions.get(number, []), extra, fields)
        yield from make_rows(sentence, nodes, cells, extra)
        yield ""


def _comment_lines(
    comments: Comments, number: int, extra: dict[str, Any], header: Header
) -> Iterator[str]:
    """Make the comments of a sentence; `header` takes the `# global.Entity` that is among them."""
    words = list(extra.get("comments", comments.list_usual(number)))
    # A document's first sentence opens it, even if its comments are from a document before.
    if not number and "newdoc" not in words:
        words = ["newdoc", *(word for word in words if not NEWDOC.fullmatch(word))]
    for word in words:
        line = word if word.startswith("#") else comments.expand(word, number, extra)
        if "\n" in line or "\0" in line or line.endswith("\r"):
            raise ValueError("a name or comment holds a line break or a NUL")
        if number and NEWDOC.fullmatch(line):
            raise ValueError("meta.corefud has a comment that opens a new document within this one")
        match = EXACT.fullmatch(line) or LOOSE.fullmatch(line)
        if match and match[1] == "global.Entity":
            header.fields = match[2]
        yield line


def _make_entities(
    sentence: Sentence, mentions: Sequence[Named], extra: dict[str, Any], fields: str
) -> tuple[Nodes, list[str | None]]:
    """Make the nodes of a sentence, with the values of `Entity` for its mentions."""
    for _, _, mention in mentions:
        bounds = [place for part in mention.parts for place in part]
        if bounds and (
            mention.zero
            or len(bounds) == 2
            or bounds != sorted(bounds)
            or (bounds[0], bounds[-1]) != (mention.start, mention.end)
        ):
            span = f"[{mention.start}, {mention.end})"
            raise ValueError(f"the parts of mention {span} do not run from its start to its end")
    # First, as they were read, if they still name these mentions.
    if "entity" in extra and mentions:
        nodes = make_nodes(len(sentence.tokens), Counter(), extra)
        cells = restore_cells(mentions, extra["entity"], nodes, sentence, fields)
        if cells is not None:
            return nodes, cells
    # Else new brackets, with an empty node for each zero mention.
    zeros = Counter(mention.start for _, _, mention in mentions if mention.zero)
    nodes = make_nodes(len(sentence.tokens), zeros, extra)
    return nodes, make_cells(mentions, nodes, sentence, fields)


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Stream the documents of a CoNLL-U file, each with the number of its first line.

    Raises `DataError` with the line of what breaks rules 1 and 4.
    """
    header = Header()
    builder: DocumentBuilder | None = None
    count = 0
    for number, comments, rows in read_sentences(path):
        line = number + len(comments)  # of the first row
        try:
            if builder is None or any(map(NEWDOC.fullmatch, comments)):
                if builder is not None:
                    yield builder.line, builder.make_document(lang)
                count += 1
                unnamed = disk.show_name(path.stem) + ("" if count == 1 else f"-{count}")
                builder = DocumentBuilder(comments, number, unnamed, header)
            builder.add_sentence(comments, rows)
        except (RowError, EntityError) as error:
            row, remedy = (error.row, None) if isinstance(error, RowError) else (error.node, REMEDY)
            raise DataError(str(error), path=path, line=line + row, remedy=remedy) from None
        except ValueError as error:
            raise DataError(str(error), path=path, line=number) from None
    if builder is not None:
        yield builder.line, builder.make_document(lang)


def read_sentences(path: Path) -> Iterator[tuple[int, list[str], list[str]]]:
    """Stream the sentences of a file: the first line's number, the comments and the rows."""
    first = number = 0
    comments: list[str] = []
    rows: list[str] = []
    for number, line in disk.read_lines(path, sentences=True):
        if line.startswith("#") and not rows:
            comments.append(line)
        elif line.strip():
            rows.append(line)
        elif comments or rows:
            yield first, comments, rows
            comments, rows = [], []
        if len(comments) + len(rows) == 1:
            first = number
    if comments or rows:
        yield first, comments, rows


def write(path: Path, documents: Iterable[Document]) -> int:
    """Write the documents, whole or not at all, and return their number.

    One warning counts the relations that do not hold any more (rule 9). Raises `DataError` for a
    document that the columns cannot carry (rules 1 and 6).
    """
    header = Header()

    def encode(document: Document) -> str:
        return "".join(f"{line}\n" for line in document_lines(document, header))

    written = write_documents(path, documents, encode, "CoNLL-U with Entity")
    if header.dropped:
        logging.getLogger(__name__).warning(
            "%s: %s (Bridge, SplitAnte) left out: their entities are gone or changed",
            disk.show_name(path.name),  # the folder may be a draft
            f"{header.dropped:,} relation{'s' * (header.dropped > 1)}",
        )
    return written


FORMAT = Format(
    name="corefud",
    schema="document/1",
    summary="CoNLL-U, with CorefUD's mentions if there are any",
    suffix=".conllu",
    read=read,
    write=write,
    suits=suits,
)
