"""From parsed options to a finished corpus on disk, and what is said of it; for all builders."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from builders import inputs
from builders.cluster import Ray, Slurm, run_on_ray, submit_to_slurm
from builders.inputs import Input
from builders.job import Job, Limit
from builders.lock import locked
from builders.masked.finish import Finish
from builders.run import run as run_job
from corefmill.options import ClusterOptions, Executor, InputOptions, WorkOptions
from corpora import jsonl, manifest
from corpora.errors import DataError, UsageError
from corpora.records import MaskedExample

_NO_PATHS = ("auto", "sample", "latest", "-")


def given(source: InputOptions, work: WorkOptions, cluster: ClusterOptions) -> Input:
    """The input that is named, which the first line printed says."""
    inputs.one_of(source.dump, source.text or ())
    # A task on a cluster starts in a folder of its own.
    far = cluster.executor is not Executor.local
    if source.text:
        found = inputs.from_text([_anchored(name) if far else name for name in source.text])
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
        )
    if not work.silent:
        print(found.says[:1].upper() + found.says[1:] + ".", flush=True)
    return found


def _anchored(name: str) -> str:
    return str(Path(name).absolute())


def build(job: Job, finish: Finish, work: WorkOptions, cluster: ClusterOptions) -> None:
    """Runs the job where it is to run, and reports; raises `DataError` for a cut-off input."""
    where = cluster.cluster()
    if _is_built(job, finish, work.overwrite):
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
        limit = None if finish.limit is None else Limit("examples", finish.limit)
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
    if job.work_dir.exists():  # killed while it tidied up
        with locked(finish.out):
            shutil.rmtree(job.work_dir, ignore_errors=True)
    return True


def _summary(out: Path, made: manifest.Manifest) -> dict[str, Any]:
    return {
        "out": str(out),
        "examples": sum(made.splits.values()),
        "splits": made.splits,
        "counts": made.counts,
        "fingerprint": made.build["fingerprint"],
        "warnings": made.warnings,
    }


def _tell(out: Path, made: manifest.Manifest) -> None:
    splits = ", ".join(f"{count:,} {split}" for split, count in made.splits.items())
    print(f"\nThe corpus is in {out}: {splits}. Its card is {out / 'README.md'}. Three of it:\n")
    for number, example in enumerate(jsonl.read(out / "train.jsonl", MaskedExample)):
        if number == 3:
            break
        print(f"  {example.masked_text}")
        print(f"    {' / '.join(example.candidates)} -> {example.answer}\n")
    for warning in made.warnings:
        print(f"Warning: {warning}", file=sys.stderr)
