"""Checks records, whatever format they came from: spans, clusters, candidates, repetitions."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from corefmill.corpora import jsonl
from corefmill.corpora.check.finding import Finding, shown
from corefmill.corpora.records import (
    UNCLEAR,
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Span,
)


def digest(*parts: object) -> int:
    """64 bits of what the parts say."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


class Repeats:
    """Keys with a value and a line each; `found` names every key that came before.

    Keys and values are 64-bit digests. Two million items take 48 MB, and as much again to sort.
    """

    def __init__(self) -> None:
        self._keys, self._values, self._lines = array("Q"), array("Q"), array("q")

    def add(self, key: int, line: int, value: int = 0) -> None:
        """One item more."""
        self._keys.append(key)
        self._values.append(value)
        self._lines.append(line)

    def found(self) -> Iterator[tuple[int, int, bool]]:
        """(line, line of the key's first item, whether both have the same value), by line."""
        keys = np.frombuffer(self._keys, dtype=np.uint64)
        order = np.argsort(keys, kind="stable")
        again = np.flatnonzero(keys[order][1:] == keys[order][:-1]) + 1
        first = {int(keys[order[i]]): int(order[i - 1]) for i in again[::-1]}
        for i in sorted(int(order[i]) for i in again):
            origin = first[self._keys[i]]
            yield self._lines[i], self._lines[origin], self._values[i] == self._values[origin]


MOST = 100
"""A thousand spans that all cross make half a million pairs."""


class EntitySpan(NamedTuple):
    """A span of an entity; `owner` is the entity's index."""

    start: int
    end: int
    owner: int


def crossing(spans: Iterable[EntitySpan]) -> Iterator[tuple[EntitySpan, EntitySpan]]:
    """Each two that cross, the earlier one first; of any span with `MOST` earlier ones at most."""
    opened: list[tuple[int, int, EntitySpan]] = []  # by their ends, then by their order
    for number, span in enumerate(sorted(set(spans), key=lambda s: (s.start, -s.end, s.owner))):
        del opened[: bisect_left(opened, (span.start + 1,))]
        # What ends within the span began before it: of those that begin with it, the longer ones
        # came first.
        crossed = opened[: min(MOST, bisect_left(opened, (span.end,)))]
        for *_, one in sorted(crossed, key=itemgetter(1)):
            yield one, span
        insort(opened, (span.end, number, span))


def cuts_word(text: str, start: int, end: int) -> bool:
    """Whether the span begins or ends between two letters of a script with blanks between words."""
    return any(
        0 < border < len(text) and _letter(text[border - 1]) and _letter(text[border])
        for border in (start, end)
    )


def _letter(char: str) -> bool:
    # Scripts with two cases put blanks between words; Chinese, Japanese or Thai do not.
    return char.lower() != char.upper()


Singletons = Literal["allow", "forbid", "guess"]
"""Clusters of one: fine, findings, or findings in a file that mostly has none."""

_KEPT = 0.1
"""Share of clusters of one above which a file is held to annotate them."""


# How readers name the second of two candidates that are the same string.
_AGAIN = re.compile(r"(.+) \([0-9]+\)", re.DOTALL)


class Check(Protocol):
    """Takes the records of one file in turn."""

    def record(self, line: int, record: Any) -> Iterator[Finding]:
        """What is wrong in this one."""

    def finish(self) -> Iterator[Finding]:
        """What only the whole file shows."""


def check_of(schema: str, path: Path, singletons: Singletons) -> Check:
    """The check of a file whose records are of that schema."""
    if schema == "masked-example/1":
        return _Masked(path)
    if schema == "event-mention/1":
        return _Events(path, singletons)
    return _Documents(path, singletons)


class _Identity:
    """Ids and whole records that come twice."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ids, self._whole = Repeats(), Repeats()

    def add(self, line: int, name: str, record: Any) -> None:
        """`record` is the record without its id."""
        if name:
            self._ids.add(digest(name), line)
        self._whole.add(digest(jsonl.dumps(record)), line)

    def finish(self) -> Iterator[Finding]:
        for line, first, _ in self._ids.found():
            yield Finding("E404", self._path, line, f"the id of line {first} again")
        for line, first, _ in self._whole.found():
            yield Finding("W405", self._path, line, f"the record of line {first} again")


class _Masked:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity = _Identity(path)

    def record(self, line: int, record: MaskedExample) -> Iterator[Finding]:
        self._identity.add(line, record.id, replace(record, id=""))
        start, end = record.target
        if UNCLEAR in record.meta:
            yield self._finding("W510", line, str(record.meta[UNCLEAR]))
        around = _folded(f"{record.text[:start]} {record.text[end:]}")
        for number, name in enumerate(record.candidates):
            again = _AGAIN.fullmatch(name)
            if again and again[1] in record.candidates:
                yield self._finding("W509", line, f"two candidates are {shown(again[1])}")
            elif _folded(name) not in around:
                code, what = ("W503", "the answer") if number == record.label else ("W502", "")
                yield self._finding(code, line, f"{what} {shown(name)} does not occur".strip())
        yield from self._spans(line, record)

    def _finding(self, code: str, line: int, message: str) -> Finding:
        return Finding(code, self._path, line, message)

    def _spans(self, line: int, record: MaskedExample) -> Iterator[Finding]:
        text = record.text
        own = len(record.candidates) if record.label is None else record.label
        seen: dict[Span, set[int]] = {}
        by: dict[int, list[str]] = defaultdict(list)
        for owner, start, end in ((own, *record.target), *record.mentions):
            said = text[start:end]
            by[owner].append(said)
            owners = seen.setdefault((start, end), set())
            if owner in owners:
                yield self._finding("E401", line, f"{shown(said)} at {start} twice")
            elif owners:
                yield self._finding("E402", line, f"{shown(said)} at {start}: two candidates")
            owners.add(owner)
            yield from _edges(self._path, line, text, start, end)
        spans = [
            EntitySpan(*span, owner) for span, owners in seen.items() for owner in sorted(owners)
        ]
        for one, other in crossing(spans):
            yield _crossed(self._path, line, one, other, text)
        for owner in sorted({owner for owner, _, _ in record.mentions}):
            name = record.candidates[owner]
            if name in text and _folded(name) not in map(_folded, by[owner]):
                yield self._finding(
                    "W308",
                    line,
                    f"mentions of {shown(name)} read {', '.join(map(shown, by[owner]))}",
                )

    def finish(self) -> Iterator[Finding]:
        yield from self._identity.finish()


class _Events:
    def __init__(self, path: Path, singletons: Singletons) -> None:
        self._path = path
        self._singletons = singletons
        self._identity = _Identity(path)
        self._places = Repeats()
        self._sizes: Counter[str] = Counter()
        # A cluster's first title in each language, and in any.
        self._titles: dict[tuple[str, str], tuple[int, str]] = {}
        self._first: dict[str, tuple[int, str]] = {}
        # Of every mention: paragraph, start, end, cluster, line.
        self._rows = [array("Q"), array("q"), array("q"), array("Q"), array("q")]

    def record(self, line: int, record: EventMention) -> Iterator[Finding]:
        self._identity.add(line, record.id, replace(record, id=""))
        paragraph, cluster = digest(record.source, record.text), digest(record.cluster)
        span = (record.start, record.end, record.parts)
        self._places.add(digest(paragraph, span), line, cluster)
        if not record.parts:
            row = (paragraph, record.start, record.end, cluster, line)
            for column, value in zip(self._rows, row, strict=True):
                column.append(value)
        self._sizes[record.cluster] += 1
        here = (line, record.cluster_title)
        self._first.setdefault(record.cluster, here)
        first, title = self._titles.setdefault((record.cluster, record.lang), here)
        if title != record.cluster_title and title and record.cluster_title:
            yield Finding(
                "W406",
                self._path,
                line,
                f"cluster {record.cluster}: {shown(record.cluster_title)}, and {shown(title)} in"
                f" line {first}",
            )
        for start, end in ((record.start, record.end), *record.parts):
            yield from _edges(self._path, line, record.text, start, end)
        pieces = ((record.start, record.end), *record.parts)
        if record.head and not any(s <= record.head[0] and record.head[1] <= e for s, e in pieces):
            head = record.text[slice(*record.head)]
            yield Finding("W306", self._path, line, f"the head {shown(head)} is outside")

    def finish(self) -> Iterator[Finding]:
        yield from self._identity.finish()
        for line, first, same in self._places.found():
            code, what = ("E401", "the same") if same else ("E402", "another")
            yield Finding(code, self._path, line, f"the span of line {first}, in {what} cluster")
        yield from self._crossing()
        ones = [name for name, size in self._sizes.items() if size == 1]
        if _wanted(self._singletons, len(ones), len(self._sizes)):
            for name in ones:
                line, title = self._first[name]
                yield Finding("W403", self._path, line, f"cluster {name} {shown(title)} has one")

    def _crossing(self) -> Iterator[Finding]:
        paragraph, start, end, cluster, lines = (np.array(column) for column in self._rows)
        order = np.argsort(paragraph, kind="stable")
        borders = np.flatnonzero(np.diff(paragraph[order].astype(np.uint64))) + 1
        for group in np.split(order, borders):
            if len(group) < 2:
                continue
            where: dict[EntitySpan, int] = {}
            for i in group:
                span = EntitySpan(int(start[i]), int(end[i]), int(cluster[i]))
                where.setdefault(span, int(lines[i]))
            for one, other in crossing(where):
                yield _crossed(self._path, where[other], one, other, None)


class _Documents:
    def __init__(self, path: Path, singletons: Singletons) -> None:
        self._path = path
        self._singletons = singletons
        self._identity = _Identity(path)
        self._clusters = 0
        self._ones: list[tuple[int, str]] = []

    def record(self, line: int, record: Document) -> Iterator[Finding]:
        name = f"{record.doc_id}\x1f{record.part}" if record.doc_id else ""
        self._identity.add(line, name, replace(record, doc_id="", part=0, meta={}))
        yield from self._offsets(line, record)
        seen: dict[Mention, int] = {}
        by_sentence: dict[int, list[EntitySpan]] = defaultdict(list)
        for number, cluster in enumerate(record.clusters):
            self._clusters += 1
            for mention in cluster:
                at = _line(record, mention, line)
                if mention in seen:
                    code = "E401" if seen[mention] == number else "E402"
                    what = "one cluster" if code == "E401" else "two clusters"
                    yield Finding(
                        code, self._path, at, f"{_said(record, mention)} twice, in {what}"
                    )
                seen.setdefault(mention, number)
                if not mention.zero and not mention.parts:
                    by_sentence[mention.sentence].append(
                        EntitySpan(mention.start, mention.end, number)
                    )
            if len(set(cluster)) == 1:
                at = _line(record, cluster[0], line)
                self._ones.append((at, _said(record, cluster[0])))
        for sentence, spans in by_sentence.items():
            for one, other in crossing(spans):
                at = _line(record, Mention(sentence, other.start, other.end), line)
                said = [_said(record, Mention(sentence, s.start, s.end)) for s in (one, other)]
                code = "E305" if one.owner == other.owner else "W304"
                yield Finding(code, self._path, at, f"{said[0]} crosses {said[1]}")

    def _offsets(self, line: int, record: Document) -> Iterator[Finding]:
        """The tokens that do not stand at their offsets, but for words of a contraction."""
        if record.text is None or record.offsets is None:
            return
        for sentence, spans in zip(record.sentences, record.offsets, strict=True):
            uses = Counter(spans)
            for token, span in zip(sentence.tokens, spans, strict=True):
                there = record.text[slice(*span)]
                if there != token.form and uses[span] == 1:
                    said = f"{shown(token.form)}, at {span[0]} stands {shown(there)}"
                    yield Finding("E301", self._path, line, said)

    def finish(self) -> Iterator[Finding]:
        yield from self._identity.finish()
        if _wanted(self._singletons, len(self._ones), self._clusters):
            for line, said in self._ones:
                yield Finding("W403", self._path, line, f"{said} is alone in its cluster")


def _wanted(singletons: Singletons, ones: int, clusters: int) -> bool:
    """Whether clusters of one are findings."""
    return singletons == "forbid" or (singletons == "guess" and ones <= _KEPT * clusters)


def _edges(path: Path, line: int, text: str, start: int, end: int) -> Iterator[Finding]:
    said = text[start:end]
    if said != said.strip():
        yield Finding("W307", path, line, f"{shown(said)} at {start}")
    if cuts_word(text, start, end):
        around = text[max(0, start - 8) : end + 8]
        yield Finding("W309", path, line, f"{shown(said)} at {start}, of {shown(around, 60)}")


def _crossed(
    path: Path, line: int, one: EntitySpan, other: EntitySpan, text: str | None
) -> Finding:
    code = "E305" if one.owner == other.owner else "W304"
    said = [
        f"[{span.start}, {span.end})" + (f" {shown(text[span.start : span.end])}" if text else "")
        for span in (one, other)
    ]
    return Finding(code, path, line, f"{said[0]} crosses {said[1]}")


def _line(record: Document, mention: Mention, line: int) -> int:
    """The line of the mention's first word where the reader kept it, else its document's."""
    rows = record.meta.get("rows")
    if rows and mention.start < len(rows[mention.sentence]):
        found: int = rows[mention.sentence][mention.start]
        return found
    return line


def _said(record: Document, mention: Mention) -> str:
    if mention.zero:
        return f"a zero mention in sentence {mention.sentence + 1}"
    tokens = record.sentences[mention.sentence].tokens[mention.start : mention.end]
    return shown(" ".join(token.form for token in tokens))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
