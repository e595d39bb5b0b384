"""Texts with marked spans and links between them, as annotation tools hold them, made documents.

projects.py and webanno.py read a tool's files into `AnnotatedText`; here the decisions are made
that are the same for all tools:

1. A layer is a kind of link: the type of a relation, a chain layer, or a value that spans share
   (an attribute, a note, the label itself). `--layer A,B` names those that join a cluster's
   spans; `LAYER` stands for each `LAYER/VALUE`. Otherwise the layer is guessed: the relation
   named as coreference is, else the value named so, else the only relation, else the only value
   that numbers its spans. Where several could be meant, the error lists them; where there is none,
   each span is a cluster of its own.
2. Clusters are what the links connect. A span without a link is a cluster of one mention.
3. Words and sentences are the tool's own, or those that `predict` cuts plain text into. A mention
   that cuts a word between two letters is a bad one (see bad_mentions.py); any other is widened to
   whole words. Sentences are joined where a mention reaches over their border.
4. Pieces of a discontinuous span are kept as `parts`. A span that stands twice in a cluster counts
   once, and a cluster of one mention goes where another cluster has its span.
5. Labels are kept in `meta`, as lists parallel to the clusters.
6. One line for each file says which layer was guessed, and counts what was changed or left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from pathlib import Path

from corefmill.corpora import plain
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, naming
from corefmill.corpora.files.terminal import warn_once
from corefmill.corpora.formats.form import Format, Located, is_whole
from corefmill.corpora.records import Document, Mention, Span
from corefmill.corpora.words import strip_span

_COREFERENCE = re.compile(
    r"[ck]or{1,2}[eé]f|anaph|anafor|antece|identity|identical|\bident\b|same|chain|cluster"
    r"|entity.?id|refers",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"bridg|part.?of|part.?whole|split|set.?member|\bnear|associat|metonym|dependency"
    r"|semantic.?arg|morpholog|not.?same|different",
    re.IGNORECASE,
)
"""Links that no guess takes for identity: bridging and its like, and layers of syntax."""
_NUMBERED = re.compile(r"[^\W\d]{0,20}[\s_.#-]{0,2}\d{1,9}")
"""A value that numbers a cluster: 3, E12, chain_1."""


class ChangeCounts(Counter[str]):
    """Counts of what is changed or left out, with the names of the first three of a kind."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, list[str]] = {}

    def add(self, kind: str, name: str) -> None:
        """Count one of a kind by its name."""
        self[kind] += 1
        if self[kind] <= 3:
            self.names.setdefault(kind, []).append(name[:40])

    def __str__(self) -> str:
        shown = []
        for kind, count in self.items():
            names = ", ".join(self.names.get(kind, ()))
            more = ", ..." if count > 3 else ""
            if count:
                shown.append(f"{kind}: {count:,}{f' ({names}{more})' if names else ''}")
        return "; ".join(shown)


@dataclass
class AnnotatedText:
    """A text as a tool holds it, with its spans by their ids, and links by their layers.

    A span is one piece or several; `quoted` has the words that the tool says are there. `values`
    are the layers whose links are values that spans share, and whether all are numbers. `kinds`
    has the layer of each span, where a tool has several, and `joins` the one that a link joins.
    `sentences` are lists of words, None where the tool has none.
    """

    name: str
    text: str
    line: int = 1
    spans: dict[str, list[Span]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    quoted: dict[str, str] = field(default_factory=dict)
    links: dict[str, list[list[str]]] = field(default_factory=dict)
    values: dict[str, bool] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    joins: dict[str, str] = field(default_factory=dict)
    sentences: list[list[Span]] | None = None
    speakers: list[tuple[int, str]] = field(default_factory=list)
    counts: ChangeCounts = field(default_factory=ChangeCounts)

    def link(self, layer: str, ids: Iterable[str]) -> None:
        """Add a link between spans."""
        self.links.setdefault(layer, []).append(list(ids))

    def share(self, layer: str, values: Mapping[str, str]) -> None:
        """Add a link between the spans (ids) of each equal value."""
        groups: dict[str, list[str]] = {}
        for name, value in values.items():
            groups.setdefault(value, []).append(name)
        self.values[layer] = all(map(_NUMBERED.fullmatch, groups))
        self.links.setdefault(layer, []).extend(groups.values())


_RELATION, _EMPTY, _VALUE, _NUMBERS = "relation", "empty", "value", "numbers"
"""The kinds of layers: relations and chains, such ones without a link, values that spans share, and
numbers of clusters."""

Parse = Callable[[Path], Iterator[AnnotatedText]]


def make_format(
    name: str,
    summary: str,
    suffix: str,
    parse: Parse,
    suits: Callable[[str, str], bool],
    list_layers: Parse | None = None,
) -> Format:
    """Make the format of a tool's files; `list_layers`, else `parse`, reads what is guessed by."""

    def read_layer(path: Path, lang: str, layer: str | None) -> Located:
        # The layers are chosen before the first document: all are joined by the same ones.
        layers = _list_layers((list_layers or parse)(path))
        chosen = choose_layers(layers, layer, path)
        counts = ChangeCounts()
        for one in parse(path):
            if not one.text.strip():
                counts.update(one.counts)
                if not one.counts:
                    counts.add("left out, text without a word", one.name)
                continue
            with naming(path, one.line):
                yield one.line, _make_document(one, chosen, name, lang, counts)
        said = ""
        if chosen and not layer:
            said = f"spans joined by {', '.join(chosen)} (guessed; convert's --layer names another)"
        elif not layer:
            others = f" (--layer of convert may be {', '.join(layers)})" if layers else ""
            said = f"no link joins the spans{others}"
        if found_any := "; ".join(filter(None, (said, str(counts)))):
            warn_once(f"{disk.show_name(path)}: {found_any}")

    def read(path: Path, lang: str) -> Located:
        return read_layer(path, lang, None)

    return Format(name, "document/1", summary, suffix, read, None, suits, read_layer=read_layer)


def _list_layers(texts: Iterable[AnnotatedText]) -> dict[str, str]:
    """List the layers of all texts, each with its kind."""
    layers: dict[str, str] = {}
    shared: set[str] = set()
    for one in texts:
        for name, links in one.links.items():
            kind = _RELATION if name not in one.values else _NUMBERS
            if kind == _NUMBERS and not (one.values[name] and layers.get(name) != _VALUE):
                kind = _VALUE
            if kind == _RELATION and not links:
                kind = layers.get(name, _EMPTY)
            layers[name] = kind
            shared.update(name for ids in links if len(ids) > 1)
    # Numbers that no two spans have number the spans themselves.
    return {
        name: _VALUE if kind == _NUMBERS and name not in shared else kind
        for name, kind in layers.items()
    }


def choose_layers(layers: Mapping[str, str], wanted: str | None, path: Path) -> list[str]:
    """Choose the layers that join spans to clusters (rule 1), given the kind of each.

    Raises `DataError` where a wanted one is missing, or several could be meant.
    """
    if wanted:
        chosen: list[str] = []
        for name in filter(None, map(str.strip, wanted.split(","))):
            own = [one for one in layers if one == name or one.startswith(f"{name}/")]
            if not own:
                known = ", ".join(layers) or "none"
                raise DataError(f"no layer {name!r} here; the layers are: {known}", path=path)
            chosen += own
        return chosen
    identity = {one: kind for one, kind in layers.items() if not _OTHERS.search(one)}
    relations = [one for one, kind in identity.items() if kind == _RELATION]
    values = [one for one, kind in identity.items() if kind in (_VALUE, _NUMBERS)]
    numbers = [one for one, kind in identity.items() if kind == _NUMBERS]
    named = [[one for one in group if _COREFERENCE.search(one)] for group in (relations, values)]
    found = next(filter(None, (*named, relations, numbers)), None)
    if found is None:
        return [one for one, kind in identity.items() if kind == _EMPTY]
    # The values of one layer that is named as coreference is are kinds of it; a layer and its only
    # value are the same.
    heads = {one.partition("/")[0] for one in found}
    same = len(heads) == 1 and (
        _COREFERENCE.search(heads.pop()) or sum("/" in one for one in found) == 1
    )
    if len(found) > 1 and not same:
        raise DataError(
            f"several layers could join the spans of a cluster: {', '.join(found)}",
            path=path,
            remedy="name one by `corefmill convert --layer NAME`, or several with commas",
        )
    return found


Pieces = tuple[Span, ...]
"""The pieces of a span in words, counted over the whole text."""


def _make_document(
    one: AnnotatedText, chosen: Sequence[str], tool: str, lang: str, counts: ChangeCounts
) -> Document:
    """Make the document of a text by rules 2 to 5, counting what is changed or left out."""
    counts.update(one.counts)
    sentences = one.sentences if one.sentences is not None else plain.cut_sentences(one.text, lang)
    sentences = [list(words) for words in sentences if words]
    _fit_offsets(one, counts)
    flat = [word for words in sentences for word in words]
    places = _place_spans(one, flat, counts)
    clusters = _cluster_spans(one, places, chosen, counts)

    # Sentences are joined where a mention lies in two: the border between them goes.
    borders = [0, *accumulate(map(len, sentences))]
    crossed: set[int] = set()
    for pieces in (pieces for cluster in clusters for pieces, _ in cluster):
        first = bisect_right(borders, pieces[0][0])
        crossed.update(range(first, bisect_left(borders, pieces[-1][1])))
    if crossed:
        counts["sentences joined, since a mention reaches into the next"] += len(crossed)
        borders = [border for number, border in enumerate(borders) if number not in crossed]
        sentences = [flat[start:end] for start, end in pairwise(borders)]

    document = plain.make_document(one.text, sentences, lang, one.name)
    if one.speakers:
        begins = [start for start, _ in one.speakers]
        spoken = [
            replace(
                sentence, speaker=one.speakers[bisect_right(begins, words[0][0]) - 1][1] or None
            )
            for sentence, words in zip(document.sentences, sentences, strict=True)
        ]
        document = replace(document, sentences=tuple(spoken))

    def make_mention(pieces: Pieces) -> Mention:
        number = bisect_right(borders, pieces[0][0]) - 1
        own = tuple((start - borders[number], end - borders[number]) for start, end in pieces)
        return Mention(number, own[0][0], own[-1][1], own if len(own) > 1 else ())

    labels = [[one.labels.get(name, "") for _, name in cluster] for cluster in clusters]
    return replace(
        document,
        clusters=tuple(tuple(make_mention(pieces) for pieces, _ in row) for row in clusters),
        meta={tool: {"labels": labels}} if any(map(any, labels)) else {},
    )


def _place_spans(
    one: AnnotatedText, words: Sequence[Span], counts: ChangeCounts
) -> dict[str, Pieces]:
    """Place each span on whole words; pieces of neighbouring words are one."""
    starts, ends = [start for start, _ in words], [end for _, end in words]
    places: dict[str, Pieces] = {}
    for name, pieces in one.spans.items():
        found: list[Span] = []
        for start, end in sorted(pieces):
            first, last = bisect_right(ends, start), bisect_left(starts, end)
            if not 0 <= start <= end <= len(one.text):
                counts.add("left out, span outside the text", name)
                continue
            if first >= last:
                counts.add("left out, span without a word", name)
                continue
            bounds = strip_span(one.text, start, end)
            if not is_whole(one.text, bounds, f"document {one.name}, part 0"):
                found = []
                break
            if bounds != (starts[first], ends[last - 1]):
                counts.add("mentions widened to whole words", name)
            if found and first <= found[-1][1]:
                found[-1] = found[-1][0], max(last, found[-1][1])
            else:
                found.append((first, last))
        if found:
            places[name] = tuple(found)
    return places


def _cluster_spans(
    one: AnnotatedText, places: Mapping[str, Pieces], chosen: Sequence[str], counts: ChangeCounts
) -> list[list[tuple[Pieces, str]]]:
    """Make clusters of what the chosen layers link (rules 2 and 4), in the order of the text."""
    # Each span leads to another of its cluster, the first one to itself.
    leads = {name: name for name in places}

    def find_first(name: str) -> str:
        while leads[name] != name:
            leads[name] = leads[leads[name]]
            name = leads[name]
        return name

    linked: set[str] = set()
    for layer, links in one.links.items():
        if layer not in chosen:
            if layer not in one.values:
                counts[f"left out, links of {layer}"] += len(links)
            continue
        for ids in links:
            there = [name for name in ids if name in leads]
            linked.update(there)
            if len(there) < len(ids):
                counts.add("left out, link to a span that is not there", " ".join(ids[:2]))
            for name in there[1:]:
                leads[find_first(name)] = find_first(there[0])

    clusters: dict[str, dict[Pieces, str]] = {}
    kinds = {one.joins.get(layer) for layer in chosen}
    taken: set[Pieces] = set()
    # Spans with links come first, so that a single one of the same words goes.
    for name in sorted(places, key=lambda name: (name not in linked, places[name])):
        alone, own = name not in linked, clusters.setdefault(find_first(name), {})
        if alone and one.kinds and one.kinds[name] not in kinds:
            counts[f"left out, spans of {one.kinds[name]}"] += 1
        elif places[name] in own or (alone and places[name] in taken):
            counts.add("left out, span marked twice", name)
        else:
            counts["spans without a link, clusters of one"] += alone
            taken.add(places[name])
            own[places[name]] = name
    return sorted(sorted(own.items()) for own in clusters.values() if own)


def _fit_offsets(one: AnnotatedText, counts: ChangeCounts) -> None:
    """Find what the offsets count, by the words that the tool quotes, and count characters.

    Tools count code points, UTF-16 code units, the text with LF alone, or with a byte order mark.
    A span whose words are others in each way is left out and counted. Raises `ValueError` where
    no span fits.
    """
    if not one.quoted:
        return
    text, size = one.text, len(one.text)
    units = count_code_units(text)
    one_end = [0]  # of each character the offset where CR LF is one
    for number, letter in enumerate(text):
        pair = letter == "\r" and text[number + 1 : number + 2] == "\n"
        one_end.append(one_end[-1] + (not pair))
    ways: list[Callable[[int], int]] = [
        lambda place: place,
        lambda place: bisect_left(units, place),
        lambda place: bisect_left(one_end, place),
        lambda place: place - 1,
    ]

    def fits(name: str, way: Callable[[int], int]) -> bool:
        words = "".join(text[max(0, way(start)) : way(end)] for start, end in one.spans[name])
        return _squeeze(words) == _squeeze(one.quoted[name])

    best = max(ways, key=lambda way: sum(fits(name, way) for name in one.quoted))
    wrong = [name for name in one.quoted if not fits(name, best)]
    if len(wrong) == len(one.quoted):
        name = wrong[0]
        start, end = one.spans[name][0]
        there = text[max(0, start) : min(end, size)]
        raise ValueError(
            f"the span {name} has the words {one.quoted[name][:60]!r}, but the text there has"
            f" {there[:60]!r}: is this the text that was annotated?"
        )
    for name, pieces in one.spans.items():
        one.spans[name] = [(best(start), best(end)) for start, end in pieces]
    for name in wrong:
        counts.add("left out, span with other words than the text", name)
        del one.spans[name]


def count_code_units(text: str) -> list[int]:
    """Count the UTF-16 code units before each character of a text, and before its end."""
    counts = [0]
    for letter in text:
        counts.append(counts[-1] + 1 + (letter > "\uffff"))
    return counts


def _squeeze(text: str) -> str:
    """Take out white space, and the line ends that a tool writes as two characters."""
    return "".join(text.replace("\\n", "").split())
