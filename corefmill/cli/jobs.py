"""`corefmill jobs`: how far a build on a cluster is, and its end before its time."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli.plain_options import Json, Quiet
from corefmill.cli.printing import print_json, print_result
from corefmill.corpora.errors import UsageError, as_given

if TYPE_CHECKING:
    from corefmill.builders.runner.cluster import JobRecord, WorkState

_log = logging.getLogger(__name__)

_EXAMPLES = """Examples:

    corefmill jobs status out/wec-en

    corefmill jobs status out/wec-en --json

    corefmill jobs cancel out/wec-en
"""

Out = Annotated[
    Path, typer.Argument(metavar="OUT", help="The folder of the corpus, as --out of its build.")
]

_YET = "No task is at work yet."
_IDLE = "No task is at work. The same command as before goes on with the build."

app = typer.Typer(no_args_is_help=True)


@app.callback()
def jobs() -> None:
    """Builds on a cluster: how far one is, and its end before its time."""


@app.command("status", epilog=_EXAMPLES)
def status(out: Out, as_json: Json = False, quiet: Quiet = False) -> None:
    """Tell how far the build of a corpus is: units that are done, in hand, and that failed.

    It reads the files that tasks leave in OUT, and asks Slurm where that is at hand.
    """
    from corefmill.builders.runner import slurm
    from corefmill.builders.runner.cluster import JobRecord, store_states, work_states
    from corefmill.corpora import manifest
    from corefmill.corpora.object_folder import ObjectFolder
    from corefmill.corpora.remote_folder import url_of

    url = url_of(out)
    shown = url or str(out)
    record = JobRecord.read(_here(out))
    work = store_states(url) if url else work_states(out)
    there_is = ObjectFolder(url).get(manifest.NAME) if url else (out / manifest.NAME).exists()
    # With work in it, the folder holds an earlier corpus that is being built anew.
    finished = not work and bool(there_is)
    for warning in manifest.read(out).warnings if finished and not url else ():
        _log.warning("%s", warning)
    if record is None and not work and not finished:
        raise UsageError("no build is here", path=shown, remedy="name the --out of one")
    there = None if record is None or record.job is None else slurm.states(record.job)
    # A task stays at work on the build itself, which comes last, from its start to its end.
    tasks = work[-1].tasks if work else ()
    if as_json:
        print_json(
            {
                "out": shown,
                "finished": finished,
                "cluster": record and asdict(record),
                "slurm": there,
                "tasks": tasks,
                "work": [asdict(one) for one in work],
            }
        )
        return
    if record is not None:
        known = f": {slurm.shown(there)}" if there else ""
        print(f"{_named(record)}, {record.tasks} tasks{known}")
    _tell(work)
    if finished:
        print(f"The corpus is finished: {shown}")
    elif not quiet:
        print(f"{len(tasks)} tasks are at work." if tasks else _YET if there else _IDLE)


def _tell(work: Sequence[WorkState]) -> None:
    """A line for each piece of the work, and below it one for each unit that failed."""
    for one in work:
        of = "" if one.units is None else f" of {one.units:,}"
        print(f"{one.name}: {one.done:,}{of} units done, {len(one.in_hand)} in hand")
        for name, error in one.failed.items():
            print(f"  {'unit ' if name.isdigit() else ''}{name} failed: {error}")


@app.command("cancel", epilog=_EXAMPLES)
def cancel(out: Out, as_json: Json = False, quiet: Quiet = False) -> None:
    """End the tasks of a build on Slurm; what is finished is kept, the same command resumes."""
    from corefmill.builders.runner import slurm
    from corefmill.builders.runner.cluster import JobRecord

    record = JobRecord.read(_here(out))
    if record is None:
        raise UsageError("no build on a cluster is here", path=out, remedy="name its --out")
    if record.job is None:
        raise UsageError(
            "Ray's tasks end with the command that started them",
            path=out,
            remedy="end that by Ctrl-C",
        )
    slurm.cancel(record.job)
    said = f"Slurm job {record.job} is cancelled. The same command as before resumes."
    print_result({"out": as_given(out), "job": record.job}, said, as_json=as_json, quiet=quiet)


def _here(out: Path) -> Path:
    """Where on this machine it is kept what was sent to a cluster."""
    from corefmill.corpora.remote_folder import local_of, url_of

    url = url_of(out)
    return out if url is None else local_of(url)


def _named(record: JobRecord) -> str:
    return "Ray" if record.job is None else f"Slurm job {record.job}"
