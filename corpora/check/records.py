"""Check records of any format: spans, clusters, candidates, repetitions.

`Splits` finds what stands in two splits: passages, articles, clusters. Memory holds the hashes of
the smaller splits alone; the largest is streamed past them.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple

from corefmill.corpora.check import Finding, quote
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import corefud
from corefmill.corpora.formats.conll_columns import no_words
from corefmill.corpora.records import (
    UNCLEAR,
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Span,
)
from corefmill.corpora.words import cuts_word


def digest(*parts: object) -> int:
    """Hash the parts to 64 bits."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


_FEW = 10_000
"""Keys below which a set tells whether any repeats."""


class Repeats:
    """Keys with a value and a line each; `repeats` names every key that came before.

    Keys and values are 64-bit digests. Two million items take 48 MB, and as much again to sort.
    """

    def __init__(self) -> None:
        self._keys, self._values, self._lines = array("Q"), array("Q"), array("q")

    def add(self, key: int, line: int, value: int = 0) -> None:
        """Add an item."""
        self._keys.append(key)
        self._values.append(value)
        self._lines.append(line)

    def repeats(self) -> Iterator[tuple[int, int, bool]]:
        """Yield (line, line of the key's first item, whether both values are the same), by line."""
        if len(self._keys) < _FEW and len(set(self._keys)) == len(self._keys):
            return
        import numpy as np  # takes longer than a check of small files

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


def find_crossing(spans: Iterable[EntitySpan]) -> Iterator[tuple[EntitySpan, EntitySpan]]:
    """Yield the pairs of crossing spans, the earlier first; each span has at most `MOST`."""
    opened: list[tuple[int, int, EntitySpan]] = []  # by their ends, then by their order
    for number, span in enumerate(sorted(set(spans), key=lambda s: (s.start, -s.end, s.owner))):
        del opened[: bisect_left(opened, (span.start + 1,))]
        # What ends within the span began before it: of those that begin with it, the longer ones
        # came first.
        crossed = opened[: min(MOST, bisect_left(opened, (span.end,)))]
        for *_, one in sorted(crossed, key=itemgetter(1)):
            yield one, span
        insort(opened, (span.end, number, span))


Singletons = Literal["allow", "forbid", "guess"]
"""Clusters of one: fine, findings, or findings in a file that mostly has none."""

_KEPT = 0.1
"""Share of clusters of one above which a file is held to annotate them."""


# How readers name the second of two candidates that are the same string.
_AGAIN = re.compile(r"(.+) \([0-9]+\)", re.DOTALL)


class Check:
    """Takes the records of one file in turn; finds ids and whole records that come twice."""

    def __init__(self, path: Path, singletons: Singletons) -> None:
        self.path, self.singletons = path, singletons
        self._ids, self._whole = Repeats(), Repeats()

    def finding(self, code: str, line: int, message: str) -> Finding:
        """Make a finding in this file."""
        return Finding(code, self.path, line, message)

    def record(self, line: int, record: Any) -> Iterator[Finding]:
        """Yield the faults of a record."""
        raise NotImplementedError

    def finish(self) -> Iterator[Finding]:
        """Yield the faults of the file as a whole."""
        for line, first, _ in self._ids.repeats():
            yield self.finding("E404", line, f"the id of line {first} again")
        for line, first, _ in self._whole.repeats():
            yield self.finding("W405", line, f"the record of line {first} again")

    def _note_identity(self, line: int, name: str, nameless: Any) -> None:
        """Note a record's id, and the record without the id, to find both again."""
        if name:
            self._ids.add(digest(name), line)
        self._whole.add(digest(jsonl.dumps(nameless)), line)

    def _check_edges(self, line: int, text: str, start: int, end: int) -> Iterator[Finding]:
        """Yield findings for blanks at a mention's edges (W307) and edges within words (W309)."""
        mention = text[start:end]
        if mention != mention.strip():
            yield self.finding("W307", line, f"{quote(mention)} at {start}")
        if cuts_word(text, start) or cuts_word(text, end):
            around = quote(text[max(0, start - 8) : end + 8], 60)
            yield self.finding("W309", line, f"{quote(mention)} at {start}, of {around}")

    def _report_crossing(
        self, line: int, one: EntitySpan, other: EntitySpan, *said: str
    ) -> Finding:
        """Make the finding for two crossing spans, of one entity or of two."""
        code = "E305" if one.owner == other.owner else "W304"
        return self.finding(code, line, " crosses ".join(said))

    def _check_singletons(
        self, ones: Sequence[tuple[int, str]], clusters: int
    ) -> Iterator[Finding]:
        """Yield clusters of one, by line and message, unless the file is full of them."""
        few = self.singletons == "guess" and len(ones) <= _KEPT * clusters
        if self.singletons == "forbid" or few:
            for line, message in ones:
                yield self.finding("W403", line, message)


class _Masked(Check):
    def record(self, line: int, record: MaskedExample) -> Iterator[Finding]:
        """Yield the faults of a masked example."""
        self._note_identity(line, record.id, replace(record, id=""))
        start, end = record.target
        if UNCLEAR in record.meta:
            yield self.finding("W510", line, str(record.meta[UNCLEAR]))
        around = _fold(f"{record.text[:start]} {record.text[end:]}")
        last = len(record.candidates) - 1
        for number, name in enumerate(record.candidates):
            again = _AGAIN.fullmatch(name)
            if again and again[1] in record.candidates:
                yield self.finding("W509", line, f"two candidates are {quote(again[1])}")
            elif number == 1 == last and _fold(name) == _fold(record.text[start:end]):
                continue  # SuperGLUE's WSC and WNLI have the pronoun itself as the second of two
            elif _fold(name) not in around:
                code, what = ("W503", "the answer") if number == record.label else ("W502", "")
                yield self.finding(code, line, f"{what} {quote(name)} does not occur".strip())
        yield from self._check_spans(line, record)

    def _check_spans(self, line: int, record: MaskedExample) -> Iterator[Finding]:
        """Yield the faults of target and mentions: repeated, crossing or odd ones."""
        text = record.text
        own = len(record.candidates) if record.label is None else record.label
        seen: dict[Span, set[int]] = {}
        by: dict[int, list[str]] = defaultdict(list)
        for owner, start, end in ((own, *record.target), *record.mentions):
            mention = text[start:end]
            by[owner].append(mention)
            owners = seen.setdefault((start, end), set())
            if owner in owners:
                yield self.finding("E401", line, f"{quote(mention)} at {start} twice")
            elif owners:
                yield self.finding("E402", line, f"{quote(mention)} at {start}: two candidates")
            owners.add(owner)
            yield from self._check_edges(line, text, start, end)
        spans = [
            EntitySpan(*span, owner) for span, owners in seen.items() for owner in sorted(owners)
        ]
        for pair in find_crossing(spans):
            said = (f"[{start}, {end}) {quote(text[start:end])}" for start, end, _ in pair)
            yield self._report_crossing(line, *pair, *said)
        for owner in sorted({owner for owner, _, _ in record.mentions}):
            name = record.candidates[owner]
            if name in text and _fold(name) not in map(_fold, by[owner]):
                mentions = ", ".join(map(quote, by[owner]))
                yield self.finding("W308", line, f"mentions of {quote(name)} read {mentions}")


class _Events(Check):
    def __init__(self, path: Path, singletons: Singletons) -> None:
        super().__init__(path, singletons)
        self._places = Repeats()
        self._sizes: Counter[str] = Counter()
        # A cluster's first title in each language, and in any.
        self._titles: dict[tuple[str, str], tuple[int, str]] = {}
        self._first: dict[str, tuple[int, str]] = {}
        # Of every mention: paragraph, start, end, cluster, line.
        self._rows = [array("Q"), array("q"), array("q"), array("Q"), array("q")]

    def record(self, line: int, record: EventMention) -> Iterator[Finding]:
        """Yield the faults of an event mention."""
        self._note_identity(line, record.id, replace(record, id=""))
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
            titles = f"{quote(record.cluster_title)}, and {quote(title)} in line {first}"
            yield self.finding("W406", line, f"cluster {record.cluster}: {titles}")
        pieces = ((record.start, record.end), *record.parts)
        for start, end in pieces:
            yield from self._check_edges(line, record.text, start, end)
        if record.head and not any(s <= record.head[0] and record.head[1] <= e for s, e in pieces):
            head = record.text[slice(*record.head)]
            yield self.finding("W306", line, f"the head {quote(head)} is outside")

    def finish(self) -> Iterator[Finding]:
        """Yield the faults of event mentions taken together: spans, clusters, singletons."""
        yield from super().finish()
        for line, first, same in self._places.repeats():
            code, what = ("E401", "the same") if same else ("E402", "another")
            yield self.finding(code, line, f"the span of line {first}, in {what} cluster")
        import numpy as np

        paragraph, start, end, cluster, lines = (np.array(column) for column in self._rows)
        order = np.argsort(paragraph, kind="stable")
        borders = np.flatnonzero(np.diff(paragraph[order].astype(np.uint64))) + 1
        for group in np.split(order, borders):
            where: dict[EntitySpan, int] = {}
            for i in group:
                span = EntitySpan(int(start[i]), int(end[i]), int(cluster[i]))
                where.setdefault(span, int(lines[i]))
            for one, other in find_crossing(where):
                said = (f"[{span.start}, {span.end})" for span in (one, other))
                yield self._report_crossing(where[other], one, other, *said)
        ones = [
            (line, f"cluster {name} {quote(title)} has one")
            for name, (line, title) in self._first.items()
            if self._sizes[name] == 1
        ]
        yield from self._check_singletons(ones, len(self._sizes))


_MOST_FORMS = 1000
"""Words that show whether a file has words."""


class _Documents(Check):
    def __init__(self, path: Path, singletons: Singletons) -> None:
        super().__init__(path, singletons)
        self._clusters = 0
        self._forms: list[str] = []
        self._ones: list[tuple[int, str]] = []

    def record(self, line: int, record: Document) -> Iterator[Finding]:
        """Yield the faults of a document."""
        name = f"{record.doc_id}\x1f{record.part}" if record.doc_id else ""
        self._note_identity(line, name, replace(record, doc_id="", part=0, meta={}))
        yield from self._check_offsets(line, record)
        if len(self._forms) < _MOST_FORMS:
            # Keys of event scorers have a sentence `_` for each mention, and no words.
            sentences = ([token.form for token in one.tokens] for one in record.sentences)
            self._forms += [form for own in sentences if own != ["_"] for form in own]
        seen: dict[Mention, int] = {}
        by_sentence: dict[int, list[EntitySpan]] = defaultdict(list)
        for number, cluster in enumerate(record.clusters):
            self._clusters += 1
            for mention in cluster:
                if mention in seen:
                    same = seen[mention] == number
                    what = "one cluster" if same else "two clusters"
                    message = f"{_quote_words(record, mention)} twice, in {what}"
                    at = _line(record, mention, line)
                    yield self.finding("E401" if same else "E402", at, message)
                seen.setdefault(mention, number)
                if not mention.zero and not mention.parts:
                    span = EntitySpan(mention.start, mention.end, number)
                    by_sentence[mention.sentence].append(span)
            if len(set(cluster)) == 1:
                at, words = _line(record, cluster[0], line), _quote_words(record, cluster[0])
                self._ones.append((at, f"{words} is alone in its cluster"))
        yield from self._check_relations(line, record)
        for sentence, spans in by_sentence.items():
            for pair in find_crossing(spans):
                mentions = [Mention(sentence, span.start, span.end) for span in pair]
                said = (_quote_words(record, mention) for mention in mentions)
                yield self._report_crossing(_line(record, mentions[1], line), *pair, *said)

    def _check_relations(self, line: int, record: Document) -> Iterator[Finding]:
        """Yield relations that come twice, are of one entity, alone, or name what is not there."""
        try:
            relations = list(corefud.list_relations(record))
            mentions: dict[str, list[str]] = record.meta.get("corefud", {}).get("related", {})
            entities = {name for name, keys in mentions.items() if keys}
        except (AttributeError, TypeError, ValueError):  # another program's meta
            return
        seen: set[tuple[str, ...]] = set()
        for kind, pair, where, there in relations:
            ends = corefud.split_relation(pair)
            said = f"{kind}={pair}"[:100]
            if ends is None:
                yield self.finding("W409", line, f"{said} at {where} is not ANTECEDENT<ANAPHOR")
                continue
            if not there:
                yield self.finding("W409", line, f"{said} at {where}: no mention is there")
            # Bridging is of a mention: two of an entity may have the same antecedent.
            key = (kind, pair, where) if kind == "Bridge" else (kind, pair)
            if key in seen:
                yield self.finding("W407", line, f"{said} again at {where}")
            seen.add(key)
            if ends[0] == ends[1]:
                yield self.finding("W408", line, f"{said} at {where}")
            for name in dict.fromkeys(ends):
                if name not in entities:
                    yield self.finding("W409", line, f"{said} at {where}: {name} has no mention")
        groups = Counter(
            ends[1]
            for kind, pair, *_ in relations
            if kind == "SplitAnte" and (ends := corefud.split_relation(pair))
        )
        for name in sorted(name for name, size in groups.items() if size == 1):
            yield self.finding("W410", line, f"SplitAnte gives {name} one antecedent alone")

    def _check_offsets(self, line: int, record: Document) -> Iterator[Finding]:
        """Yield the tokens with another text at their offsets, but for contractions."""
        if record.text is None or record.offsets is None:
            return
        for sentence, spans in zip(record.sentences, record.offsets, strict=True):
            uses = Counter(spans)
            for token, span in zip(sentence.tokens, spans, strict=True):
                there = record.text[slice(*span)]
                if there != token.form and uses[span] == 1:
                    message = f"{quote(token.form)}, at {span[0]} stands {quote(there)}"
                    yield self.finding("E301", line, message)

    def finish(self) -> Iterator[Finding]:
        yield from super().finish()
        if what := no_words(self._forms):
            example = quote(" ".join(self._forms[:8]))
            yield self.finding("W211", 1, f"the words are {what}: {example}")
        yield from self._check_singletons(self._ones, self._clusters)


CHECKS: dict[str, type[Check]] = {
    "masked-example/1": _Masked,
    "event-mention/1": _Events,
    "document/1": _Documents,
}
"""The check of a file, by the schema of its records."""


def _line(record: Document, mention: Mention, line: int) -> int:
    """Return the line of the mention's first word if known, else `line`."""
    rows = record.meta.get("rows")
    if rows and mention.start < len(rows[mention.sentence]):
        found: int = rows[mention.sentence][mention.start]
        return found
    return line


def _quote_words(record: Document, mention: Mention) -> str:
    """Quote the words of a mention for a message."""
    if mention.zero:
        return f"a zero mention in sentence {mention.sentence + 1}"
    tokens = record.sentences[mention.sentence].tokens[mention.start : mention.end]
    return quote(" ".join(token.form for token in tokens))


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


_WORD = re.compile(r"\w+")


class RecordPlace(NamedTuple):
    """A split, a file and a line."""

    split: str
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.split}, {self.path.name}:{self.line}"


class Splits:
    """Takes records split by split, the smallest first, and finds those of earlier ones again."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[int, RecordPlace]] = {"E601": {}, "W602": {}, "W604": {}}
        self._told: set[tuple[str, int, str]] = set()

    def record(self, place: RecordPlace, record: Any, *, keep: bool) -> Iterator[Finding]:
        """Yield the parts of a record found in earlier splits; `keep` the record for later ones."""
        cluster = ""
        if isinstance(record, Document):
            tokens = (token.form for sentence in record.sentences for token in sentence.tokens)
            text, article = " ".join(tokens), record.doc_id
        else:
            text, source = record.text, record.source
            article = source.title or (str(source.page_id) if source.page_id else "")
            cluster = record.cluster if isinstance(record, EventMention) else ""
        words = _WORD.findall(text.casefold())
        passage = digest(*words)
        found = self._find_earlier("E601", passage, place) if words else None
        if found:
            yield self._finding("E601", place, f"{quote(text, 50)} stands in {found} too")
        for code, name, what in (("W602", article, "article"), ("W604", cluster, "cluster")):
            other = self._find_earlier(code, digest(name), place) if name else None
            if other:
                yield self._finding(code, place, f"{what} {quote(name)} stands in {other} too")
        if keep:
            for code, name in (("W602", article), ("W604", cluster)):
                if name:
                    self._kinds[code].setdefault(digest(name), place)
            if words:
                self._kinds["E601"].setdefault(passage, place)

    def _find_earlier(self, code: str, key: int, place: RecordPlace) -> RecordPlace | None:
        """Find the place in another split, once for each split."""
        other = self._kinds[code].get(key)
        if other is None or other.split == place.split or (code, key, place.split) in self._told:
            return None
        self._told.add((code, key, place.split))
        return other

    def _finding(self, code: str, place: RecordPlace, message: str) -> Finding:
        return Finding(code, place.path, place.line, message)
