"""Masked examples judged together once a run is whole: repeats, the limit, the validation split.

For the builders whose shards hold finished examples in the channel `examples`.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from corefmill.builders.corpus.bounds import NO_BOUNDS, Bounds, Tickets
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.groups import GroupNames, SentenceHashes, folded
from corefmill.builders.corpus.masked import CHANNEL, MaskedContents
from corefmill.builders.corpus.split import (
    VALIDATION,
    article_of,
    draw_validation,
    hashed,
    split_warnings,
)
from corefmill.builders.run.job import RunResult
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MASK, MaskedExample

REASONS = (
    "",
    "links_to_no_person",
    "repeated_passage",
    "shared_sentence",
    "over_per_source",
    "over_balance",
    "over_limit",
)


@dataclass(frozen=True, slots=True)
class ExampleVerdicts:
    """For each example in order: what became of it, and whether it goes to validation.

    `faults` are indexes into REASONS, 0 for none. `groups` has the number of the first of those
    kept that share a sentence with it, directly or through others.
    """

    faults: array[int]
    validation: array[int]
    groups: array[int]

    def rejected(self) -> Counter[str]:
        """Examples dropped, by reason."""
        return Counter({REASONS[fault]: n for fault, n in Counter(self.faults).items() if fault})


def judge(
    result: RunResult,
    filters: Container[str],
    *,
    validation: int | None,
    limit: int | None,
    seed: int,
    banned: Container[str] = frozenset(),
    bounds: Bounds = NO_BOUNDS,
) -> ExampleVerdicts:
    """Decides on every example; holds some 45 bytes for each, whatever the corpus's size.

    An example with a link to a `banned` article goes. Of passages that are the same but for blanks
    and case the first stays. What is left is drawn within the `bounds`, and of that the first are
    taken up to the limit. The validation split is made of whole articles, see `draw_validation`;
    articles that have a sentence in common count as one.
    """
    passages, articles, stopped = array("Q"), array("Q"), array("b")
    sentences, tickets = SentenceHashes(), Tickets(seed)
    for record in result.records(CHANNEL):
        links = record["meta"].get("links", {})
        stopped.append(1 if any(target in banned for target in links.values()) else 0)
        passages.append(hashed(folded(_masked(record))))
        articles.append(article_of(record["source"]))
        sentences.add(record["text"], record["sentences"])
        if bounds != NO_BOUNDS:
            tickets.add(record)
    faults = np.array(stopped)
    if "repeated_passage" in filters:
        left = np.flatnonzero(faults == 0)
        _, first = np.unique(np.array(passages)[left], return_index=True)
        faults[np.delete(left, first)] = REASONS.index("repeated_passage")
    if bounds != NO_BOUNDS:
        groups = np.array(sentences.groups(array("b", faults.tobytes())))
        for reason, numbers in tickets.over(bounds, faults, groups, articles):
            faults[numbers] = REASONS.index(reason)
    if limit is not None:
        faults[np.flatnonzero(faults == 0)[limit:]] = REASONS.index("over_limit")
    dropped = array("b", faults.tobytes())
    drawn = draw_validation(sentences.united(articles, dropped), dropped, validation, seed)
    return ExampleVerdicts(dropped, drawn, sentences.groups(dropped))


def _masked(record: dict[str, Any]) -> str:
    start, end = record["target"]
    text: str = record["text"]
    return text[:start] + MASK + text[end:]


class JudgedContents(MaskedContents):
    """The examples that `judge` lets through.

    `stage` is what the card calls a candidate for an example, and `reasons` are those for which
    one is rejected; all other rejects of the run are of its input.
    """

    stage: ClassVar[str] = "draft"

    def __init__(
        self, corpus: Corpus, result: RunResult, verdicts: ExampleVerdicts, validation: int | None
    ) -> None:
        super().__init__(corpus, result)
        self.verdicts = verdicts
        self._validation = validation

    @classmethod
    @contextmanager
    def chosen(
        cls,
        corpus: Corpus,
        result: RunResult,
        *,
        filters: Container[str],
        validation: int | None,
        bounds: Bounds = NO_BOUNDS,
    ) -> Iterator[Self]:
        """The contents by what `judge` takes; the limit is the job's.

        Raises `DataError` where there is no example at all, the input's own if it broke off.
        """
        verdicts = judge(
            result,
            filters,
            validation=validation,
            limit=result.job.most_records,
            seed=corpus.seed,
            banned=cls.banned(result) if "links_to_no_person" in filters else (),
            bounds=bounds,
        )
        contents = cls(corpus, result, verdicts, validation)
        if all(verdicts.faults):
            raise result.source_error or _empty(sum(contents.rejects.values(), Counter()))
        yield contents

    @staticmethod
    def banned(result: RunResult) -> Container[str]:
        """The articles whose links drop an example."""
        return ()

    @staticmethod
    @abstractmethod
    def reasons(mode: str) -> Container[str]:
        """What the stages reject a candidate for an example for."""

    @property
    def warnings(self) -> Sequence[str]:
        """Whether there are both splits."""
        return split_warnings(
            self.verdicts.validation, self.verdicts.faults, "examples", self._validation
        )

    @property
    def rejects(self) -> Mapping[str, Counter[str]]:
        """What was left out: of the input, of the stages, of the examples."""
        stages: dict[str, Counter[str]] = {"input": Counter(), self.stage: Counter()}
        own = self.reasons(self.corpus.mode)
        for reason, count in self.result.rejects.items():
            stages[self.stage if reason in own else "input"][reason] = count
        return {**stages, "corpus": self.verdicts.rejected()}

    def rejected(self) -> Iterator[dict[str, Any]]:
        """What `judge` dropped."""
        records = self.result.records(CHANNEL)
        for fault, record in zip(self.verdicts.faults, records, strict=True):
            if fault:
                yield {"reason": REASONS[fault], "record": record}

    def split(self, name: str) -> Iterator[MaskedExample]:
        """The examples of one split, in the order of the input; no other line is parsed."""
        return GroupNames(self.verdicts.groups).named(self._numbered(int(name == VALIDATION)))

    def _numbered(self, split: int) -> Iterator[tuple[int, MaskedExample]]:
        verdicts = enumerate(zip(self.verdicts.faults, self.verdicts.validation, strict=True))
        for path in self.result.files(CHANNEL):
            for number, line in disk.read_raw_lines(path):
                index, verdict = next(verdicts)
                if verdict == (0, split):
                    yield index, jsonl.loads(line, MaskedExample, path=path, number=number)


def _empty(rejects: Counter[str]) -> DataError:
    common = ", ".join(f"{reason} {count:,}" for reason, count in rejects.most_common(3))
    return DataError(
        f"no example was found{'; drafts were stopped by ' + common if common else ''}",
        remedy="is the language right? try more text, another --nlp, or --without FILTER",
    )
