"""A development split for a corpus that has none: whole sources, held out of its training split.

What a model is trained on and what it is later evaluated without come from the same draw, so that
the share and the seed in a checkpoint are enough to hold the same records out again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from corefmill.corpora.records import Document, EventMention, Record


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What is held out: `sources` are the keys (see `source_of`), `share` of the records or more.

    Sources are taken in the order of a hash of the seed and the source, until they have the share.
    """

    share: float
    seed: int
    sources: frozenset[str]

    @classmethod
    def drawn(cls, sizes: Mapping[str, int], share: float, seed: int) -> HeldOut:
        """Of sources with so many records each; one source at least is left to train on."""
        taken: list[str] = []
        left = share * sum(sizes.values())
        order = sorted(sizes, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).digest())
        for key in order[:-1]:
            if left <= 0:
                break
            taken.append(key)
            left -= sizes[key]
        return cls(share, seed, frozenset(taken))

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
