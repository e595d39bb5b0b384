"""CoNLL-UA of Universal Anaphora and the CODI-CRAC shared tasks: CoNLL-U with columns of anaphora.

1. `# global.columns` names the columns: ID, FORM, others of CoNLL-U, IDENTITY, BRIDGING and more.
   They are separated by tabs, or by blanks; those missing at a row's end are empty. IDs count on
   through a document. A comment or an empty line closes a sentence.
2. IDENTITY has brackets over nodes: `(EntityID=1|MarkableID=markable_3|Min=2|SemType=dn` opens a
   mention, `)` closes the last one, `@` may stand between. A further bracket of a markable in a
   sentence is another part of it.
3. The reader turns a document into CorefUD, as corefud.py reads it: the entity is the name, the
   first word of `Min` the head, and other attributes are `other`. BRIDGING becomes `Bridge`,
   `ElementOf` (on a mention of an antecedent) `SplitAnte` at the set's first mention.
4. Other columns are kept in MISC under their names, `,` for `|`. Discourse deixis is among them: it
   has entities of its own, and is no coreference of mentions.
5. Not read are markables that do not refer (EntityID ends in `-Pseudo`), mentions over a
   sentence's end, relations to either, and DEPS where IDs do not begin at 1. They are counted.
6. HEAD counts as the IDs do, or within the sentence where its numbers allow only that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.terminal import warn_once
from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.bad_mentions import REMEDY, UNCLOSED, UNOPENED, drop
from corefmill.corpora.formats.corefud import DocumentBuilder, Header
from corefmill.corpora.formats.corefud_entity import NEWDOC, EntityError, RowError, Span, escape
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import Document

_CONLLU = ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"]
_USUAL = [*_CONLLU, "IDENTITY", "BRIDGING", "DISCOURSE_DEIXIS", "REFERENCE", "NOM_SEM"]
_HEADER = "GRP-etype-head-other"
"""Names of entities hold within a document (GRP), and documents count them anew."""
_COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
_SPEAKER = re.compile(r"#\s*speaker(?:_?id)?\s*=\s*(.*?)\s*", re.IGNORECASE)
_SUITS = re.compile(
    r"(?mi)^#[ \t]*global\.columns[ \t]*=.*\bIDENTITY\b|^\d+[ \t].*\(Entity_?ID=[^|()\s]"
)
_BRACKET = re.compile(r"\(([^()@]+)|\)")
_PSEUDO = re.compile(r".*[-_]pseudo", re.IGNORECASE)


@dataclass
class _Sentence:
    """A sentence: its comments, and its rows by the columns' names, each with its line."""

    comments: list[str]
    line: int
    rows: list[dict[str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass
class _Markable:
    """A mention: its entity, its first sentence, and its nodes as half-open parts."""

    entity: str
    values: dict[str, str]
    sentence: int
    row: int
    parts: list[tuple[int, int]]
    whole: bool = True


def read(path: Path, lang: str) -> Iterator[tuple[int, Document]]:
    """Stream the documents of a file, and warn of what was not read.

    Raises `DataError` with the line of what breaks rules 1 and 2.
    """
    header, lost = Header(), Counter[str]()
    unnamed = disk.show_name(path.stem)
    for count, sentences in enumerate(_read_sentences(path), 1):
        name = unnamed if count == 1 else f"{unnamed}-{count}"
        sentences[0].comments.append(f"# global.Entity = {_HEADER}")
        builder = DocumentBuilder(sentences[0].comments, sentences[0].line, name, header)
        for sentence, rows in zip(sentences, _convert(sentences, path, lost), strict=True):
            try:
                builder.add_sentence(sentence.comments, rows)
            except (RowError, EntityError) as error:
                row = error.row if isinstance(error, RowError) else error.node
                raise DataError(str(error), path=path, line=sentence.lines[row]) from None
            except ValueError as error:
                raise DataError(str(error), path=path, line=sentence.line) from None
        yield builder.line, builder.make_document(lang)
    if lost:
        said = ", ".join(f"{what} ({number:,})" for what, number in lost.items())
        warn_once(f"{disk.show_name(path)}: {said}")


def _read_sentences(path: Path) -> Iterator[list[_Sentence]]:
    """Stream the sentences of each document."""
    columns, document = _USUAL, list[_Sentence]()
    sentence = _Sentence([], 1)
    for number, line in disk.read_lines(path, sentences=True):
        if line.startswith("#") or not line.strip():
            if sentence.rows:
                document.append(sentence)
                sentence = _Sentence([], number)
            if named := _COLUMNS.fullmatch(line.rstrip()):
                columns = [name.upper() for name in named[1].split()]
                if not {"ID", "FORM", "IDENTITY"} <= set(columns):
                    raise DataError(
                        f"the columns are {' '.join(columns)[:100]}",
                        path=path,
                        line=number,
                        remedy=f"ID, FORM and IDENTITY were expected, as in {' '.join(_USUAL)}",
                    )
                continue
            if NEWDOC.fullmatch(line) and document:
                yield document
                document = []
            if line.strip():
                speaker = _SPEAKER.fullmatch(line)
                sentence.line = sentence.line if sentence.comments else number
                sentence.comments.append(f"# speaker = {speaker[1]}" if speaker else line)
            continue
        cells = line.split("\t") if line.count("\t") == len(columns) - 1 else line.split()
        cells = [cell.strip() or "_" for cell in cells]
        least = columns.index("IDENTITY")
        if not least <= len(cells) <= len(columns):
            raise DataError(
                f"{len(cells)} columns, where {least} to {len(columns)} were expected",
                path=path,
                line=number,
            )
        if not sentence.comments and not sentence.rows:
            sentence.line = number
        row = dict.fromkeys(_CONLLU, "_") | dict(zip(columns, cells, strict=False))
        sentence.rows.append(row)
        sentence.lines.append(number)
    if sentence.rows:
        document.append(sentence)
    if document:
        yield document


def _convert(sentences: list[_Sentence], path: Path, lost: Counter[str]) -> Iterator[list[str]]:
    """Convert the sentences of a document to rows of CorefUD; `lost` counts what is not read."""
    # First, the mentions by sentence, and the entity of each markable.
    markables = _read_markables(sentences, path)
    entities = {one.values["markableid"]: one.entity for one in markables if one.values}
    spans: dict[int, list[Span]] = {}
    first: dict[str, _Markable] = {}
    places = [
        {name: node for node, name in enumerate(c["ID"] for c in one.rows if "-" not in c["ID"])}
        for one in sentences
    ]
    for one in markables:
        if _PSEUDO.fullmatch(one.entity):
            lost["markables left out that do not refer"] += 1
        elif not one.whole:
            lost["mentions left out that go over a sentence's end"] += 1
        else:
            spans.setdefault(one.sentence, []).append(_make_span(one, places[one.sentence]))
            first.setdefault(one.entity, one)
    # Second, the relations between entities that have a mention.
    relations: dict[tuple[int, int, str], list[str]] = {}
    for number, sentence in enumerate(sentences):
        for row, cells in enumerate(sentence.rows):
            for said in re.findall(r"[^()@_][^()@]*", cells.get("BRIDGING", "_")):
                values = _parse_values(said)
                anaphor = entities.get(values.get("markableid", ""))
                named = values.get("mentionanchor", "").split(",")
                anchors = values.get("entityanchor", "").split(",")
                if anchors == [""]:
                    anchors = [entities.get(name, "") for name in named]
                for anchor in anchors:
                    if anchor in first and anaphor in first:
                        kind = f":{escape(values['rel'])}" if values.get("rel") else ""
                        pair = f"{escape(anchor)}<{escape(anaphor)}{kind}"
                        relations.setdefault((number, row, "Bridge"), []).append(pair)
                    else:
                        lost["bridging left out whose mentions are not read"] += 1
    elements = {
        (group, one.entity): None
        for one in markables
        for group in one.values.get("elementof", "").split(",")
        if group
    }
    for group, entity in elements:
        if group in first and entity in first:
            place = (first[group].sentence, first[group].row, "SplitAnte")
            relations.setdefault(place, []).append(f"{escape(entity)}<{escape(group)}")
        else:
            lost["split antecedents left out whose mentions are not read"] += 1
    # Last, the rows.
    for number, sentence in enumerate(sentences):
        size = sum("-" not in cells["ID"] for cells in sentence.rows)
        try:
            found = corefud_entity.make(spans.get(number, []), size, repeats=True)
        except ValueError as error:
            raise DataError(str(error), path=path, line=sentence.lines[0]) from None
        yield _make_rows(sentence, found, number, relations, lost)


def _parse_values(said: str) -> dict[str, str]:
    """Parse `EntityID=1|MarkableID=m`; keys in small letters, as files differ in them."""
    pairs = (pair.partition("=") for pair in said.split("|"))
    values = {key.strip().casefold().replace("_", ""): value.strip() for key, _, value in pairs}
    if "mentionid" in values:
        values["markableid"] = values.pop("mentionid")
    return values


def _read_markables(sentences: list[_Sentence], path: Path) -> list[_Markable]:
    """Read the brackets of IDENTITY, in the order in which mentions open; leave bad ones out."""
    found: list[_Markable] = []
    known: dict[tuple[int, str, str], _Markable] = {}
    unclosed: list[tuple[_Markable, int, int, int]] = []  # with sentence, node and line
    for number, sentence in enumerate(sentences):
        node = -1
        for row, (cells, line) in enumerate(zip(sentence.rows, sentence.lines, strict=True)):
            node += "-" not in cells["ID"]
            cell = cells.get("IDENTITY", "_")
            if cell == "_":
                continue
            if _BRACKET.sub("", cell).strip("@"):
                raise DataError(
                    f"IDENTITY is {cell[:60]!r}",
                    path=path,
                    line=line,
                    remedy="brackets such as (EntityID=1|MarkableID=markable_1 and ) were expected",
                )
            for bracket in _BRACKET.finditer(cell):
                if bracket[1] is None:
                    if not unclosed:
                        said = ") closes no mention"
                        drop(UNOPENED, DataError(said, path=path, line=line, remedy=REMEDY))
                        continue
                    one, opened, start, _ = unclosed.pop()
                    one.parts.append((start, node + 1))
                    one.whole = one.whole and opened == number
                    continue
                values = _parse_values(bracket[1])
                if not (entity := values.get("entityid", "")):
                    said = f"({bracket[1][:60]} has no EntityID"
                    raise DataError(said, path=path, line=line)
                values.setdefault("markableid", f"{number}.{node}.{len(found)}")
                key = (number, entity, values["markableid"])
                if key not in known:
                    known[key] = _Markable(entity, values, number, row, [])
                    found.append(known[key])
                unclosed.append((known[key], number, node, line))
    for one, _, _, line in reversed(unclosed):
        said = f"the mention {one.values['markableid']} of entity {one.entity} is not closed"
        drop(UNCLOSED, DataError(said, path=path, line=line, remedy=REMEDY))
    bad = [id(one) for one, *_ in unclosed]
    return [one for one in found if id(one) not in bad]


def _make_span(one: _Markable, places: dict[str, int]) -> Span:
    """Make the span of a mention; `places` are the nodes of its sentence by ID (rule 3)."""
    least = places.get(re.split(r"[,-]", one.values.get("min", ""))[0], -1)
    head, before = 1, 0
    for start, end in sorted(one.parts):
        if start <= least < end:
            head = before + least - start + 1
        before += end - start
    names = ("MarkableID", "Min", "SemType")
    other = [(name, one.values[name.casefold()]) for name in names if name.casefold() in one.values]
    used = {"entityid", "elementof", *(name.casefold() for name in names)}
    other += [(key, value) for key, value in one.values.items() if key not in used]
    said = ",".join(f"{escape(key)}:{escape(value)}" for key, value in other)
    return Span(escape(one.entity), f"--{head}-{said}", tuple(sorted(one.parts)))


def _make_rows(
    sentence: _Sentence,
    brackets: list[str | None],
    number: int,
    relations: dict[tuple[int, int, str], list[str]],
    lost: Counter[str],
) -> list[str]:
    """Make the ten columns of a sentence's rows, IDs from 1."""
    ids = [int(cells["ID"]) for cells in sentence.rows if re.fullmatch(r"\d{1,9}", cells["ID"])]
    base = ids[0] - 1 if ids else 0
    heads = [cells["HEAD"] for cells in sentence.rows if cells["HEAD"] not in ("_", "0")]
    shift = base if all(head in set(map(str, ids)) for head in heads) else 0
    rows = []
    node = 0
    for row, cells in enumerate(sentence.rows):
        columns = [cells[name] for name in _CONLLU]
        columns[0] = re.sub(
            r"(?:^|(?<=-))\d{1,9}", lambda found: str(int(found[0]) - base), columns[0]
        )
        if columns[6] not in ("_", "0") and shift:
            columns[6] = str(int(columns[6]) - shift)
        if base and columns[8] != "_":
            lost["DEPS left out of sentences whose IDs do not begin at 1"] += 1
            columns[8] = "_"
        misc = [columns[9]] if columns[9] != "_" else []
        if "-" not in cells["ID"]:
            misc += [f"Entity={brackets[node]}"] if brackets[node] else []
            node += 1
        for kind in ("Bridge", "SplitAnte"):
            if pairs := relations.get((number, row, kind)):
                misc.append(f"{kind}={','.join(pairs)}")
        for name, value in cells.items():
            if name not in (*_CONLLU, "IDENTITY", "BRIDGING") and value != "_":
                misc.append(f"{name}={value.replace('|', ',')}")
                lost[f"cells of {name} kept in MISC alone"] += 1
        rows.append("\t".join([*columns[:9], "|".join(misc) or "_"]))
    return rows


FORMAT = Format(
    name="conll-ua",
    schema="document/1",
    summary="CoNLL-UA of Universal Anaphora and CODI-CRAC",
    suffix=".CONLLUA",
    read=read,
    write=None,
    suits=lambda name, head: _SUITS.search(head) is not None,
)
