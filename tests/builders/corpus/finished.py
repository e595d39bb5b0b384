"""Finished runs and examples made by hand, for what comes after the runner."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.run.job import Job, RunResult
from corefmill.builders.run.shards import ShardWriter
from corefmill.builders.sources.text import TextSource
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample, Source

Json = dict[str, Any]


def example(number: int = 0, *, article: int = 1, text: str = "", **meta: Any) -> MaskedExample:
    """ "Ann met Bob. Ann left." or another text that begins so, its second "Ann" masked."""
    text = text or f"Ann met Bob. Ann left {number}."
    return MaskedExample(
        id=f"e{number}",
        lang="en",
        text=text,
        sentences=((0, 12), (13, len(text))),
        target=(13, 16),
        candidates=("Ann", "Bob"),
        mentions=((0, 0, 3), (1, 8, 11)),
        label=0,
        source=Source(f"Article {article}", article, 0),
        meta=meta,
    )


def mill(out: Path, **more: Any) -> Corpus:
    """What a corpus of mills states."""
    return Corpus(
        **{
            "name": "mill-en",
            "title": "Mill names",
            "lang": "en",
            "mode": "clean",
            "out": out,
            "seed": 5,
            "facts": {"Language": "en"},
            "limits": ("Mills differ.",),
            "licence": "CC0 1.0",
            "attribution": "nobody",
            "command": "build mill --lang en",
            "pipeline": "tiny 1",
            **more,
        }
    )


def as_json(record: MaskedExample) -> Json:
    """What lies in a shard of such a record."""
    made: Json = json.loads(jsonl.dumps(record))
    return made


def finished(
    out: Path,
    examples: Sequence[MaskedExample] = (),
    *,
    pages: Sequence[Json] = (),
    kept: Sequence[Json] = (),
    counts: Mapping[str, int] | None = None,
    rejects: Mapping[str, int] | None = None,
    source_error: DataError | None = None,
    keep_rejects: bool = False,
) -> RunResult:
    """A run into `out` that left these records in two units, the first with all but the last
    example."""
    job = Job(
        name="by-hand",
        source=TextSource(()),
        setup=list,
        out_dir=out,
        channels=("examples", "pages"),
        options={},
        keep_rejects=keep_rejects,
    )
    folder = job.work_dir / job.fingerprint.digest
    folder.mkdir(parents=True)
    receipts = []
    for unit, part in enumerate((examples[:-1], examples[-1:])):
        with ShardWriter(folder, unit) as writer:
            for record in part:
                writer.write("examples", as_json(record))
            for channel, records in (("pages", pages), ("rejects", kept)):
                for raw in records if not unit else ():
                    writer.write(channel, raw)
            counted = {"counts": counts or {}, "rejects": rejects or {}}
            none = {"counts": {}, "rejects": {}}
            receipts.append(writer.commit("digest", **(none if unit else counted)))
    return RunResult(job, folder, tuple(receipts), source_error)
