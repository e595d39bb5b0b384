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
    article_of,
    draw_validation,
    folded,
    hashed,
    split_warnings,
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
    """The masked examples chosen of a run; a builder decides on them."""

    def __init__(self, corpus: Corpus, result: RunResult) -> None:
        self.corpus = corpus
        self.result = result
        self._sizes: dict[str, int] = {}

    @cached_property
    def _survey(self) -> survey.MaskedSurvey:
        return survey.MaskedSurvey(self.tallies(), self.corpus.seed)

    @staticmethod
    def forms(mode: str) -> Mapping[str, WriteMasked]:
        """By the ending of the file, the forms that a split has besides the native one: CoNLL and
        five lines, which examples with labels have."""
        paper = mode == "paper"

        def write_five_lines(path: Path, examples: Iterable[MaskedExample]) -> None:
            # The published form of the training files is pairs; what reads the others takes any
            # number of candidates. Paper mode has made pairs of all already, and is ASCII.
            pairs = not paper and path.stem == TRAIN
            five_line.write(path, examples, ascii_only=paper, pairs=pairs)

        return {".conll": masked_conll.write, ".txt": write_five_lines}

    def tallies(self) -> Sequence[survey.ExampleTally]:
        """Return this builder's own tallies of examples."""
        return ()

    @abstractmethod
    def split(self, name: str) -> Iterator[MaskedExample]:
        """The examples of one split."""

    def write(self, out: Path) -> Mapping[str, int]:
        """Writes both splits in all their forms, and the pictures of the card."""
        for split in (TRAIN, VALIDATION):
            path = out / f"{split}.jsonl"
            self._sizes[split] = jsonl.write(path, self._survey.watch(self.split(split)))
            for ending, write in self.forms(self.corpus.mode).items():
                write(path.with_suffix(ending), jsonl.read(path, MaskedExample))
        self._survey.shares.read_names([out / f"{split}.jsonl" for split in self._sizes])
        self._survey.shares.picture(out / survey.SHARES_PICTURE)
        survey.picture(self._survey.lengths, out / survey.LENGTHS_PICTURE)
        return self._sizes

    def sections(self) -> list[str]:
        """The lines of the card between its facts and its limits."""
        return survey.sections(
            self._survey,
            splits=self._sizes,
            rejects=self.rejects,
        )

    def counts(self) -> Mapping[str, Any]:
        """The survey's figures for the manifest."""
        return self._survey.counts()


def data_files(forms: Iterable[str]) -> tuple[str, ...]:
    """Name the files of a corpus with splits in these forms besides the native one."""
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
) -> ExampleVerdicts:
    """Decides on every example; holds some 45 bytes for each, whatever the corpus's size.

    An example with a link to a `banned` article goes. Of passages that are the same but for blanks
    and case the first stays; of these the first are taken up to the limit. The validation split is
    made of whole articles, see `draw_validation`;
    articles that have a sentence in common count as one.
    """
    passages, articles, stopped = array("Q"), array("Q"), array("b")
    sentences = SentenceHashes()
    for record in result.records(CHANNEL):
        links = record["meta"].get("links", {})
        stopped.append(1 if any(target in banned for target in links.values()) else 0)
        start, end = record["target"]
        masked = record["text"][:start] + MASK + record["text"][end:]
        passages.append(hashed(folded(masked)))
        articles.append(article_of(record["source"]))
        sentences.add(record["text"], record["sentences"])
    faults = np.array(stopped)
    if "repeated_passage" in filters:
        left = np.flatnonzero(faults == 0)
        _, first = np.unique(np.array(passages)[left], return_index=True)
        faults[np.delete(left, first)] = REASONS.index("repeated_passage")
    if limit is not None:
        faults[np.flatnonzero(faults == 0)[limit:]] = REASONS.index("over_limit")
    dropped = array("b", faults.tobytes())
    drawn = draw_validation(sentences.united(articles, dropped), dropped, validation, seed)
    return ExampleVerdicts(dropped, drawn, sentences.groups(dropped))


class JudgedContents(MaskedContents):
    """The examples passed by `judge`.

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
    ) -> Iterator[Self]:
        """Judge the examples of a run; the limit is the job's.

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
        contents = cls(corpus, result, verdicts, validation)
        if all(verdicts.faults):
            raise result.source_error or _empty(sum(contents.rejects.values(), Counter()))
        yield contents

    @staticmethod
    def banned(result: RunResult) -> Container[str]:
        """Return articles; an example with a link to one is dropped."""
        return ()

    @staticmethod
    @abstractmethod
    def reasons(mode: str) -> Container[str]:
        """Return the stages' reasons to reject a draft."""

    @property
    def warnings(self) -> Sequence[str]:
        """Whether there are both splits."""
        return split_warnings(
            self.verdicts.validation, self.verdicts.faults, "examples", self._validation
        )

    @property
    def rejects(self) -> Mapping[str, Counter[str]]:
        """Counts of rejects: of the input, of the stages, of the examples."""
        stages: dict[str, Counter[str]] = {"input": Counter(), self.stage: Counter()}
        own = self.reasons(self.corpus.mode)
        for reason, count in self.result.rejects.items():
            stages[self.stage if reason in own else "input"][reason] = count
        return {**stages, "corpus": self.verdicts.rejected()}

    def rejected(self) -> Iterator[dict[str, Any]]:
        """Yield the examples dropped by `judge`."""
        records = self.result.records(CHANNEL)
        for fault, record in zip(self.verdicts.faults, records, strict=True):
            if fault:
                yield {"reason": REASONS[fault], "record": record}

    def split(self, name: str) -> Iterator[MaskedExample]:
        """The examples of one split, in the order of the input; no other line is parsed."""
        wanted = (0, int(name == VALIDATION))

        def number_examples() -> Iterator[tuple[int, MaskedExample]]:
            verdicts = enumerate(zip(self.verdicts.faults, self.verdicts.validation, strict=True))
            for path in self.result.files(CHANNEL):
                for number, line in disk.read_raw_lines(path):
                    index, verdict = next(verdicts)
                    if verdict == wanted:
                        yield index, jsonl.loads(line, MaskedExample, path=path, number=number)

        return GroupNames(self.verdicts.groups).add_names(number_examples())


def _empty(rejects: Counter[str]) -> DataError:
    common = ", ".join(f"{reason} {count:,}" for reason, count in rejects.most_common(3))
    return DataError(
        f"no example was found{'; drafts were stopped by ' + common if common else ''}",
        remedy="is the language right? try more text, another --nlp, or --without FILTER",
    )


Judged = TypeVar("Judged", bound=JudgedOptions)


class JudgedBuilder(Builder[Judged]):
    """A builder of masked examples, judged together at the end.

    `on_corpus` are the filters that need the whole corpus.
    """

    schema = SCHEMA
    channels: tuple[str, ...] = (CHANNEL,)
    contents: type[JudgedContents]
    on_corpus: Sequence[str] = ("repeated_passage",)

    def choose(self) -> Choose:
        """Return the function to choose the examples: repeats and the validation split."""
        return partial(
            self.contents.chosen,
            filters=tuple(name for name in self.on_corpus if name in self.options.filters),
            validation=self.options.validation,
        )

    @property
    def data_files(self) -> tuple[str, ...]:
        """The splits in all their forms, and the pictures of the card."""
        return data_files(self.contents.forms(self.mode))

    def identity(self) -> dict[str, Any]:
        """Return what the corpus depends on: the filters in force, whatever took them out."""
        own = super().identity()
        own.pop("without", None)
        return {**own, "filters": self.options.filters}
