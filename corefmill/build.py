"""`build`: corpora from dumps and texts."""

from __future__ import annotations

import json
import os
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from builders import inputs, nlp
from builders.cluster import Ray, Slurm, run_on_ray, submit_to_slurm
from builders.inputs import Input
from builders.job import Job, Limit
from builders.run import run as run_job
from builders.wiki.download import WIKIMEDIA
from builders.wikicrem import build as wikicrem_build
from builders.wikicrem.finish import Finish
from builders.wikicrem.options import FILTERS, Options
from corefmill.shell import run
from corpora import jsonl, manifest
from corpora.errors import DataError, UsageError
from corpora.records import MaskedExample

app = typer.Typer(no_args_is_help=True, help="Build corpora.", pretty_exceptions_enable=False)


class Mode(StrEnum):
    """Which of the two ways of building."""

    clean = "clean"
    paper = "paper"


class Executor(StrEnum):
    """Where the work is done."""

    local = "local"
    ray = "ray"
    slurm = "slurm"


_INPUT, _WORK, _CLUSTER = "Input", "Work and output", "Cluster"

Lang = Annotated[
    str, typer.Option(help="Language of the text, such as en.", rich_help_panel=_INPUT)
]
Dump = Annotated[
    str | None,
    typer.Option(
        help="auto (newest below --data-dir, else the sample), sample, latest (downloads), a file,"
        " a pattern of parts, or - for standard input. (default: auto)",
        rich_help_panel=_INPUT,
    ),
]
DumpDate = Annotated[
    str | None,
    typer.Option(help="Download the dump of this day, YYYYMMDD.", rich_help_panel=_INPUT),
]
Mirror = Annotated[
    str, typer.Option(help="Where dumps are downloaded from.", rich_help_panel=_INPUT)
]
DataDir = Annotated[Path, typer.Option(help="Where dumps lie.", rich_help_panel=_INPUT)]
Text = Annotated[
    list[str] | None,
    typer.Option(
        help="Plain text or JSON Lines instead of a dump: a file, folder or pattern. Repeatable.",
        rich_help_panel=_INPUT,
    ),
]
TrustLang = Annotated[
    bool,
    typer.Option(
        "--trust-lang",
        help="Read the dump in --lang though its header names another language.",
        rich_help_panel=_INPUT,
    ),
]
Nlp = Annotated[
    str | None,
    typer.Option(
        help="spaCy pipeline with NER, by name or path."
        " (default: the best one installed, else the small one that ships)",
        rich_help_panel=_INPUT,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Directory of the corpus. (default: out/NAME-LANG)", rich_help_panel=_WORK),
]
Validation = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Size of the validation split, made of whole articles."
        " (default: 10,000 or 5 %, whichever is smaller)",
        rich_help_panel=_WORK,
    ),
]
LimitTo = Annotated[
    int | None,
    typer.Option("--limit", min=1, help="Stop at this many examples.", rich_help_panel=_WORK),
]
Seed = Annotated[int, typer.Option(help="Seed of all that is drawn.", rich_help_panel=_WORK)]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Processes. (default: one a core)", rich_help_panel=_WORK),
]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace what --out holds.", rich_help_panel=_WORK),
]
KeepRejects = Annotated[
    bool,
    typer.Option(
        "--keep-rejects", help="Write what was left out to rejects.jsonl.", rich_help_panel=_WORK
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print the result as JSON, for scripts.", rich_help_panel=_WORK),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print errors only.", rich_help_panel=_WORK)
]
Where = Annotated[
    Executor,
    typer.Option(
        "--executor",
        help="This machine, or a cluster (needs the extra 'cluster').",
        rich_help_panel=_CLUSTER,
    ),
]
Tasks = Annotated[int, typer.Option(min=1, help="Tasks on a cluster.", rich_help_panel=_CLUSTER)]
Partition = Annotated[str | None, typer.Option(help="Slurm partition.", rich_help_panel=_CLUSTER)]
Time = Annotated[str, typer.Option(help="Slurm's limit for a task.", rich_help_panel=_CLUSTER)]
MemPerCpu = Annotated[
    int, typer.Option(min=1, help="Memory of a task in GB.", rich_help_panel=_CLUSTER)
]
RayAddress = Annotated[
    str | None,
    typer.Option(help="Ray cluster. (default: one on this machine)", rich_help_panel=_CLUSTER),
]


@app.callback()
def top() -> None:
    """Build corpora. Each builder explains itself: build NAME --help."""


_EXAMPLES = """Examples:

    build wikicrem --lang en

    build wikicrem --lang en --dump latest --workers 8

    build wikicrem --lang en --text novels/ --out out/novels

    build wikicrem --lang de --nlp de_core_news_lg --dump 'dewiki-*.xml.bz2'

    build wikicrem --lang en --mode paper --json
"""


@app.command(epilog=_EXAMPLES)
def wikicrem(
    lang: Lang = "en",
    dump: Dump = None,
    text: Text = None,
    dump_date: DumpDate = None,
    data_dir: DataDir = Path("data"),
    mirror: Mirror = WIKIMEDIA,
    trust_lang: TrustLang = False,
    nlp: Nlp = None,
    mode: Annotated[
        Mode, typer.Option(help="The published rules to the letter, or with filters.")
    ] = Mode.clean,
    without: Annotated[
        list[str] | None,
        typer.Option(help=f"Leave a filter of clean mode out. Repeatable. {', '.join(FILTERS)}."),
    ] = None,
    out: Out = None,
    validation: Validation = None,
    limit: LimitTo = None,
    seed: Seed = 0,
    workers: Workers = None,
    overwrite: Overwrite = False,
    keep_rejects: KeepRejects = False,
    as_json: Json = False,
    quiet: Quiet = False,
    executor: Where = Executor.local,
    tasks: Tasks = 16,
    partition: Partition = None,
    time: Time = "24:00:00",
    mem_per_cpu: MemPerCpu = 4,
    ray_address: RayAddress = None,
) -> None:
    """Masked names: passages where a person's name recurs, one occurrence to be guessed.

    After WikiCREM (Kocijan et al. 2019). A run that was stopped goes on where it was when the same
    command is given again.
    """
    options = _options(lang, mode, nlp, without)
    given = _given(
        dump, text, lang, data_dir, dump_date, mirror, trust_lang, workers, as_json or quiet
    )
    job, finish = wikicrem_build.plan(
        options,
        given,
        out=(out or Path("out") / f"wikicrem-{lang}").absolute(),
        seed=seed,
        validation=validation,
        limit=limit,
        keep_rejects=keep_rejects,
        command=shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
    )
    where: Ray | Slurm | None = None
    if executor is Executor.ray:
        where = Ray(tasks=tasks, address=ray_address, mem_per_cpu_gb=mem_per_cpu)
    elif executor is Executor.slurm:
        if partition is None:
            raise UsageError("Slurm needs --partition")
        where = Slurm(tasks=tasks, time=time, partition=partition, mem_per_cpu_gb=mem_per_cpu)
    _build(job, finish, where, workers, overwrite, as_json=as_json, quiet=quiet)


def _options(lang: str, mode: Mode, pipeline: str | None, without: list[str] | None) -> Options:
    return Options.make(
        lang, mode.value, pipeline or nlp.choose(lang), tuple(sorted(set(without or ())))
    )


def _given(
    dump: str | None,
    text: list[str] | None,
    lang: str,
    data_dir: Path,
    date: str | None,
    mirror: str,
    trust_lang: bool,
    workers: int | None,
    silent: bool,
) -> Input:
    inputs.one_of(dump, text or ())
    if text:
        given = inputs.from_text(text)
    else:
        given = inputs.from_dump(
            dump or "auto",
            lang,
            data_dir=data_dir,
            date=date,
            base_url=mirror,
            trust_lang=trust_lang,
            threads=workers,
            quiet=silent,
        )
    if not silent:
        print(given.says[:1].upper() + given.says[1:] + ".", flush=True)
    return given


def _build(
    job: Job,
    finish: Finish,
    where: Ray | Slurm | None,
    workers: int | None,
    overwrite: bool,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Runs the job where it is to run, and reports; raises `DataError` for a cut-off input."""
    if _is_built(job, finish, overwrite):
        pass
    elif isinstance(where, Slurm):
        sent = submit_to_slurm(
            job, finish, where, keep_rejects=finish.keep_rejects, overwrite=overwrite
        )
        print(
            f"Submitted job {sent.work_job or '-'}, then {sent.finish_job}; logs in {sent.folder}"
        )
        return
    elif isinstance(where, Ray):
        with run_on_ray(
            job, where, keep_rejects=finish.keep_rejects, overwrite=overwrite
        ) as result:
            finish(result)
    else:
        limit = None if finish.limit is None else Limit("examples", finish.limit)
        with run_job(
            job,
            workers=workers or os.cpu_count() or 1,
            limit=limit,
            progress=False if quiet or as_json else None,
            keep_rejects=finish.keep_rejects,
            overwrite=overwrite,
        ) as result:
            finish(result)
    made = manifest.read(finish.out)
    if as_json:
        print(json.dumps(_summary(finish.out, made), ensure_ascii=False))
    elif not quiet:
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
    return same and all((finish.out / name).exists() for name in made.files)


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


def main() -> None:
    """The console script."""
    run(app, "build")
