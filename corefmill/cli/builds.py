"""From parsed options to a finished corpus on disk, and the summary printed; for all builders."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.assembly import Assembly
from corefmill.builders.runner import clock
from corefmill.builders.runner.cluster import Ray, Slurm, Submitted, run_on_ray, submit_to_slurm
from corefmill.builders.runner.job import CONTENTS, Job, RunResult, contents
from corefmill.builders.runner.passes import Do, locally
from corefmill.builders.runner.run import claim, orderly_end
from corefmill.builders.runner.run import run as run_job
from corefmill.builders.sources import inputs
from corefmill.builders.sources.inputs import Input
from corefmill.builders.sources.text import TextKind
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.cli.options import (
    ClusterOptions,
    DumpOptions,
    Executor,
    InputOptions,
    WorkOptions,
)
from corefmill.cli.printing import print_json
from corefmill.corpora import manifest
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.formats.brackets import bracketed
from corefmill.corpora.lock import locked
from corefmill.corpora.ownership import is_unsettled, refuse_foreign, settle
from corefmill.corpora.records import EventMention, MaskedExample, Record

_NAMES = {"event-mention/1": "mentions", "document/1": "documents"}
"""What --json calls the number of records."""

_AROUND = 150
"""Characters of a paragraph that are printed on each side of a mention."""

_SENTENCES = 4
"""Sentences of a document that are printed."""

_SAID_FIRST = ("Names by", "Heads, lemmas, entities by", "Filters that cannot work here")
"""The card's rows that are printed before a build."""

_NO_PATHS = ("auto", "sample", "latest", "-")


def given(
    source: DumpOptions,
    work: WorkOptions,
    cluster: ClusterOptions,
    *,
    sample: ShippedSample = ShippedSample.articles,
) -> Input:
    """The input that the options name, else `sample`; prints a line that says which it is."""
    kind, texts = source.texts() if isinstance(source, InputOptions) else (TextKind.TEXT, [])
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


def before(work: WorkOptions, cluster: ClusterOptions) -> Do:
    """How a pass before the build is run: on the cluster if it lets us wait, else here."""
    where = cluster.cluster()
    if isinstance(where, Ray):
        return partial(run_on_ray, how=where, overwrite=work.overwrite)
    return locally(
        cores=work.workers or os.cpu_count() or 1,
        progress=False if work.silent else None,
        overwrite=work.overwrite,
    )


def build(
    job: Job,
    assembly: Assembly,
    work: WorkOptions,
    cluster: ClusterOptions,
    first: Callable[[], None] = lambda: None,
) -> None:
    """Runs the job where it is to run, and reports; raises `DataError` for a cut-off input.

    `first` is called, on this machine, unless the corpus is there already.
    """
    where = cluster.cluster()
    out = job.out_dir
    if not work.silent:
        for row in _SAID_FIRST:
            if said := assembly.corpus.facts.get(row):
                print(f"{row}: {said}.", flush=True)
    if not _is_built(job, work):
        # What is not ours is refused before a lock is laid into it.
        refuse_foreign(out, job.files, overwrite=work.overwrite)
        with orderly_end(out), locked(out):
            claim(job, overwrite=work.overwrite)
            first()
            if not isinstance(where, Slurm):
                with _run(job, where, work) as result:
                    assembly(result)
        if isinstance(where, Slurm):  # the last of its tasks takes the lock
            _tell_submitted(submit_to_slurm(job, assembly, where), as_json=work.as_json)
            return
    made = manifest.read(out)
    if work.as_json:
        broke_off = filter(None, [made.build["truncated"]])
        print_json(_summary(out, made), warnings=[*made.warnings, *broke_off])
    elif not work.quiet:
        _tell(out, made)
    if made.build["truncated"]:
        raise DataError(f"{made.build['truncated']}; the corpus in {out} holds what came before")


def _tell_submitted(sent: Submitted, *, as_json: bool) -> None:
    if as_json:
        jobs = {"work_job": sent.work_job, "finish_job": sent.finish_job}
        print_json({**jobs, "logs": str(sent.folder)})
    else:
        first, last = sent.work_job or "-", sent.finish_job
        print(f"Submitted job {first}, then {last}; logs in {sent.folder}")


def _run(job: Job, where: Ray | None, work: WorkOptions) -> AbstractContextManager[RunResult]:
    if where is not None:
        return run_on_ray(job, where)
    return run_job(
        job,
        workers=work.workers or os.cpu_count() or 1,
        progress=False if work.silent else None,
    )


def _is_built(job: Job, work: WorkOptions) -> bool:
    """Whether --out holds this very corpus already, whole and of the input as it is now.

    Raises `UsageError` where the input changed since in a part that its fingerprint leaves out.
    """
    out = job.out_dir
    if work.overwrite or not (out / manifest.NAME).exists():
        return False
    made = manifest.read(out)
    ours = (job.fingerprint.digest, job.most_records)
    if (made.build.get("fingerprint"), made.build.get("limit")) != ours:
        return False
    if damaged := manifest.damaged(out, made):
        if not work.silent:
            print(f"{out / damaged[0]} is not as it was written: building it again.")
        return False
    if not job.source.paths:
        raise UsageError(
            "a finished corpus is here already, and standard input cannot be compared with what it"
            " was built from",
            path=out,
            remedy="--overwrite builds it again, --out names another folder",
        )
    _compare(job, out, made, whole=work.verify)
    if is_unsettled(out):  # killed while it tidied up
        with locked(out):
            settle(out, [name for name in job.files if (out / name).exists()])
    return True


def _compare(job: Job, out: Path, made: manifest.Manifest, *, whole: bool) -> None:
    """Raises `UsageError` where the input is not what the corpus was made of.

    All of it is read where `whole` asks for that, or where a file was touched after the corpus
    was finished: the fingerprint, which is the same, knows some of its blocks alone.
    """
    finished = (out / manifest.NAME).stat().st_mtime_ns
    touched = [path for path in job.source.paths if _last_change(path) > finished]
    if not (touched or whole):
        return
    sums = made.build.get(CONTENTS)
    if sums is None and not touched:
        raise UsageError(
            "this corpus was built with --limit, which keeps no sum of the whole input",
            path=out,
            remedy="leave out --verify, or --overwrite builds it again",
        )
    if sums is None or sums != contents(job.source.paths):
        raise UsageError(
            "the input was changed since the corpus that is here was built from it",
            path=touched[0] if touched else out,
            remedy="--overwrite builds it again, --out names another folder",
        )
    with suppress(OSError):  # somebody else's corpus; then it is compared each time
        os.utime(out / manifest.NAME)


def _last_change(path: Path) -> int:
    """In nanoseconds; a copy or a tool may set back the time of writing, not that of the change."""
    stat = path.stat()
    return max(stat.st_mtime_ns, stat.st_ctime_ns)


def _summary(out: Path, made: manifest.Manifest) -> dict[str, Any]:
    spent = clock.read(out / clock.FILE)
    return {
        "out": str(out),
        _NAMES.get(made.schema, "examples"): sum(made.splits.values()),
        "splits": made.splits,
        "counts": made.counts,
        "fingerprint": made.build["fingerprint"],
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
        yield record.marked_text if record.label is None else record.masked_text
        label = "nobody has said yet" if record.answer is None else record.answer
        yield f"  {' / '.join(record.candidates)} -> {label}"
    elif isinstance(record, EventMention):
        start, end = record.start, record.end
        before, after = record.text[max(0, start - _AROUND) : start], record.text[end:]
        shown = f"{before}[{record.text[start:end]}]{after[:_AROUND]}"
        yield f"{'…' * (start > _AROUND)}{shown}{'…' * (len(after) > _AROUND)}"
        yield f"  {record.event_type}: {record.cluster_title}"
    else:
        for place in range(min(_SENTENCES, len(record.sentences))):
            yield bracketed(record, place)
