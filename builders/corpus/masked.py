"""Corpora of masked examples: filters of the whole corpus, the splits in their forms."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np

from corefmill.builders.corpus import survey
from corefmill.builders.corpus.builder import Builder, Choose, Contents
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.options import JudgedOptions
from corefmill.builders.corpus.split import (
    TRAIN,
    VALIDATION,
    GroupNames,
    SentenceHashes,
    draw_validation,
    fold_text,
    hash_article,
    hash_text,
    warn_of_empty_split,
)
from corefmill.builders.run.job import RunResult
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import five_line, masked_conll
from corefmill.corpora.records import MASK, MaskedExample

SCHEMA = "masked-example/1"
CHANNEL = "examples"

WriteMasked: TypeAlias = Callable[[Path, Iterable[MaskedExample]], object]
"""Writes a split in another form than the native one."""


class MaskedContents(Contents):
    """The masked examples selected from a run; subclasses select them."""

    def __init__(self, corpus: Corpus, result: RunResult) -> None:
        self.corpus = corpus
        self.result = result
        self._sizes: dict[str, int] = {}

    @cached_property
    def _survey(self) -> survey.MaskedSurvey:
        return survey.MaskedSurvey(self.tallies(), self.corpus.seed)

    @staticmethod
    def forms(mode: str) -> Mapping[str, WriteMasked]:
        """Return the writers of a split's other formats (CoNLL, and five lines an example), by the
        ending of the file."""
        paper = mode == "paper"

        def write_five_lines(path: Path, examples: Iterable[MaskedExample]) -> None:
            # The published training files have pairs of candidates; validation files may have any
            # number. In paper mode all examples are pairs already, and ASCII.
            pairs = not paper and path.stem == TRAIN
            five_line.write(path, examples, ascii_only=paper, pairs=pairs)

        return {".conll": masked_conll.write, ".txt": write_five_lines}

    def tallies(self) -> Sequence[survey.ExampleTally]:
        """Return the counters of this builder over its examples, for the card."""
        return ()

    @abstractmethod
    def split(self, name: str) -> Iterator[MaskedExample]:
        """Read the examples of one split."""

    def write(self, out: Path) -> Mapping[str, int]:
        """Write both splits in all their forms, and the pictures of the card."""
        for split in (TRAIN, VALIDATION):
            path = out / f"{split}.jsonl"
            self._sizes[split] = jsonl.write(path, self._survey.watch(self.split(split)))
            for ending, write in self.forms(self.corpus.mode).items():
                write(path.with_suffix(ending), jsonl.read(path, MaskedExample))
        self._survey.shares.read_names([out / f"{split}.jsonl" for split in self._sizes])
        self._survey.shares.picture(out / survey.SHARES_PICTURE)
        survey.draw_lengths(self._survey.lengths, out / survey.LENGTHS_PICTURE)
        return self._sizes

    def sections(self) -> list[str]:
        """Make the lines of the card between its facts and its limits."""
        return survey.make_sections(
            self._survey,
            splits=self._sizes,
            rejects=self.rejects,
        )

    def counts(self) -> Mapping[str, Any]:
        """Return the survey's figures for the manifest."""
        return self._survey.counts()


def list_data_files(forms: Iterable[str]) -> tuple[str, ...]:
    """Name the files of a corpus whose splits have these forms besides JSON Lines."""
    endings = (".jsonl", *forms)
    splits = (f"{split}{ending}" for split in (TRAIN, VALIDATION) for ending in endings)
    return (survey.LENGTHS_PICTURE, survey.SHARES_PICTURE, *splits)


REASONS = (
    "",
    "links_to_no_person",
    "repeated_passage",
    "over_limit",
)


@dataclass(frozen=True, slots=True)
class ExampleVerdicts:
    """The decisions on all examples of a run, in their order.

    `faults` are indexes into REASONS, 0 for a kept example; `validation` is 1 for an example of the
    validation split. `groups` has the number of the first kept example with a sentence in common,
    directly or through other examples.
    """

    faults: array[int]
    validation: array[int]
    groups: array[int]

    def count_rejects(self) -> Counter[str]:
        """Count the dropped examples by reason."""
        return Counter({REASONS[fault]: n for fault, n in Counter(self.faults).items() if fault})


def judge_examples(
    result: RunResult,
    filters: Container[str],
    *,
    validation: int | None,
    limit: int | None,
    seed: int,
    banned: Container[str] = frozenset(),
) -> ExampleVerdicts:
    """Decide on every example of a run: kept or dropped, train or validation.

    An example with a link to a `banned` article is dropped, and so are repeats of a passage (blanks
    and case aside) and examples beyond the limit. The validation split has whole articles, see
    `draw_validation`; articles with a sentence in common count as one. Memory: 45 bytes an example.
    """
    passages, articles, stopped = array("Q"), array("Q"), array("b")
    sentences = SentenceHashes()
    for record in result.records(CHANNEL):
        links = record["meta"].get("links", {})
        stopped.append(1 if any(target in banned for target in links.values()) else 0)
        start, end = record["target"]
        masked = record["text"][:start] + MASK + record["text"][end:]
        passages.append(hash_text(fold_text(masked)))
        articles.append(hash_article(record["source"]))
        sentences.add(record["text"], record["sentences"])
    faults = np.array(stopped)
    if "repeated_passage" in filters:
        left = np.flatnonzero(faults == 0)
        _, first = np.unique(np.array(passages)[left], return_index=True)
        faults[np.delete(left, first)] = REASONS.index("repeated_passage")
    if limit is not None:
        faults[np.flatnonzero(faults == 0)[limit:]] = REASONS.index("over_limit")
    dropped = array("b", faults.tobytes())
    drawn = draw_validation(sentences.unite_articles(articles, dropped), dropped, validation, seed)
    return ExampleVerdicts(dropped, drawn, sentences.number_groups(dropped))


class JudgedContents(MaskedContents):
    """The examples kept by `judge_examples`.

    `stage` is the card's word for the candidates for an example, and `reasons` are the reasons to
    reject a candidate; all other rejects of the run are rejects of the input.
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
    def select(
        cls,
        corpus: Corpus,
        result: RunResult,
        *,
        filters: Container[str],
        validation: int | None,
    ) -> Iterator[Self]:
        """Decide on the examples of a run, and open their contents; the limit is the job's.

        Raises `DataError` if no example is left; the input's own error if the input broke off.
        """
        verdicts = judge_examples(
            result,
            filters,
            validation=validation,
            limit=result.job.most_records,
            seed=corpus.seed,
            banned=cls.find_banned(result) if "links_to_no_person" in filters else (),
        )
        contents = cls(corpus, result, verdicts, validation)
        if all(verdicts.faults):
            rejects = sum(contents.rejects.values(), Counter[str]()).most_common(3)
            common = ", ".join(f"{reason} {count:,}" for reason, count in rejects)
            raise result.source_error or DataError(
                f"no example was found{common and '; drafts were rejected for '}{common}",
                remedy="check --lang; try more text, another --nlp, or --without a filter",
            )
        yield contents

    @staticmethod
    def find_banned(result: RunResult) -> Container[str]:
        """Find the articles whose linked examples are dropped (filter links_to_no_person)."""
        return ()

    @staticmethod
    @abstractmethod
    def reasons(mode: str) -> Container[str]:
        """Return the stages' reasons to reject a draft."""

    @property
    def warnings(self) -> Sequence[str]:
        """A warning if one of the two splits is empty."""
        return warn_of_empty_split(
            self.verdicts.validation, self.verdicts.faults, "examples", self._validation
        )

    @property
    def rejects(self) -> Mapping[str, Counter[str]]:
        """Counts of rejects by reason: of the input, of the stages, of the corpus."""
        stages: dict[str, Counter[str]] = {"input": Counter(), self.stage: Counter()}
        own = self.reasons(self.corpus.mode)
        for reason, count in self.result.rejects.items():
            stages[self.stage if reason in own else "input"][reason] = count
        return {**stages, "corpus": self.verdicts.count_rejects()}

    def read_rejects(self) -> Iterator[dict[str, Any]]:
        """Yield the examples dropped by `judge_examples`, with the reason."""
        records = self.result.records(CHANNEL)
        for fault, record in zip(self.verdicts.faults, records, strict=True):
            if fault:
                yield {"reason": REASONS[fault], "record": record}

    def split(self, name: str) -> Iterator[MaskedExample]:
        """Read the examples of one split, in the order of the input, without parsing the others."""
        wanted = (0, int(name == VALIDATION))

        def number_examples() -> Iterator[tuple[int, MaskedExample]]:
            verdicts = enumerate(zip(self.verdicts.faults, self.verdicts.validation, strict=True))
            for path in self.result.files(CHANNEL):
                for number, line in disk.read_raw_lines(path):
                    index, verdict = next(verdicts)
                    if verdict == wanted:
                        yield index, jsonl.loads(line, MaskedExample, path=path, number=number)

        return GroupNames(self.verdicts.groups).add_names(number_examples())


Judged = TypeVar("Judged", bound=JudgedOptions)


class JudgedBuilder(Builder[Judged]):
    """A builder of masked examples; `judge_examples` decides on them at the end of the run.

    `on_corpus` are the filters that need the whole corpus.
    """

    schema = SCHEMA
    channels: tuple[str, ...] = (CHANNEL,)
    contents: type[JudgedContents]
    on_corpus: Sequence[str] = ("repeated_passage",)

    def choose(self) -> Choose:
        """Return the function for dropping repeats and drawing the validation split."""
        return partial(
            self.contents.select,
            filters=tuple(name for name in self.on_corpus if name in self.options.filters),
            validation=self.options.validation,
        )

    @property
    def data_files(self) -> tuple[str, ...]:
        """Names of the splits' files in all forms, and of the card's pictures."""
        return list_data_files(self.contents.forms(self.mode))

    def identity(self) -> dict[str, Any]:
        """Return the settings with influence on the records, such as the filters in force."""
        own = super().identity()
        own.pop("without", None)
        return {**own, "filters": self.options.filters}
