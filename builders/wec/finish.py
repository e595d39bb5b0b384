"""Makes a corpus directory of an event builder's shards; the manifest comes last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.outputs import COUNTED, KEPT, versions, write_rejects
from corefmill.builders.runner.job import RunResult
from corefmill.builders.wec import card
from corefmill.builders.wec.choose import ChooseMentions, ChosenMentions
from corefmill.builders.wec.event_pages.event_index import EventIndex
from corefmill.builders.wec.facts.lexicon import EventLexicon
from corefmill.builders.wec.splits import SPLITS
from corefmill.builders.wec.survey import EventSurvey
from corefmill.corpora import jsonl, manifest
from corefmill.corpora.formats import conll2012, event_key, wec_json
from corefmill.corpora.ownership import settle
from corefmill.corpora.records import Document, EventMention, Mention, Sentence, Token

UNCONTROLLED = "uncontrolled"

_FILES = {
    "{split}.jsonl": "the mentions, a record a line",
    "{split}.json": "the same as WEC-Eng was released, which the published model's code reads",
    "{split}.conll": "CoNLL-2012: a document a paragraph, clusters numbered alike in all",
    "{split}.key.conll": "the key of the event scorers: a line a mention, in the order of the JSON",
    f"{UNCONTROLLED}.jsonl": "every mention, before the quota and before articles were parted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """All that a finished corpus states besides what the shards hold; called once they are whole.

    `facts` are rows of the card's first table, `limits` what the card says of the method's
    weaknesses, `types` the event types in the order to be shown, `before` the file of the earlier
    passes.
    """

    name: str
    title: str
    lang: str
    mode: str
    out: Path
    seed: int
    choose: ChooseMentions
    lexicon: EventLexicon
    index: Path
    facts: Mapping[str, str]
    types: Sequence[str]
    limits: tuple[str, ...]
    licence: str
    attribution: str
    command: str
    pipeline: str

    @property
    def files(self) -> tuple[str, ...]:
        """All that may be written into `out`."""
        return ("README.md", COUNTED, KEPT, manifest.NAME, *_names())

    def __call__(self, result: RunResult) -> None:
        """Writes the corpus into `out` and removes the shards.

        Raises `DataError` where there is no mention at all.
        """
        index = EventIndex(self.index)
        survey = EventSurvey(self.lexicon, self.seed)
        with self.choose(result) as chosen:
            sizes = self._write(chosen, survey)
            warnings = [] if result.source_error is None else [f"{result.source_error}"]
            warnings += chosen.warnings
            rejects = chosen.rejects
            others = write_rejects(self.out, rejects, result, chosen.rejected())
        card.write(
            self.out,
            survey,
            title=self.title,
            facts={**self.facts, "Licence": self.licence, "Source": self.attribution},
            counts={**index.counts, **result.counts},
            events=index.types,
            rejects=rejects,
            types=self.types,
            files=_FILES,
            limits=self.limits,
            warnings=warnings,
            command=self.command,
        )
        names = sorted(["README.md", *others, *_names()])
        made = self._manifest(result, index, survey, sizes, rejects, names, warnings)
        manifest.write(self.out, made)
        settle(self.out, (manifest.NAME, *names))

    def _write(self, chosen: ChosenMentions, survey: EventSurvey) -> dict[str, int]:
        """Writes each split in its forms, and the mentions without control."""
        sizes: dict[str, int] = {}
        for split in SPLITS:
            path = self.out / f"{split}.jsonl"
            sizes[split] = jsonl.write(path, survey.watch(split, chosen.split(split)))
            write_wec_json(path.with_suffix(".json"), jsonl.read(path, EventMention))
            conll2012.write(path.with_suffix(".conll"), paragraphs(jsonl.read(path, EventMention)))
            key = key_document(f"{self.name}/{split}", jsonl.read(path, EventMention))
            event_key.write(path.with_suffix(".key.conll"), [key])
        jsonl.write(self.out / f"{UNCONTROLLED}.jsonl", chosen.uncontrolled())
        return sizes

    def _manifest(
        self,
        result: RunResult,
        index: EventIndex,
        survey: EventSurvey,
        sizes: dict[str, int],
        rejects: Mapping[str, Counter[str]],
        names: Sequence[str],
        warnings: list[str],
    ) -> manifest.Manifest:
        dropped: Counter[str] = sum(rejects.values(), Counter())
        read = {**index.counts, **result.counts}
        counts: dict[str, Any] = {"read": dict(sorted(read.items())), **survey.counts()}
        counts["events"] = dict(sorted(index.types.items()))
        counts["rejected"] = dict(sorted(dropped.items()))
        return manifest.Manifest(
            name=self.name,
            schema="event-mention/1",
            lang=self.lang,
            mode=self.mode,
            splits=sizes,
            counts=counts,
            seed=self.seed,
            versions=versions(self.pipeline),
            build=result.build_record(),
            licence=self.licence,
            attribution=self.attribution,
            files={name: manifest.sha256(self.out / name) for name in names},
            warnings=warnings,
        )


def _names() -> Iterator[str]:
    """The files of the mentions."""
    for pattern in _FILES:
        yield from dict.fromkeys(pattern.format(split=split) for split in SPLITS)


def write_wec_json(path: Path, mentions: Iterable[EventMention]) -> None:
    """WEC-Eng's JSON; UPOS and entity labels of the project are what the release has."""
    assert wec_json.RELEASED.write is not None
    wec_json.RELEASED.write(path, mentions)


def paragraphs(mentions: Iterable[EventMention]) -> Iterator[Document]:
    """The mentions' paragraphs, a document each with all its mentions, as one sentence.

    A cluster has its own number in every document, so that clusters reach over documents.
    """
    for (source, text), group in groupby(mentions, key=lambda m: (m.source, m.text)):
        own = list(group)
        tokens = _tokens(own)
        starts = {start: number for number, (start, _) in enumerate(tokens)}
        ends = {end: number + 1 for number, (_, end) in enumerate(tokens)}
        clusters: dict[str, list[Mention]] = {}
        for mention in own:
            place = Mention(0, starts[mention.start], ends[mention.end])
            clusters.setdefault(mention.cluster, []).append(place)
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
                "conll": {"ids": [_number(cluster) for cluster in clusters]},
            },
        )


def _tokens(mentions: Sequence[EventMention]) -> list[tuple[int, int]]:
    """The tokens of a paragraph, cut where any of its mentions begins or ends."""
    text = mentions[0].text
    borders = sorted({border for mention in mentions for border in (mention.start, mention.end)})
    tokens: list[tuple[int, int]] = []
    for start, end in mentions[0].meta.get("tokens") or _words(text):
        for border in borders:
            if start < border < end:
                tokens.append((start, border))
                start = border
        tokens.append((start, end))
    return tokens


def _words(text: str) -> Iterator[tuple[int, int]]:
    """What stands between blanks."""
    start = 0
    for word in text.split(" "):
        if word:
            yield start, start + len(word)
        start += len(word) + 1


def _number(cluster: str) -> int:
    return int(cluster)


def key_document(name: str, mentions: Iterable[EventMention]) -> Document:
    """The mentions in their order, without their words, as the event scorers want them."""
    clusters: dict[str, list[Mention]] = {}
    count = 0
    for mention in mentions:
        clusters.setdefault(mention.cluster, []).append(Mention(count, 0, 1))
        count += 1
    word = Sentence((Token("_"),))
    lang = "und"
    return Document(name, 0, lang, (word,) * count, tuple(map(tuple, clusters.values())))
