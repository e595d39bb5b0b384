"""From parsed options to a finished corpus on disk, and the summary printed; for all builders."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.assembly import SUMMARY, Assembly
from corefmill.builders.run.job import CONTENTS, Job, contents
from corefmill.builders.run.run import Runner, claim, orderly_end, run
from corefmill.builders.sources import inputs
from corefmill.builders.sources.inputs import Input
from corefmill.builders.sources.text import TextKind, TextSource
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.options import DumpOptions, InputOptions, WorkOptions
from corefmill.cli.printing import print_json
from corefmill.corpora import manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import is_unsettled, lock_folder, refuse_foreign, settle
from corefmill.corpora.files.remote import Place, RemoteFolder
from corefmill.corpora.formats.brackets import bracketed
from corefmill.corpora.records import EventMention, MaskedExample, Record

_log = logging.getLogger(__name__)

_NAMES = {"event-mention/1": "mentions", "document/1": "documents"}
"""What --json calls the number of records."""

_ASK = {
    "slurm": "Slurm does the work: squeue lists its jobs, scancel ends one, Ctrl-C here ends all.",
    "ray": "Ray does the work: ray status says how far it is, Ctrl-C here ends it.",
}
"""Which tools tell more of a cluster's tasks."""

_AROUND = 150
"""Characters of a paragraph that are printed on each side of a mention."""

_SENTENCES = 4
"""Sentences of a document that are printed."""

_SAID_FIRST = ("Names by", "Heads, lemmas, entities by", "Translated by")
"""The card's rows that are printed before a build."""


def given(
    source: DumpOptions,
    work: WorkOptions,
    *,
    sample: ShippedSample = ShippedSample.articles,
) -> Input:
    """The input that the options name, else `sample`; prints a line that says which it is."""
    kind, texts = source.texts() if isinstance(source, InputOptions) else (TextKind.TEXT, [])
    inputs.one_of(source.dump, texts, kind)
    if texts:
        found = inputs.from_text(texts, kind)
    else:
        found = inputs.from_dump(
            source.dump or "auto",
            source.lang,
            data_dir=source.data_dir,
            date=source.dump_date,
            base_url=source.mirror,
            trust_lang=source.trust_lang,
            threads=work.workers,
            quiet=work.silent,
            sample=sample,
        )
    if not work.silent:
        print(found.says[:1].upper() + found.says[1:] + ".", flush=True)
    if isinstance(found.source, TextSource) and (other := found.source.other_language(source.lang)):
        _log.warning("the text seems to be in %r, not in %r (--lang %s)", other, source.lang, other)
    return found


def build(
    job: Job,
    assembly: Assembly,
    work: WorkOptions,
    cluster: ClusterOptions,
    first: Callable[[Runner], None] = lambda do: None,
) -> None:
    """Run the job where it is to run, and report; raises `DataError` for a cut-off input.

    `first` has the passes before the build done.
    """
    where = cluster.cluster()
    out = job.out_dir
    there = _remote(job, work)
    if not work.silent:
        for row in _SAID_FIRST:
            if said := assembly.corpus.facts.get(row):
                print(f"{row}: {said}.", flush=True)
    known = assembly.corpus.warnings
    for warning in known:
        _log.warning("%s", warning)
    new = False
    with ExitStack() as held:
        if there is not None:  # what is put is what was made
            refuse_foreign(out, job.files, overwrite=work.overwrite)
            held.enter_context(orderly_end(out))
            held.enter_context(lock_folder(out))
        if not _is_built(job, work):
            # What is not ours is refused before a lock is laid into it.
            refuse_foreign(out, job.files, overwrite=work.overwrite)
            with orderly_end(out), lock_folder(out):
                claim(job, overwrite=work.overwrite)
                if where is not None and not work.silent:
                    print(_ASK[where.engine], flush=True)
                cores = work.workers or (os.cpu_count() or 1 if where is None else 1)
                do = partial(run, workers=cores, cluster=where, progress=not work.silent)
                first(partial(do, overwrite=work.overwrite))
                with do(job) as result:
                    assembly(result)
        made = manifest.read(out)
        if there is not None:
            new = there.upload(out, job.files, overwrite=work.overwrite)
    broke_off = made.build["truncated"]
    for warning in made.warnings:
        if warning != broke_off and warning not in known:  # that is the error below
            _log.warning("%s", warning)
    if work.as_json:
        print_json(_summary(out, made, there), failure=broke_off)
    elif not work.quiet:
        _tell(out, made)
        if there is not None:
            print(f"It was uploaded to {there.url}." if new else f"It is in {there.url} already.")
    if broke_off:
        raise DataError(f"{broke_off}; the corpus in {out} holds the rest")


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
    if damaged := manifest.find_damaged(out, made):
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
        with lock_folder(out):
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


def _last_change(path: Place) -> int:
    """In nanoseconds; a copy or a tool may set back the time of writing, not that of the change."""
    stat = path.stat()
    return max(stat.st_mtime_ns, stat.st_ctime_ns)


def _remote(job: Job, work: WorkOptions) -> RemoteFolder | None:
    """The place in a store that --out names, if it does; nothing is written there yet.

    Raises `UsageError` where something else is there, and for standard input.
    """
    if work.url is None:
        return None
    if not job.source.paths or any(map(disk.is_stream, job.source.paths)):
        raise UsageError(
            "of standard input nobody can tell later whether what is there was built from it",
            path=work.url,
            remedy="save the input to a file, or name a folder with --out",
        )
    there = RemoteFolder(work.url, job.fingerprint.digest, job.most_records)
    there.check(overwrite=work.overwrite)
    return there


def _summary(
    out: Path, made: manifest.Manifest, there: RemoteFolder | None = None
) -> dict[str, Any]:
    return {
        "out": str(out) if there is None else there.url,
        _NAMES.get(made.schema, "examples"): sum(made.splits.values()),
        "splits": made.splits,
        "counts": made.counts,
        "fingerprint": made.build["fingerprint"],
    }


def _tell(out: Path, made: manifest.Manifest) -> None:
    splits = ", ".join(f"{count:,} {split}" for split, count in made.splits.items())
    first = list(islice(manifest.records(out, next(iter(made.splits))), 3))
    count = {0: "", 1: " One of it:", 2: " Two of it:", 3: " Three of it:"}[len(first)]
    print(f"\nThe corpus is in {out}: {splits}. Its card is {out / 'README.md'}.{count}\n")
    for line in made.counts.get(SUMMARY, ()):
        print(f"{line}\n")
    for record in first:
        for line in _shown(record):
            print(f"  {line}")
        print()


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
