"""Chooses the corpus from the finished shards: filters on all examples together, and splits."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from corefmill.builders.corpus.card import Tally
from corefmill.builders.corpus.split import VALIDATION, article_of, draw_articles, hashed
from corefmill.builders.persons.gender import GenderTally
from corefmill.builders.runner.job import RunResult
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.kinds import not_persons
from corefmill.corpora import jsonl
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import MASK, MaskedExample

MOST_VALIDATION, VALIDATION_SHARE = 10_000, 0.05


@dataclass(frozen=True, slots=True)
class Verdicts:
    """For each example in order: what became of it, and whether it goes to validation.

    `faults` are indexes into `reasons`, 0 for none.
    """

    faults: array[int]
    validation: array[int]
    reasons: tuple[str, ...]

    def rejected(self) -> Counter[str]:
        """Examples dropped, by reason."""
        counted = Counter(self.faults)
        return Counter({self.reasons[f]: n for f, n in counted.items() if f})


def judge(
    result: RunResult,
    filters: Container[str],
    *,
    validation: int | None,
    limit: int | None,
    seed: int,
) -> Verdicts:
    """Decides on every example; holds some 25 bytes for each, whatever the corpus's size.

    Of passages that are the same but for blanks and case the first stays. The validation split is
    made of whole articles, drawn with the seed, until it has `validation` examples (None: 10,000
    or 5 %, whichever is smaller).
    """
    banned = _banned(result) if "links_to_no_person" in filters else frozenset()
    passages, articles = array("Q"), array("Q")
    faults = array("b")
    reasons = ("", "links_to_no_person", "repeated_passage", "over_limit")
    for record in result.records("examples"):
        links = record["meta"].get("links", {})
        faults.append(1 if any(target in banned for target in links.values()) else 0)
        passages.append(hashed(_folded(record)))
        articles.append(article_of(record["source"]))
    if "repeated_passage" in filters:
        seen = np.where(np.frombuffer(faults, np.int8) == 0)[0] if faults else np.empty(0, int)
        _, first = np.unique(np.frombuffer(passages, np.uint64)[seen], return_index=True)
        again = np.ones(len(seen), bool)
        again[first] = False
        for index in seen[again]:
            faults[index] = 2
    if limit is not None:
        left = 0
        for index, fault in enumerate(faults):
            left += not fault
            if not fault and left > limit:
                faults[index] = 3
    wanted = _size(faults.count(0), validation)
    return Verdicts(faults, draw_articles(articles, faults, wanted, seed), reasons)


def _banned(result: RunResult) -> frozenset[str]:
    """The linked articles that are about no person."""
    targets = {
        target
        for record in result.records("examples")
        for target in record["meta"].get("links", {}).values()
    }
    return not_persons(list(result.files("pages")), targets, scratch=result.folder)


def _size(total: int, validation: int | None) -> int:
    """How many examples go to validation at most."""
    if validation is None:
        return min(MOST_VALIDATION, int(total * VALIDATION_SHARE))
    return min(validation, total)


def _folded(record: dict[str, Any]) -> str:
    start, end = record["target"]
    masked = record["text"][:start] + MASK + record["text"][end:]
    return " ".join(masked.split()).casefold()


@dataclass(frozen=True, slots=True)
class Assemble:
    """The chooser of `corefmill.builders.corpus.finish`, with what `judge` takes."""

    lang: str
    filters: tuple[str, ...]
    validation: int | None
    limit: int | None
    seed: int

    @contextmanager
    def __call__(self, result: RunResult) -> Iterator[Assembled]:
        """Raises `DataError` where there is no example at all, the input's own if it broke off."""
        verdicts = judge(
            result, self.filters, validation=self.validation, limit=self.limit, seed=self.seed
        )
        assembled = Assembled(result, verdicts, (GenderTally(self.lang),))
        if all(verdicts.faults) and result.source_error is not None:
            raise result.source_error
        check_not_empty(verdicts, sum(assembled.rejects.values(), Counter()))
        yield assembled


@dataclass(frozen=True, slots=True)
class Assembled:
    """The choice that `judge` made, as `corefmill.builders.corpus.finish` wants it."""

    result: RunResult
    verdicts: Verdicts
    tallies: Sequence[Tally]

    @property
    def warnings(self) -> Sequence[str]:
        """What the user should know of the corpus."""
        if any(self.verdicts.validation):
            return ()
        return ("too few articles for a validation split; all examples are in train",)

    @property
    def rejects(self) -> dict[str, Counter[str]]:
        """What was left out: of the input, of the drafts, of the examples."""
        stages: dict[str, Counter[str]] = {"input": Counter(), "draft": Counter()}
        for reason, count in self.result.rejects.items():
            drafts = reason in SURFACE or reason in SYNTAX or reason == "name_not_expressible"
            stages["draft" if drafts else "input"][reason] = count
        return {**stages, "corpus": self.verdicts.rejected()}

    def rejected(self) -> Iterator[dict[str, Any]]:
        """What `judge` dropped, in the shape of the runner's kept rejects."""
        records = self.result.records("examples")
        for fault, record in zip(self.verdicts.faults, records, strict=True):
            if fault:
                yield {"reason": self.verdicts.reasons[fault], "record": record}

    def split(self, name: str) -> Iterator[MaskedExample]:
        """The examples of one split."""
        chosen = int(name == VALIDATION)
        index = 0
        for path in self.result.files("examples"):
            for record in jsonl.read(path, MaskedExample):
                if not self.verdicts.faults[index] and self.verdicts.validation[index] == chosen:
                    yield record
                index += 1


def check_not_empty(verdicts: Verdicts, rejects: Counter[str]) -> None:
    """Raises `DataError` if no example is left, with the most frequent reasons."""
    if not all(verdicts.faults):
        return
    common = ", ".join(f"{reason} {count:,}" for reason, count in rejects.most_common(3))
    raise DataError(
        f"no example was found{'; drafts were stopped by ' + common if common else ''}",
        remedy="is the language right? try more text, another --nlp, or --without FILTER",
    )
