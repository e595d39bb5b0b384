"""What every corpus of masked examples holds: two splits in their forms, and the survey of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

from corefmill.builders.corpus import shares, survey
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.split import TRAIN, VALIDATION
from corefmill.builders.run.job import RunResult
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import five_line, masked_conll
from corefmill.corpora.records import MaskedExample

SCHEMA = "masked-example/1"
CHANNEL = "examples"

WriteMasked: TypeAlias = Callable[[Path, Iterable[MaskedExample]], object]
"""Writes a split in another form than the native one."""


def _five_lines(path: Path, examples: Iterable[MaskedExample], *, paper: bool) -> None:
    # The published form of the training files is pairs; what reads the others takes any number of
    # candidates. Paper mode has made pairs of all already, and is ASCII.
    pairs = not paper and path.stem == TRAIN
    five_line.write(path, examples, ascii_only=paper, pairs=pairs)


class MaskedContents(ABC):
    """The masked examples chosen of a run, as `Assembly` wants them.

    A builder says which they are and what was left out.
    """

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
        lines = partial(_five_lines, paper=mode == "paper")
        return {".conll": masked_conll.write, ".txt": lines}

    def tallies(self) -> Sequence[survey.ExampleTally]:
        """What this builder counts of the examples besides what every masked corpus has."""
        return ()

    @property
    def warnings(self) -> Sequence[str]:
        """What the user should know of the corpus."""
        return ()

    @property
    @abstractmethod
    def rejects(self) -> Mapping[str, Counter[str]]:
        """How many were left out, by stage and reason, those of the run included."""

    def rejected(self) -> Iterator[dict[str, Any]]:
        """What was left out after the run, in the shape of the runner's kept rejects."""
        return iter(())

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
        self._survey.shares.picture(out / shares.PICTURE)
        survey.picture(self._survey.lengths, out / survey.PICTURE)
        return self._sizes

    def sections(self) -> list[str]:
        """The lines of the card between its facts and its limits."""
        return survey.sections(
            self._survey,
            splits=self._sizes,
            read=self.result.counts,
            rejects=sum(self.rejects.values(), Counter()),
        )

    def counts(self) -> Mapping[str, Any]:
        """The survey's figures for the manifest."""
        return self._survey.counts()


def data_files(forms: Iterable[str]) -> tuple[str, ...]:
    """What `write` leaves in a corpus whose splits have these forms besides the native one."""
    endings = (".jsonl", *forms)
    splits = (f"{split}{ending}" for split in (TRAIN, VALIDATION) for ending in endings)
    return (survey.PICTURE, shares.PICTURE, *splits)
