"""A development split for a corpus that has none: whole sources, held out of its training split.

What a model is trained on and what it is later evaluated without come from the same draw, so that
the share and the seed in a checkpoint are enough to hold the same records out again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from corefmill.corpora.records import Document, EventMention, MaskedExample, Record


class Sources:
    """The sources of records and their sizes. Those that share a group, which near-duplicates of
    different articles do (`meta.group`), are one: it goes by the name of its first."""

    def __init__(self, records: Iterable[Record]) -> None:
        counted: Counter[str] = Counter()
        self._one: dict[str, str] = {}
        for record in records:
            source = source_of(record)
            counted[source] += 1
            self._one.setdefault(source, source)
            if isinstance(record, MaskedExample) and "group" in record.meta:
                self._join(self._one.setdefault(f"group {record.meta['group']}", source), source)
        self._known = tuple(counted)
        self.sizes: Counter[str] = Counter()
        for source, size in counted.items():
            self.sizes[self._first(source)] += size

    def of(self, firsts: Iterable[str]) -> frozenset[str]:
        """All sources that are one with these."""
        taken = frozenset(firsts)
        return frozenset(source for source in self._known if self._first(source) in taken)

    def _first(self, source: str) -> str:
        while (other := self._one[source]) != source:
            source = other
        return source

    def _join(self, one: str, other: str) -> None:
        """Makes both one; the first that was seen gives the name."""
        first, second = self._first(one), self._first(other)
        self._one[second] = first


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What is held out: `sources` are the keys (see `source_of`), `share` of the records or more.

    Sources are taken in the order of a hash of the seed and the source, until they have the share.
    """

    share: float
    seed: int
    sources: frozenset[str]

    @classmethod
    def drawn(cls, of: Sources, share: float, seed: int) -> HeldOut:
        """Of sources with so many records each; one source at least is left to train on."""
        sizes = of.sizes
        taken: list[str] = []
        left = share * sum(sizes.values())
        order = sorted(sizes, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).digest())
        for key in order[:-1]:
            if left <= 0:
                break
            taken.append(key)
            left -= sizes[key]
        return cls(share, seed, of.of(taken))

    def has(self, record: Record) -> bool:
        """Whether the record is held out."""
        return source_of(record) in self.sources


def source_of(record: Record) -> str:
    """What stays in one split: a document, an event with its topic, an article.

    Masked examples that name no article are kept with those of the same candidates, as the twins
    of a Winograd schema have them.
    """
    if isinstance(record, Document):
        return record.doc_id
    if isinstance(record, EventMention):
        topic = str(record.meta.get("topic", ""))
        number = topic[: len(topic) - len(topic.lstrip("0123456789"))]
        return f"topic {number or topic}" if topic else f"cluster {record.cluster}"
    if record.source.title or record.source.page_id:
        return f"article {record.source.page_id} {record.source.title}"
    return "candidates " + "\t".join(sorted(record.candidates))
