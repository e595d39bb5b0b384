"""Build a corpus from the options of a builder, and print a summary of the corpus."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.builder import SUMMARY, Builder
from corefmill.builders.corpus.options import RunOptions
from corefmill.builders.run.job import CONTENTS, Job, hash_inputs
from corefmill.builders.run.run import claim_work_folder, orderly_end, run
from corefmill.builders.run.stages import UNANSWERED
from corefmill.cli.printing import print_json, table
from corefmill.corpora import manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import is_unsettled, lock_folder, refuse_foreign, settle
from corefmill.corpora.files.remote import RemoteFolder
from corefmill.corpora.formats.brackets import mark_mentions
from corefmill.corpora.records import EventMention, MaskedExample, Record

_log = logging.getLogger(__name__)

_NAMES = {"event-mention/1": "mentions", "document/1": "documents"}
"""The key of --json for the number of records, by their schema."""

_ASK = {
    "slurm": "Slurm does the work: squeue lists its jobs, scancel ends one, Ctrl-C here ends all.",
    "ray": "Ray does the work: ray status says how far it is, Ctrl-C here ends it.",
}
"""By engine: how to see the tasks of a cluster, and how to end them."""

_AROUND = 150
"""Characters of a paragraph that are printed on each side of a mention."""

_SENTENCES = 4
"""Sentences of a document that are printed."""

_SAID_FIRST = ("Names by", "Heads, lemmas, entities by", "Translated by")
"""The card's rows that are printed before a build."""


def build(options: RunOptions, builder_type: type[Builder[Any]]) -> None:
    """Build the corpus of the options, upload it if --out is a URL, and report.

    Raises `DataError` for a cut-off input, after writing the corpus of the rest.
    """
    if (listing := builder_type.list_instead(options)) is not None:
        if options.as_json:
            print_json(listing.rows, failure=str(listing.error) if listing.error else None)
        else:
            print(table(listing.head, listing.cells))
        if listing.error is not None:
            raise listing.error
        return
    builder = builder_type(options)
    job, assembly = builder.plan()
    where = options.cluster()
    out = job.out_dir
    there = _find_remote(job, options)
    if not options.silent:
        for row in _SAID_FIRST:
            if said := assembly.corpus.facts.get(row):
                print(f"{row}: {said}.", flush=True)
    known = assembly.corpus.warnings
    for warning in known:
        _log.warning("%s", warning)
    new = False
    with orderly_end(out), ExitStack() as held:
        if there is not None:  # upload exactly the built files
            refuse_foreign(out, job.files, overwrite=options.overwrite)
            held.enter_context(lock_folder(out))
        # The same command again: a finished corpus of this fingerprint is reported, not built.
        if not _is_built(job, options):
            # Refuse a folder of something else before creating a lock in it.
            refuse_foreign(out, job.files, overwrite=options.overwrite)
            with lock_folder(out):
                claim_work_folder(job, overwrite=options.overwrite)
                if where is not None and not options.silent:
                    print(_ASK[where.engine], flush=True)
                # A cluster's task has one process unless told otherwise, this machine all cores.
                cores = options.workers or (os.cpu_count() or 1 if where is None else 1)
                do = partial(run, workers=cores, cluster=where, progress=not options.silent)
                builder.first_pass(partial(do, overwrite=options.overwrite))
                with do(job) as result:
                    assembly(result)
        made = manifest.read(out)
        if there is not None:
            new = there.upload(out, job.files, overwrite=options.overwrite)
    _report_corpus(options, out, made, known, there, new=new)


def _report_corpus(
    options: RunOptions,
    out: Path,
    made: manifest.Manifest,
    earlier_warnings: Sequence[str],
    there: RemoteFolder | None,
    *,
    new: bool,
) -> None:
    """Print the splits and samples of the corpus; raise `DataError` if the input was cut off."""
    broke_off = made.build["truncated"]
    for warning in made.warnings:
        if warning != broke_off and warning not in earlier_warnings:  # that is the error below
            _log.warning("%s", warning)
    if options.as_json:
        print_json(
            {
                "out": str(out) if there is None else there.url,
                _NAMES.get(made.schema, "examples"): sum(made.splits.values()),
                "splits": made.splits,
                "counts": made.counts,
                "fingerprint": made.build["fingerprint"],
            },
            failure=broke_off,
        )
    elif not options.quiet:
        _print_corpus(out, made)
        if there is not None:
            print(f"It was uploaded to {there.url}." if new else f"It is in {there.url} already.")
    if broke_off:
        raise DataError(f"{broke_off}; the corpus in {out} holds the rest")


def _is_built(job: Job, options: RunOptions) -> bool:
    """Whether --out holds the finished corpus of this input and these options, undamaged.

    Raises `UsageError` if the input changed in a part that the fingerprint does not cover.
    """
    out = job.out_dir
    if options.overwrite or not (out / manifest.NAME).exists():
        return False
    made = manifest.read(out)
    ours = (job.fingerprint.digest, job.most_records)
    if (made.build.get("fingerprint"), made.build.get("limit")) != ours:
        return False
    if damaged := manifest.find_damaged(out, made):
        if not options.silent:
            print(f"{out / damaged[0]} was changed after the build: building it again.")
        return False
    if made.counts.get("read", {}).get(UNANSWERED):
        return False
    if not job.source.paths:
        raise UsageError(
            "the folder holds a finished corpus, and standard input cannot be compared with what"
            " it was built from",
            path=out,
            remedy="--overwrite builds it again, --out names another folder",
        )
    _refuse_changed_input(job, out, made)
    if is_unsettled(out):  # killed while it tidied up
        with lock_folder(out):
            settle(out, [name for name in job.files if (out / name).exists()])
    return True


def _refuse_changed_input(job: Job, out: Path, made: manifest.Manifest) -> None:
    """Raise `UsageError` if the input changed after the corpus was built.

    If a file was touched after the corpus was finished, the whole input is read, since the
    fingerprint covers only some blocks of a file.
    """
    finished = (out / manifest.NAME).stat().st_mtime_ns
    # A copy or a tool may set the modification time (st_mtime) back, but not the change time.
    stats = ((path, path.stat()) for path in job.source.paths)
    touched = [path for path, s in stats if max(s.st_mtime_ns, s.st_ctime_ns) > finished]
    if not touched:
        return
    sums = made.build.get(CONTENTS)  # missing after a build with --limit, which does not read all
    if sums is None or sums != hash_inputs(job.source.paths):
        raise UsageError(
            "the input was changed after the corpus in --out was built from it",
            path=touched[0],
            remedy="--overwrite builds it again, --out names another folder",
        )
    with suppress(OSError):  # another user's corpus is compared each time
        os.utime(out / manifest.NAME)


def _find_remote(job: Job, options: RunOptions) -> RemoteFolder | None:
    """Find the folder of --out in an object store, None for a local folder; write nothing yet.

    Raises `UsageError` if the folder holds something else, and for standard input.
    """
    if options.upload_url is None:
        return None
    if not job.source.paths or any(map(disk.is_stream, job.source.paths)):
        raise UsageError(
            "a corpus of standard input cannot be uploaded: later builds could not compare it",
            path=options.upload_url,
            remedy="save the input to a file, or name a folder with --out",
        )
    there = RemoteFolder(options.upload_url, job.fingerprint.digest, job.most_records)
    there.check(overwrite=options.overwrite)
    return there


def _print_corpus(out: Path, made: manifest.Manifest) -> None:
    """Print the sizes of the splits, the summary, and three sample records of a corpus."""
    splits = ", ".join(f"{count:,} {split}" for split, count in made.splits.items())
    first = list(islice(manifest.records(out, next(iter(made.splits))), 3))
    count = {0: "", 1: " One of it:", 2: " Two of it:", 3: " Three of it:"}[len(first)]
    print(f"\nThe corpus is in {out}: {splits}. Its card is {out / 'README.md'}.{count}\n")
    for line in made.counts.get(SUMMARY, ()):
        print(f"{line}\n")
    for record in first:
        for line in _format_record(record):
            print(f"  {line}")
        print()


def _format_record(record: Record) -> Iterator[str]:
    """Format a sample record in lines: text with its mention or mask, then the answer."""
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
            yield mark_mentions(record, place)
