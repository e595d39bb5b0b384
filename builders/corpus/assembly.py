"""The one way from a finished run to a corpus on disk: splits, rejects, card, manifest.

A builder says what its corpus holds (`Contents`) and what it states (`Corpus`); `planned` makes of
both, and of the builder's stages, what the command line runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from corefmill.builders.corpus import card
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.corpus.outputs import COUNTED, KEPT, write_rejects
from corefmill.builders.run.job import Job, Limit, RunResult
from corefmill.builders.run.stages import Setup, UnitSource
from corefmill.corpora import manifest
from corefmill.corpora.files.ownership import settle

SUMMARY = "summary"
"""What the manifest's counts call the lines that are printed at the end and first on the card."""


class Contents(Protocol):
    """The records chosen for a corpus, of whatever kind, and what its card says of them."""

    @property
    def result(self) -> RunResult:
        """The run that the records are from."""

    @property
    def warnings(self) -> Sequence[str]:
        """What the user should know of the corpus."""

    @property
    def rejects(self) -> Mapping[str, Counter[str]]:
        """How many were left out, by stage and reason, those of the run included."""

    def rejected(self) -> Iterator[dict[str, Any]]:
        """What was left out after the run, in the shape of the runner's kept rejects."""

    def write(self, out: Path) -> Mapping[str, int]:
        """Writes each split in all its forms; returns the number of records by split."""

    def sections(self) -> Iterable[str]:
        """The lines of the card between its facts and its limits; called after `write`."""

    def counts(self) -> Mapping[str, Any]:
        """For the manifest, besides what was read and rejected; called after `write`."""


Choose: TypeAlias = Callable[[Corpus, RunResult], AbstractContextManager[Contents]]
"""Decides on the records of a finished run. What it gives holds inside the block; it raises
`DataError` where no record is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """Makes the directory of a corpus; called once all shards are whole, on whichever machine.

    `schema` is that of the records. `data_files` are the files of the records, whose sums the
    manifest has, and `other_files` those that it does not vouch for; both relative to `out`.
    """

    corpus: Corpus
    schema: str
    choose: Choose
    data_files: tuple[str, ...]
    other_files: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """All that may be written into `out`."""
        own = (*card.FILES, COUNTED, KEPT, manifest.NAME)
        return (*own, *self.data_files, *self.other_files)

    def __call__(self, result: RunResult) -> None:
        """Writes the corpus, the manifest last, and removes the shards.

        Raises `DataError` where there is no record at all.
        """
        corpus = self.corpus
        with self.choose(corpus, result) as contents:
            result = contents.result
            sizes = contents.write(corpus.out)
            rejects = contents.rejects
            warnings = [result.broke_off] if result.broke_off else []
            warnings += (*corpus.warnings, *contents.warnings)
            more = write_rejects(corpus.out, rejects, result, contents.rejected())
            # What was kept of a source that is whole, which not every builder has.
            summary: Sequence[str] = getattr(contents, "summary", ())
            card.write(
                corpus,
                contents.sections(),
                warnings,
                schema=self.schema,
                splits=sizes,
                summary=summary,
            )
            counts = {"read": dict(sorted(result.counts.items())), **contents.counts()}
            if summary:
                counts[SUMMARY] = list(summary)
        total = sum(rejects.values(), Counter[str]())
        counts.setdefault("rejected", dict(sorted(total.items())))
        made = corpus.manifest(
            result,
            schema=self.schema,
            splits=sizes,
            counts=counts,
            files=(*card.FILES, *self.data_files, *more),
            warnings=warnings,
        )
        manifest.write(corpus.out, made)
        settle(corpus.out, (manifest.NAME, *made.files, *self.other_files))


def planned(
    corpus: Corpus,
    request: BuildRequest,
    *,
    builder: str,
    source: UnitSource,
    setup: Setup,
    channels: tuple[str, ...],
    options: Mapping[str, Any],
    schema: str,
    choose: Choose,
    data_files: tuple[str, ...],
    other_files: tuple[str, ...] = (),
    counted: str = "",
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it.

    `options` decide the bytes, together with the seed and the source. `limit` counts records of the
    channel `counted`, else the first.
    """
    assembly = Assembly(
        corpus=corpus,
        schema=schema,
        choose=choose,
        data_files=data_files,
        other_files=other_files,
    )
    limit = None if request.limit is None else Limit(counted or channels[0], request.limit)
    job = Job(
        name=builder,
        source=source,
        setup=setup,
        out_dir=corpus.out,
        channels=channels,
        options=options,
        seed=corpus.seed,
        limit=limit,
        keep_rejects=request.keep_rejects,
        files=assembly.files,
    )
    return job, assembly
