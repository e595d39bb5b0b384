"""A text without the sentences that copy or rewrite a test item, for training on what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from corefmill.builders.overlap.copies import CopyQuery, best, copies
from corefmill.builders.runner.shards import read_shard
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.corpora import words

CHANNEL = "kept"


def setup(looked_for: CopyQuery) -> Sequence[Stage]:
    """The stages for one worker process; they find what `copies.setup` finds."""
    return [partial(kept, looked_for)]


def documents(paragraphs: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """Each document's `title` and `text`, paragraphs with an empty line between.

    `paragraphs` are the records of `kept`. A document of which nothing is left is not there.
    """
    for (_, title), own in groupby(paragraphs, lambda one: (one["article"], str(one["title"]))):
        yield {"title": title, "text": "\n\n".join(str(one["text"]) for one in own)}


def kept(looked_for: CopyQuery, files: Iterator[Path], context: Context) -> Iterator[Out]:
    """The paragraphs of each file without the sentences of any copy, and past them the best copies,
    as `copies.scan` has them; counts `removed`."""
    for path in files:
        records = list(read_shard(path))
        found = list(copies(looked_for, records))
        context.outs.extend(best(records, found, context))
        gone = {place for copy in found for place in range(copy.first, copy.last + 1)}
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
