"""Finds the sentences of a hashed release in a text again, in one pass and a look-up for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Self

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.corpus.masked import CHANNEL, MaskedContents, WriteMasked
from corefmill.builders.knowref import paper_surface, release
from corefmill.builders.knowref.assemble import KnowrefContents
from corefmill.builders.knowref.release import ReleaseEntry
from corefmill.builders.knowref.swap import digest, normalised
from corefmill.builders.nlp import Backend, load
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.prefilter import raw_sentences
from corefmill.builders.runner.job import Job, RunResult
from corefmill.builders.runner.stages import Context, Out, Stage
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.article import Article, Redirect
from corefmill.corpora import disk, jsonl, manifest
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.records import MaskedExample


@dataclass(frozen=True, slots=True)
class ReleaseWanted:
    """A release: where it lies, what it needs, and what it holds."""

    path: Path
    mode: str
    lang: str
    total: int
    splits: tuple[str, ...]

    @classmethod
    def of(cls, path: Path, lang: str) -> ReleaseWanted:
        """Reads it through; raises `DataError` where it is damaged or mixed, `UsageError` where
        it is of another language."""
        entries = list(release.read(path))
        if not entries:
            raise DataError("it holds no problem", path=path)
        for name, values in (
            ("mode", {entry.mode for entry in entries}),
            ("language", {entry.lang for entry in entries}),
        ):
            if len(values) > 1:
                raise DataError(f"its problems are of more than one {name}", path=path)
        if entries[0].lang != lang:
            raise UsageError(
                f"its problems are {entries[0].lang!r}, not {lang!r}",
                path=path,
                remedy=f"--lang {entries[0].lang}",
            )
        splits = tuple(dict.fromkeys(entry.split for entry in entries))
        return cls(path, entries[0].mode, lang, len(entries), splits)


def setup(read: Stage, wanted: ReleaseWanted, nlp: str) -> Sequence[Stage]:
    """The stages for one worker process; only paper mode loads the pipeline, for its tokens."""
    entries: dict[str, list[ReleaseEntry]] = {}
    for entry in release.read(wanted.path):
        entries.setdefault(entry.digest, []).append(entry)
    if wanted.mode == "paper":
        cut: Stage = partial(paper_sentences, load(nlp, wanted.lang))
    else:
        pairs = any(entry.sentences for same in entries.values() for entry in same)
        cut = partial(sentences, names_table.load(wanted.lang).titles, pairs=pairs)
    return [read, texts, cut, partial(matches, entries)]


def texts(articles: Iterator[Article | Redirect], context: Context) -> Iterator[str]:
    """The paragraphs of running text."""
    for item in articles:
        if not isinstance(item, Redirect):
            yield from (paragraph.text for paragraph in item.prose)


def sentences(
    titles: Container[str], found: Iterator[str], context: Context, *, pairs: bool
) -> Iterator[str]:
    """The sentences as clean mode cuts them, and where `pairs` each with the next one."""
    for text in found:
        cut = [*raw_sentences(text, titles)]
        context.count("sentences", len(cut))
        yield from (text[start:end] for start, end in cut)
        if pairs:
            yield from (text[start:end] for (start, _), (_, end) in pairwise(cut))


def paper_sentences(pipeline: Backend, found: Iterator[str], context: Context) -> Iterator[str]:
    """The sentences as paper mode cuts them, their tokens with blanks between."""
    kept = [cleaned for text in found if (cleaned := paper_surface.cleaned(text))]
    for read in pipeline.sentences(filter(paper_surface.may_hold, kept)):
        for start, end in read.sentences:
            if paper_surface.fault(read.text[start:end]) is None:
                context.count("sentences")
                inside = (span for span in read.tokens if start <= span[0] and span[1] <= end)
                yield " ".join(read.text[left:right] for left, right in inside)


def matches(
    entries: Mapping[str, Sequence[ReleaseEntry]], found: Iterator[str], context: Context
) -> Iterator[Out]:
    """The problems of the release by their digests; one comes as often as its sentence does."""
    for sentence in found:
        plain = normalised(sentence)
        for entry in entries.get(digest(plain), ()):
            try:
                made = entry.example(plain)
            except ValueError:
                context.reject("does_not_fit")
                continue
            yield Out(CHANNEL, jsonl.as_json(made))


class RehydratedContents(MaskedContents):
    """What of a release was found: each problem once, in the split it was in."""

    def __init__(self, corpus: Corpus, result: RunResult, split_of: dict[str, str]) -> None:
        super().__init__(corpus, result)
        self._split_of = split_of
        found = {record["id"] for record in result.records(CHANNEL)}
        self._missing = len(split_of) - len(found)

    @classmethod
    @contextmanager
    def chosen(cls, corpus: Corpus, result: RunResult, *, release_file: Path) -> Iterator[Self]:
        """Raises `DataError` where not one sentence was found."""
        split_of = {entry.id: entry.split for entry in release.read(release_file)}
        contents = cls(corpus, result, split_of)
        if contents._missing == len(split_of):
            raise result.source_error or DataError(
                f"none of its {len(split_of):,} sentences is in this text",
                path=release_file,
                remedy="name the text that it was made from",
            )
        yield contents

    @staticmethod
    def forms(mode: str) -> Mapping[str, WriteMasked]:
        """KnowRef's JSON."""
        return KnowrefContents.forms(mode)

    @property
    def rejects(self) -> dict[str, Counter[str]]:
        """What the run left out."""
        return {"sentence": self.result.rejects, "release": Counter(not_found=self._missing)}

    @property
    def warnings(self) -> Sequence[str]:
        """How much of the release is missing."""
        if not self._missing:
            return ()
        return (f"{self._missing:,} of {len(self._split_of):,} sentences are not in this text",)

    def split(self, name: str) -> Iterator[MaskedExample]:
        """The problems of one split, in the order in which the text has them."""
        seen: set[str] = set()
        for path in self.result.files(CHANNEL):
            for example in jsonl.read(path, MaskedExample):
                if example.id not in seen and self._split_of[example.id] == name:
                    seen.add(example.id)
                    yield example


def plan(
    wanted: ReleaseWanted, nlp: str, given: Input, request: BuildRequest
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it."""
    pipeline = load(nlp, wanted.lang) if wanted.mode == "paper" else None
    corpus = Corpus(
        name=f"knowref-{wanted.lang}",
        title=f"KnowRef, {wanted.lang}: a release with its text",
        lang=wanted.lang,
        mode=wanted.mode,
        out=request.out,
        seed=0,
        licence=given.licence,
        attribution=given.attribution,
        command=request.command,
        pipeline=pipeline.version if pipeline else "none",
        facts={
            "Language": wanted.lang,
            "Mode": wanted.mode,
            "Release": f"{disk.shown(wanted.path.name)}, {wanted.total:,} problems",
        },
        limits=("Only what stands in this text as it stood in that of the release is found.",),
    )
    return planned(
        corpus,
        request,
        builder="knowref-release",
        source=given.source,
        setup=partial(setup, given.reader, wanted, nlp),
        options={
            "release": manifest.sha256(wanted.path),
            "pipeline": pipeline.identity if pipeline else None,
        },
        channels=(CHANNEL,),
        schema=masked.SCHEMA,
        choose=partial(RehydratedContents.chosen, release_file=wanted.path),
        data_files=masked.data_files(RehydratedContents.forms(wanted.mode)),
    )
