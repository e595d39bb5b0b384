"""`build wikirand`: from a dump or plain text to the control corpus of another corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.builder import Builder, Choose
from corefmill.builders.corpus.options import Mode
from corefmill.builders.run.job import describe_inputs
from corefmill.builders.run.stages import Setup
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wikirand.draw import WikirandContents
from corefmill.builders.wikirand.options import WikirandOptions
from corefmill.builders.wikirand.quotas import Quotas
from corefmill.builders.wikirand.stages import PASSAGES, setup

_LIMITS = (
    "A control, not a resource: the masked word is any word, most often a function word.",
    "The wrong candidate is drawn from the types of the vocabulary, so it is mostly rare and"
    " seldom fits the sentence.",
    "Passages of one, two and more sentences are drawn apart, so a sentence may stand in several.",
)


class Wikirand(Builder[WikirandOptions]):
    """Masked random words: input, stages, splits and card."""

    name = "wikirand"
    title = "RandomWiki, {}: masked random words"
    schema = masked.SCHEMA
    channels = (PASSAGES,)

    def complete(self, options: WikirandOptions) -> WikirandOptions:
        """Return the options with the mode of --like, and count its passages."""
        like = options.like or Path("out") / f"wikicrem-{options.lang}"
        self.counted_corpus = Quotas.of_corpus(like, options.lang)
        mode = options.mode or Mode(self.counted_corpus.mode)
        return super().complete(replace(options, mode=mode))

    def __init__(self, options: WikirandOptions, inputs: Sequence[Input] = ()) -> None:
        super().__init__(options, inputs)
        self.quotas = self.counted_corpus.for_inputs(describe_inputs(self.source.paths))

    def stages(self) -> Setup:
        """Return the maker of a worker's stages."""
        return partial(setup, self.given.reader, self.options, self.quotas)

    def choose(self) -> Choose:
        """Return the drawing of passages."""
        return partial(WikirandContents.chosen, quotas=self.quotas)

    @property
    def data_files(self) -> tuple[str, ...]:
        """The splits in all their forms, and the pictures of the card."""
        return masked.data_files(WikirandContents.forms(self.mode))

    def identity(self) -> dict[str, Any]:
        """Return the options that decide the corpus, with the counts of --like."""
        return {**super().identity(), "like": self.quotas.as_json()}

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        return {
            "Language": self.lang,
            "Mode": self.mode,
            "Method": "RandomWiki (Kocijan et al. 2019), section 6.1",
            "Sizes of": f"{self.quotas.name}, {self.quotas.total:,} examples",
            "Sentences by": self.pipeline.version,
            "Seed": str(self.options.seed),
        }

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method."""
        return _LIMITS

    def warnings(self) -> Sequence[str]:
        """Warn of tokens counted by two pipelines."""
        quotas, pipeline = self.quotas, self.pipeline.version
        if quotas.pipeline in ("", pipeline):
            return ()
        return (
            f"the tokens of {quotas.name} were counted by {quotas.pipeline}, these by {pipeline}",
        )
