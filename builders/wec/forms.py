"""The written forms of a split's mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count, groupby
from pathlib import Path

from corefmill.builders.wec.facts.event_facts import EVENT_NOTES
from corefmill.builders.wec.splits import SPLITS
from corefmill.corpora.files import jsonl
from corefmill.corpora.formats import conll2012, wec_json
from corefmill.corpora.records import Document, EventMention, Mention, Sentence, Token
from corefmill.corpora.words import cut_tokens

UNCONTROLLED = "uncontrolled.jsonl"

FILES = {
    "{split}.jsonl": "the mentions, a record a line",
    "{split}.json": "the same as WEC-Eng was released, which the published model's code reads",
    "{split}.conll": "CoNLL-2012: a document a paragraph, clusters numbered alike in all",
    "{split}.key.conll": "the key of the event scorers: a line a mention, in the order of the JSON",
    UNCONTROLLED: "every mention, before the quota and before the splits were separated by article",
    EVENT_NOTES: "the events of the mentions: how the article of each begins, date and place",
}
"""For the card."""

DATA_FILES = (
    *(name.format(split=split) for name in FILES if "{" in name for split in SPLITS),
    *(name for name in FILES if "{" not in name),
)


def numbering() -> Callable[[str], int]:
    """Make the function from cluster names to numbers, a number of its own for each name.

    A name of up to nine digits is its own number, unless another name has that number already.
    """
    numbers: dict[str, int] = {}
    taken: set[int] = set()
    further = count(1)

    def number(cluster: str) -> int:
        if cluster not in numbers:
            own = int(cluster) if cluster.isdecimal() and len(cluster) < 10 else next(further)
            while own in taken:
                own = next(further)
            taken.add(own)
            numbers[cluster] = own
        return numbers[cluster]

    return number


def write(
    out: Path,
    split: str,
    mentions: Iterable[EventMention],
    *,
    name: str,
    number: Callable[[str], int] = int,
) -> int:
    """Write a split of the corpus `name` in all its formats; return the number of mentions.

    `number` maps a cluster to its number in CoNLL-2012.
    """
    assert wec_json.RELEASED.write is not None
    path = out / f"{split}.jsonl"
    size = jsonl.write(path, mentions)
    wec_json.RELEASED.write(path.with_suffix(".json"), jsonl.read(path, EventMention))
    documents = paragraphs(jsonl.read(path, EventMention), number)
    conll2012.write(path.with_suffix(".conll"), documents)
    clusters = (mention.cluster for mention in jsonl.read(path, EventMention))
    conll2012.write_clusters(path.with_suffix(".key.conll"), f"{name}/{split}", clusters)
    return size


def paragraphs(
    mentions: Iterable[EventMention], number: Callable[[str], int] = int
) -> Iterator[Document]:
    """Make a document of each paragraph with its mentions, for formats of documents.

    A cluster has its own number in every document, so that clusters reach over documents.
    """
    for (source, text), group in groupby(mentions, key=lambda m: (m.source, m.text)):
        own = list(group)
        # The tokens of the paragraph, cut where any of its mentions begins or ends.
        borders = (border for mention in own for border in (mention.start, mention.end))
        tokens = cut_tokens(own[0].meta.get("tokens") or _words(text), borders)
        starts = {start: place for place, (start, _) in enumerate(tokens)}
        ends = {end: place + 1 for place, (_, end) in enumerate(tokens)}
        clusters: dict[str, list[Mention]] = {}
        for mention in own:
            span = Mention(0, starts[mention.start], ends[mention.end])
            clusters.setdefault(mention.cluster, []).append(span)
        words = tuple(
            Token(text[start:end], space_after=text[end : end + 1].isspace())
            for start, end in tokens
        )
        yield Document(
            doc_id=own[0].id.rpartition("-")[0],
            part=0,
            lang=own[0].lang,
            sentences=(Sentence(words),),
            clusters=tuple(map(tuple, clusters.values())),
            meta={
                "title": source.title,
                "conll": {"ids": [number(cluster) for cluster in clusters]},
            },
        )


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Split a text at blanks into spans."""
    start = 0
    for word in text.split(" "):
        if word:
            yield start, start + len(word)
        start += len(word) + 1
