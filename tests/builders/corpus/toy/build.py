"""`build toy`: from a dump or plain text to a corpus of masked repeats."""

from __future__ import annotations

from collections.abc import Container
from functools import partial

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.corpus import BuildRequest, Corpus
from corefmill.builders.corpus.judged import JudgedContents
from corefmill.builders.run.job import Job
from corefmill.builders.sources.inputs import Input
from tests.builders.corpus.toy.stages import REASONS, setup


class ToyContents(JudgedContents):
    """Paragraphs that come once."""

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """What a paragraph is rejected for."""
        return REASONS


def plan(given: Input, request: BuildRequest) -> tuple[Job, Assembly]:
    """What to run, and what to make of it."""
    corpus = Corpus(
        name="toy-en",
        title="Masked repeats",
        lang="en",
        mode="clean",
        out=request.out,
        seed=request.seed,
        licence=given.licence,
        attribution=given.attribution,
        command=request.command,
        pipeline="none",
        facts={"Language": "en", "Seed": str(request.seed)},
        limits=("A capitalised word is taken for a name.",),
    )
    return planned(
        corpus,
        request,
        builder="toy",
        source=given.source,
        setup=partial(setup, given.reader),
        channels=(masked.CHANNEL,),
        options={},
        schema=masked.SCHEMA,
        choose=partial(ToyContents.chosen, filters=("repeated_passage",), validation=None),
        data_files=masked.data_files(ToyContents.forms("clean")),
    )
