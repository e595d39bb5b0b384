"""Mentions that a format or its reader cannot take: an error, or left out and counted.

Readers and writers call `drop` for each such mention. It raises the error, unless the command runs
within `lenient`: then the mention is left out, and the command counts them by kind at its end.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corefmill.corpora.files.terminal import warn_once

if TYPE_CHECKING:  # takes longer to import than a score of a small file takes
    from corefmill.corpora.records import Document, Mention

_log = logging.getLogger(__name__)

REMEDY = "--lenient of convert, score and train leaves such mentions out"

ZERO, PARTS, TWICE, CROSSING = "zero", "discontinuous", "of the span of another", "crossing"
UNCLOSED, UNOPENED, MALFORMED = "not closed", "closed but never opened", "not in brackets"
OVER, CUT = "over the end of a sentence", "cutting a word"
"""Kinds of bad mentions, as the count names them."""

_SPANS = frozenset((ZERO, PARTS, TWICE))
REFUSED = {
    "conll2012": _SPANS | {CROSSING},
    "wl-coref": _SPANS,
    "s2e": _SPANS,
    "maverick": _SPANS,
    "fastcoref": _SPANS,
    "ontocorefit": _SPANS,
    "corefud": frozenset((TWICE, CROSSING)),
}
"""The kinds that a format cannot carry, by its name."""

_SHOWN = 3


@dataclass
class DroppedMentions:
    """Mentions left out, by kind, and the first three of them."""

    counts: Counter[str] = field(default_factory=Counter)
    first: list[str] = field(default_factory=list)
    _seen: set[int] = field(default_factory=set)

    def add(self, kind: str, what: str) -> None:
        """Count a mention once, though a file may be read twice."""
        key = hash((kind, what))
        if key in self._seen:
            return
        self._seen.add(key)
        self.counts[kind] += 1
        if len(self.first) < _SHOWN:
            self.first.append(what)

    def __str__(self) -> str:
        total = self.counts.total()
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in self.counts.most_common())
        several = "s" if total > 1 else ""
        return f"{total:,} bad mention{several} left out ({kinds}); first: {'; '.join(self.first)}"


_dropped: DroppedMentions | None = None


def is_lenient() -> bool:
    """Tell whether bad mentions are left out."""
    return _dropped is not None


@contextmanager
def lenient(active: bool = True) -> Iterator[DroppedMentions]:
    """Leave bad mentions out within the block, and report them at its end, if `active`."""
    global _dropped
    before, found = _dropped, DroppedMentions()
    _dropped = found if active else before
    try:
        yield found
    finally:
        _dropped = before
    if found.counts:
        _log.warning("%s", found)


def drop(kind: str, error: Exception, place: str = "") -> None:
    """Raise the error about a mention, or count the mention; `place` says where it stands."""
    if _dropped is None:
        raise ValueError(f"{error}; {REMEDY}") if type(error) is ValueError else error
    message = getattr(error, "message", str(error))
    path, line = getattr(error, "path", None), getattr(error, "line", None)
    where = place or (f"{path}:{line}" if path else "")
    _dropped.add(kind, f"{where}: {message}" if where else message)


def report_bare(path: object) -> None:
    """Report numbers without a bracket within their mentions, once for a file."""
    warn_once(
        f"{path}: numbers without a bracket stand within their mentions, and are passed over as the"
        " reference scorer does (corefmill check lists them)"
    )


def keep_carried(record: Document, form: str) -> Document:
    """Return a document without the mentions that the format cannot carry, counting them."""
    refused = REFUSED.get(form)
    if not refused or _dropped is None:
        return record
    seen: set[tuple[object, ...]] = set()
    clusters: list[tuple[Mention, ...]] = []
    for cluster in record.clusters:
        kept: list[Mention] = []
        # The longest of those that begin at one word is first, so that the inner one crosses.
        for mention in sorted(cluster, key=lambda one: (one.sentence, one.start, -one.end)):
            kind = _find_kind(mention, kept, seen)
            if kind in refused:
                said = (
                    f"mention [{mention.start}, {mention.end}) of sentence {mention.sentence + 1}"
                )
                where = f"document {record.doc_id}, part {record.part}"
                _dropped.add(kind, f"{where}: {said} ({kind})")
                continue
            seen.add((mention.sentence, mention.start, mention.end, mention.parts, mention.zero))
            kept.append(mention)
        if len(kept) == len(cluster):
            clusters.append(cluster)
        elif kept:
            clusters.append(tuple(kept))
    return record if clusters == [*record.clusters] else replace(record, clusters=tuple(clusters))


def _find_kind(mention: Mention, others: list[Mention], seen: set[tuple[object, ...]]) -> str:
    """Find the fault of a mention beside others of its cluster, and spans of the document."""
    if mention.zero:
        return ZERO
    if mention.parts:
        return PARTS
    if (mention.sentence, mention.start, mention.end, mention.parts, mention.zero) in seen:
        return TWICE
    for one in reversed(others):
        if one.sentence != mention.sentence:
            break
        if one.start < mention.start < one.end < mention.end:
            return CROSSING
    return ""
