"""From parsed options to a finished corpus on disk, and what is said of it; for all builders."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from builders import clock, inputs
from builders.brackets import bracketed
from builders.cluster import Ray, Slurm, run_on_ray, submit_to_slurm
from builders.inputs import Input
from builders.job import Job, Limit, RunResult
from builders.lock import locked
from builders.run import run as run_job
from builders.text import Kind
from builders.wiki.locate import Sample
from corefmill.options import ClusterOptions, DumpOptions, Executor, InputOptions, WorkOptions
from corpora import manifest
from corpora.errors import DataError, UsageError
from corpora.records import EventMention, MaskedExample, Record

_NAMES = {"event-mention/1": "mentions", "document/1": "documents"}
"""What --json calls the number of records."""

_AROUND = 150
"""Characters of a paragraph that are printed on each side of a mention."""

_SENTENCES = 4
"""Sentences of a document that are printed."""

_NO_PATHS = ("auto", "sample", "latest", "-")


class Finish(Protocol):
    """What makes a corpus of a run's shards, as each kind of corpus has its own."""

    @property
    def out(self) -> Path:
        """The directory of the corpus."""

    @property
    def channel(self) -> str:
        """The channel of records that `limit` counts."""

    @property
    def limit(self) -> int | None:
        """How many of them to stop at."""

    @property
    def keep_rejects(self) -> bool:
        """Whether what is left out is written."""

    @property
    def scratch(self) -> Sequence[Path]:
        """Folders, besides the shards', that a finished corpus needs no more."""

    def __call__(self, result: RunResult) -> None:
        """Writes the corpus."""


def given(
    source: DumpOptions,
    work: WorkOptions,
    cluster: ClusterOptions,
    *,
    sample: Sample = Sample.articles,
) -> Input:
    """The input that is named, which the first line printed says; `sample` where none is."""
    kind, texts = source.texts() if isinstance(source, InputOptions) else (Kind.TEXT, [])
    inputs.one_of(source.dump, texts, kind)
    # A task on a cluster starts in a folder of its own.
    far = cluster.executor is not Executor.local
    if texts:
        found = inputs.from_text([_anchored(name) if far else name for name in texts], kind)
    else:
        dump = source.dump or "auto"
        found = inputs.from_dump(
            _anchored(dump) if far and dump not in _NO_PATHS else dump,
            source.lang,
            data_dir=source.data_dir.absolute() if far else source.data_dir,
            date=source.dump_date,
            base_url=source.mirror,
            trust_lang=source.trust_lang,
            threads=work.workers,
            quiet=work.silent,
            sample=sample,
        )
    if not work.silent:
        print(found.says[:1].upper() + found.says[1:] + ".", flush=True)
    return found


def _anchored(name: str) -> str:
    return str(Path(name).absolute())


def build(
    job: Job,
    finish: Finish,
    work: WorkOptions,
    cluster: ClusterOptions,
    before: Callable[[], None] = lambda: None,
) -> None:
    """Runs the job where it is to run, and reports; raises `DataError` for a cut-off input.

    `before` is called, on this machine, unless the corpus is there already.
    """
    where = cluster.cluster()
    built = _is_built(job, finish, work.overwrite)
    if not built:
        before()
    if built:
        pass
    elif isinstance(where, Slurm):
        sent = submit_to_slurm(
            job, finish, where, keep_rejects=finish.keep_rejects, overwrite=work.overwrite
        )
        print(
            f"Submitted job {sent.work_job or '-'}, then {sent.finish_job}; logs in {sent.folder}"
        )
        return
    elif isinstance(where, Ray):
        with run_on_ray(
            job, where, keep_rejects=finish.keep_rejects, overwrite=work.overwrite
        ) as result:
            finish(result)
    else:
        limit = None if finish.limit is None else Limit(finish.channel, finish.limit)
        with run_job(
            job,
            workers=work.workers or os.cpu_count() or 1,
            limit=limit,
            progress=False if work.silent else None,
            keep_rejects=finish.keep_rejects,
            overwrite=work.overwrite,
        ) as result:
            finish(result)
    made = manifest.read(finish.out)
    if work.as_json:
        print(json.dumps(_summary(finish.out, made), ensure_ascii=False))
    elif not work.quiet:
        _tell(finish.out, made)
    if made.build["truncated"]:
        raise DataError(
            f"{made.build['truncated']}; the corpus in {finish.out} holds what came before"
        )


def _is_built(job: Job, finish: Finish, overwrite: bool) -> bool:
    """Whether --out holds this very corpus already, whole."""
    if overwrite or not (finish.out / manifest.NAME).exists():
        return False
    made = manifest.read(finish.out)
    own = job.fingerprint(keep_rejects=finish.keep_rejects).digest
    same = made.build.get("fingerprint") == own and made.build.get("limit") == finish.limit
    if not (same and all((finish.out / name).exists() for name in made.files)):
        return False
    if not job.source.paths:
        raise UsageError(
            "a finished corpus is here, and whether a stream is the one it was made from none can"
            " tell",
            path=finish.out,
            remedy="--overwrite replaces it, --out names another folder",
        )
    for folder in (job.work_dir, *finish.scratch):
        if folder.exists():  # killed while it tidied up
            with locked(finish.out):
                shutil.rmtree(folder, ignore_errors=True)
    return True


def _summary(out: Path, made: manifest.Manifest) -> dict[str, Any]:
    spent = clock.read(out / clock.FILE)
    return {
        "out": str(out),
        _NAMES.get(made.schema, "examples"): sum(made.splits.values()),
        "splits": made.splits,
        "counts": made.counts,
        "fingerprint": made.build["fingerprint"],
        "warnings": made.warnings,
        **({"stages": {name: asdict(own) for name, own in spent.items()}} if spent else {}),
    }


def _tell(out: Path, made: manifest.Manifest) -> None:
    splits = ", ".join(f"{count:,} {split}" for split, count in made.splits.items())
    print(f"\nThe corpus is in {out}: {splits}. Its card is {out / 'README.md'}. Three of it:\n")
    for record in islice(manifest.records(out, next(iter(made.splits))), 3):
        for line in _shown(record):
            print(f"  {line}")
        print()
    if spent := clock.read(out / clock.FILE):
        print("What each step was given, its seconds (of all processes together), and its pace:\n")
        print("\n".join(f"  {line}" for line in clock.shown(spent)), end="\n\n")
    for warning in made.warnings:
        print(f"Warning: {warning}", file=sys.stderr)


def _shown(record: Record) -> Iterator[str]:
    if isinstance(record, MaskedExample):
        yield record.masked_text
        yield f"  {' / '.join(record.candidates)} -> {record.answer}"
    elif isinstance(record, EventMention):
        start, end = record.start, record.end
        before, after = record.text[max(0, start - _AROUND) : start], record.text[end:]
        shown = f"{before}[{record.text[start:end]}]{after[:_AROUND]}"
        yield f"{'…' * (start > _AROUND)}{shown}{'…' * (len(after) > _AROUND)}"
        yield f"  {record.event_type}: {record.cluster_title}"
    else:
        for place in range(min(_SENTENCES, len(record.sentences))):
            yield bracketed(record, place)
