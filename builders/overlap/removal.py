"""A text without the sentences that copy or rewrite a test item, for training on what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

from corefmill.builders.overlap.copies import CopyQuery, Shards, copies
from corefmill.builders.overlap.index import Shard
from corefmill.builders.runner.code import code_of
from corefmill.builders.runner.job import Job
from corefmill.builders.runner.run import run
from corefmill.builders.runner.shards import read_shard
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.corpora import words
from corefmill.corpora.ownership import discard

CHANNEL = "kept"


def documents(
    looked_for: CopyQuery, shards: Sequence[Shard], folder: Path, workers: int
) -> Iterator[dict[str, str]]:
    """Each document's `title` and `text`, paragraphs with an empty line between.

    A document of which nothing is left is not there.
    """
    job = Job(
        name="removal",
        source=Shards([shard.path for shard in shards]),
        setup=partial(_setup, looked_for),
        out_dir=folder,
        channels=(CHANNEL,),
        options={
            "items": looked_for.items,
            "gram": looked_for.settings.gram,
            "near": looked_for.settings.near,
            "shards": [str(shard.path) for shard in shards],
        },
        code=code_of(__name__),
    )
    job = replace(job, out_dir=folder / f"removal-{job.fingerprint.digest}")
    with run(job, workers=workers, progress=False) as result:
        paragraphs = result.records(CHANNEL)
        for (_, title), own in groupby(paragraphs, lambda one: (one["article"], str(one["title"]))):
            yield {"title": title, "text": "\n\n".join(str(one["text"]) for one in own)}
    discard(job.out_dir)


def _setup(looked_for: CopyQuery) -> Sequence[Stage]:
    return [partial(kept, looked_for)]


def kept(looked_for: CopyQuery, files: Iterator[Path], context: Context) -> Iterator[Out]:
    """The paragraphs of each file without the sentences of any copy; counts `removed`."""
    for path in files:
        records: list[Mapping[str, list[str]]] = list(read_shard(path))
        gone: set[int] = set()
        for copy in copies(looked_for, records):
            gone.update(range(copy.first, copy.last + 1))
        context.count("removed", len(gone))
        number = 0
        for record in records:
            places = range(number, number := number + len(record["sentences"]))
            pairs = zip(places, record["sentences"], strict=True)
            if left := [text for place, text in pairs if place not in gone]:
                text = "".join(map(_joined, ["", *left], left))
                about = {key: record[key] for key in ("title", "article")}
                yield Out(CHANNEL, {**about, "text": text})


def _joined(before: str, sentence: str) -> str:
    """The sentence behind what goes before, with a blank where the script puts one there."""
    apart = before and not words.UNSPACED.match(sentence)
    return f" {sentence}" if apart else sentence
