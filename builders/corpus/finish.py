"""Makes a corpus directory of a run's shards; the manifest comes last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from corefmill.builders.corpus import card
from corefmill.builders.corpus.outputs import COUNTED, KEPT, versions, write_rejects
from corefmill.builders.corpus.split import TRAIN, VALIDATION
from corefmill.builders.runner.job import RunResult
from corefmill.corpora import jsonl, manifest
from corefmill.corpora.formats import five_line, masked_conll
from corefmill.corpora.ownership import settle
from corefmill.corpora.records import MaskedExample

_FORMS = (".conll", ".txt")

Write: TypeAlias = Callable[[Path, Iterable[MaskedExample]], object]
"""Writes a split in another form than the native one; it must pickle."""


class Choice(Protocol):
    """What of a run's records goes into the corpus, to be read as often as need be."""

    @property
    def rejects(self) -> Mapping[str, Counter[str]]:
        """By stage and reason how many were left out, those of the run included."""

    @property
    def tallies(self) -> Sequence[card.Tally]:
        """What this builder counts of its examples."""

    @property
    def warnings(self) -> Sequence[str]:
        """What the user should know of the corpus."""

    def split(self, name: str) -> Iterator[MaskedExample]:
        """The examples of one split."""

    def rejected(self) -> Iterator[dict[str, Any]]:
        """What was left out after the run, in the shape of the runner's kept rejects."""


class Choose(Protocol):
    """Decides on the records of a finished run; it must pickle."""

    def __call__(self, result: RunResult) -> AbstractContextManager[Choice]:
        """The choice holds inside the block. Raises `DataError` where there is no example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """All that a finished corpus states besides what the shards hold; called once they are whole.

    `facts` are rows of the card's first table, `limits` what the card says of the method's
    weaknesses; `forms` are, by the
    ending of the file, those a split has besides the native one; None stands for CoNLL and five
    lines, which examples with labels have.
    """

    name: str
    title: str
    lang: str
    mode: str
    out: Path
    seed: int
    choose: Choose
    facts: Mapping[str, str]
    limits: tuple[str, ...]
    licence: str
    attribution: str
    command: str
    pipeline: str
    forms: Mapping[str, Write] | None = None

    def __call__(self, result: RunResult) -> None:
        """Writes the corpus into `out` and removes the shards.

        Raises `DataError` where there is no example at all.
        """
        with self.choose(result) as choice:
            survey = card.Survey(choice.tallies, self.seed)
            splits = self._write_splits(choice, survey)
            warnings = [] if result.source_error is None else [f"{result.source_error}"]
            warnings += choice.warnings
            others = write_rejects(self.out, choice.rejects, result, choice.rejected())
            rejects = sum(choice.rejects.values(), Counter[str]())
        card.write(
            self.out,
            survey,
            title=self.title,
            facts={**self.facts, "Licence": self.licence, "Source": self.attribution},
            splits=splits,
            counts=result.counts,
            rejects=rejects,
            limits=self.limits,
            warnings=warnings,
            command=self.command,
        )
        made = self._manifest(result, survey, splits, rejects, others, warnings)
        manifest.write(self.out, made)
        settle(self.out, (manifest.NAME, *made.files))

    @property
    def files(self) -> tuple[str, ...]:
        """All that may be written into `out`."""
        forms = (".jsonl", *(_FORMS if self.forms is None else self.forms))
        splits = (f"{split}{form}" for split in (TRAIN, VALIDATION) for form in forms)
        return ("README.md", card.PICTURE, COUNTED, KEPT, manifest.NAME, *splits)

    def _write_splits(self, choice: Choice, survey: card.Survey) -> dict[str, int]:
        """Writes each split in all its forms; returns the number of examples by split."""
        # The published form of the training files is pairs; what reads the others takes any
        # number of candidates. Paper mode has made pairs of all already, and is ASCII.
        paper = self.mode == "paper"
        sizes: dict[str, int] = {}
        for split in (TRAIN, VALIDATION):
            path = self.out / f"{split}.jsonl"
            sizes[split] = jsonl.write(path, survey.watch(choice.split(split)))
            if self.forms is not None:
                for ending, write in self.forms.items():
                    write(path.with_suffix(ending), jsonl.read(path, MaskedExample))
                continue
            masked_conll.write(path.with_suffix(".conll"), jsonl.read(path, MaskedExample))
            five_line.write(
                path.with_suffix(".txt"),
                jsonl.read(path, MaskedExample),
                ascii_only=paper,
                pairs=not paper and split == TRAIN,
            )
        return sizes

    def _manifest(
        self,
        result: RunResult,
        survey: card.Survey,
        splits: dict[str, int],
        rejects: Counter[str],
        others: list[str],
        warnings: list[str],
    ) -> manifest.Manifest:
        counts: dict[str, Any] = {"read": dict(sorted(result.counts.items())), **survey.counts()}
        counts["rejected"] = dict(sorted(rejects.items()))
        names = {*self.files} - {COUNTED, KEPT, manifest.NAME} | {*others}
        return manifest.Manifest(
            name=self.name,
            schema="masked-example/1",
            lang=self.lang,
            mode=self.mode,
            splits=splits,
            counts=counts,
            seed=self.seed,
            versions=versions(self.pipeline),
            build=result.build_record(),
            licence=self.licence,
            attribution=self.attribution,
            files={name: manifest.sha256(self.out / name) for name in sorted(names)},
            warnings=warnings,
        )
