"""What raters said of the items of a corpus, as JSON Lines: one judgement a line, newest counts."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict

from corefmill.corpora import jsonl

_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one rater said of one item to one question; the newest of a rater on an item and
    question counts.

    `item` is the id of the item in the corpus, `person` False for a model. `question` is a name
    such as "valid", "person", "solvable", "natural", "answer", "grammatical", "acceptable";
    `answer` "yes" or "no" or an option's name, "" for skipped; `reason` a key such as "boundary".
    `when` is ISO 8601 in UTC, to the second, or "" where nobody noted it; `seconds` is how long
    the rater took. Raises `ValueError` for one without item, rater or question, a `when` that is
    no time, or seconds below 0.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    item: str
    rater: str
    person: bool
    question: str
    answer: str
    reason: str = ""
    remark: str = ""
    when: str = ""
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("item", "rater", "question"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name} is empty")
        if self.when:
            time(self.when)
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise ValueError(f"seconds {self.seconds} is no length of time")


def read(path: Path) -> Iterator[Judgement]:
    """Streams the judgements of a file; raises `DataError` with path and line for a bad one."""
    return jsonl.read(path, Judgement)


def write(path: Path, judgements: Iterable[Judgement]) -> int:
    """Writes the judgements, whole or not at all, and returns how many there were."""
    return jsonl.write(path, judgements)


def newest(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Of each rater on each item and question the judgement that counts.

    That is the one with the latest `when`, of several at once the last given; one without a time
    is older than all that have one. In the order in which item, question and rater first came.
    """
    found: dict[tuple[str, str, str], tuple[datetime, Judgement]] = {}
    for one in judgements:
        key = (one.item, one.question, one.rater)
        moment = time(one.when) if one.when else _BEFORE_ALL
        if key not in found or moment >= found[key][0]:
            found[key] = (moment, one)
    return [one for _, one in found.values()]


@functools.lru_cache(maxsize=1 << 16)
def time(when: str) -> datetime:
    """The moment that ISO 8601 names, in UTC where it names no zone; raises `ValueError`."""
    try:
        moment = datetime.fromisoformat(when)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"when {when[:40]!r} is no time, such as 2026-11-23T09:30:00Z") from None
