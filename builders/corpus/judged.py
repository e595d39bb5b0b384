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

from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.masked import CHANNEL, MaskedContents
from corefmill.builders.corpus.split import VALIDATION, article_of, draw_articles, hashed
from corefmill.builders.runner.job import RunResult
from corefmill.corpora import jsonl, lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.records import MASK, MaskedExample

MOST_VALIDATION, VALIDATION_SHARE = 10_000, 0.05
REASONS = ("", "links_to_no_person", "repeated_passage", "over_limit")


@dataclass(frozen=True, slots=True)
class ExampleVerdicts:
    """For each example in order: what became of it, and whether it goes to validation.

    `faults` are indexes into REASONS, 0 for none.
    """

    faults: array[int]
    validation: array[int]

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
) -> ExampleVerdicts:
    """Decides on every example; holds some 25 bytes for each, whatever the corpus's size.

    An example with a link to a `banned` article goes. Of passages that are the same but for blanks
    and case the first stays. The validation split is made of whole articles, drawn with the seed,
    until it has `validation` examples (None: 10,000 or 5 %, whichever is smaller).
    """
    passages, articles = array("Q"), array("Q")
    faults = array("b")
    for record in result.records(CHANNEL):
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
    wanted = validation_size(faults.count(0), validation)
    return ExampleVerdicts(faults, draw_articles(articles, faults, wanted, seed))


def validation_size(total: int, wanted: int | None) -> int:
    """How many examples of `total` go to validation at most."""
    if wanted is None:
        return min(MOST_VALIDATION, int(total * VALIDATION_SHARE))
    return min(wanted, total)


def _folded(record: dict[str, Any]) -> str:
    start, end = record["target"]
    masked = record["text"][:start] + MASK + record["text"][end:]
    return " ".join(masked.split()).casefold()


class JudgedContents(MaskedContents):
    """The examples that `judge` lets through.

    `stage` is what the card calls a candidate for an example, and `reasons` are those for which
    one is rejected; all other rejects of the run are of its input.
    """

    stage: ClassVar[str] = "draft"

    def __init__(self, corpus: Corpus, result: RunResult, verdicts: ExampleVerdicts) -> None:
        super().__init__(corpus, result)
        self.verdicts = verdicts

    @classmethod
    @contextmanager
    def chosen(
        cls,
        corpus: Corpus,
        result: RunResult,
        *,
        filters: Container[str],
        validation: int | None,
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
        )
        contents = cls(corpus, result, verdicts)
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
        """Whether there is a validation split."""
        if any(self.verdicts.validation):
            return ()
        return ("too few articles for a validation split; all examples are in train",)

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
        chosen = int(name == VALIDATION)
        verdicts = zip(self.verdicts.faults, self.verdicts.validation, strict=True)
        for path in self.result.files(CHANNEL):
            for number, line in lines.raw(path):
                if next(verdicts) == (0, chosen):
                    yield jsonl.loads(line, MaskedExample, path=path, number=number)


def _empty(rejects: Counter[str]) -> DataError:
    common = ", ".join(f"{reason} {count:,}" for reason, count in rejects.most_common(3))
    return DataError(
        f"no example was found{'; drafts were stopped by ' + common if common else ''}",
        remedy="is the language right? try more text, another --nlp, or --without FILTER",
    )
