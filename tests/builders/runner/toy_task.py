"""A toy build as tasks of a cluster do it: a pass, a step that one alone does, units, a corpus."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

from corefmill.builders.runner.cluster import prepare
from corefmill.builders.runner.fingerprint import PARTS
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.leases import LEASES, LeaseTimes, Seen, look
from corefmill.builders.runner.passes import Do, folder_of
from corefmill.builders.runner.pulling import ClusterTask
from corefmill.builders.runner.run import orderly_end, run
from corefmill.builders.runner.shared_store import SharedStore
from corefmill.builders.runner.workplace import Workplace
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import CorefmillError
from corefmill.corpora.lock import locked
from corefmill.corpora.manifest import NAME
from corefmill.corpora.ownership import private, settle
from corefmill.corpora.remote_folder import RemoteFolder
from tests.builders.runner.toy_build import toy_job

CORPUS = "corpus.txt"
QUICK = LeaseTimes(beat=0.2, dead=2.0, poll=0.05)
"""By which a test need not wait for a minute."""


def job_of(path: Path, out: Path, **other: object) -> Job:
    """The build of the lines of a file."""
    return toy_job(path, out, files=(CORPUS, NAME), **other)


def first(path: Path, out: Path, do: Do) -> None:
    """A pass over the same lines, and a step that writes how many it had and who has done it."""
    with do(toy_job(path, folder_of(out) / "count", name="count")) as found:
        do.once("lines", partial(_write, folder_of(out) / "lines", sum(found.written.values())))
    assert int((folder_of(out) / "lines").read_text()) == sum(found.written.values())


def leases_of(out: Path) -> list[Seen]:
    """What the leases in an output folder say, those of passes before the build's own."""
    parts = sorted(private(out).rglob(PARTS))
    return [look(path.parent / LEASES) for path in parts]


def _write(path: Path, number: int) -> None:
    write_whole(path, str(number))
    with path.with_name("who").open("a") as file:
        file.write("one\n")


def assemble(result: RunResult) -> None:
    """Writes the corpus, with how many did the step before, and its manifest; removes the work."""
    out = result.job.out_dir
    records = [*result.records("odd"), *result.records("even")]
    steps = (folder_of(out) / "who").read_text()
    write_whole(out / CORPUS, steps + "".join(json.dumps(one) + "\n" for one in records))
    write_whole(out / NAME, json.dumps({"build": result.build_record()}))
    settle(out, (CORPUS, NAME))


def here(path: Path, out: Path, **other: object) -> str:
    """The corpus that one machine makes."""
    job = job_of(path, out, **other)
    with locked(out):
        from corefmill.builders.runner.passes import Locally

        first(path, out, Locally())
        with run(job) as result:
            assemble(result)
    return (out / CORPUS).read_text()


def ready(job: Job) -> None:
    """What is done before tasks are started."""
    with locked(job.out_dir):
        prepare(job, overwrite=False)


def task(
    job: Job,
    number: int,
    workers: int = 1,
    times: LeaseTimes = QUICK,
    place: Workplace | None = None,
) -> None:
    """One task of the build."""
    with orderly_end(job.out_dir):
        path = job.source.paths[0]
        ClusterTask(job, number, workers=workers, times=times, place=place).build(
            partial(first, path, job.out_dir), assemble
        )


def shared(job: Job, url: str) -> SharedStore:
    """A folder in a store for the tasks of the build, each with a folder of its own."""
    place = RemoteFolder(url, job.fingerprint.digest, job.most_records)
    return SharedStore(place, job.out_dir, QUICK.poll)


def main() -> None:
    """PATH OUT NUMBER WORKERS SECONDS [URL]: a task in a process of its own, to be killed from
    outside.

    SECONDS is what each line takes; the work is shared at URL, or in OUT.
    """
    path, out, number, workers, seconds, *url = sys.argv[1:]
    job = job_of(Path(path), Path(out), seconds=float(seconds))
    try:
        place = shared(job, url[0]) if url else None
        task(job, int(number), int(workers), place=place)
    except CorefmillError as error:
        print(error, file=sys.stderr)
        sys.exit(getattr(error, "exit_code", 2))


if __name__ == "__main__":
    main()
