"""The stages of the event builder, as the runner wants them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from corefmill.builders.nlp import load
from corefmill.builders.runner.stages import Stage
from corefmill.builders.wec.lookup import Lookup
from corefmill.builders.wec.mentions import Mentions
from corefmill.builders.wec.options import Options
from corefmill.builders.wec.paper import PaperMentions


def setup(reader: Stage, options: Options, lookup: Path) -> Sequence[Stage]:
    """The stages for one worker process; loads the pipeline."""
    pipeline = load(options.nlp, options.lang)
    asked = Lookup(lookup)
    if options.mode == "paper":
        return [reader, PaperMentions(options.lang, pipeline, asked)]
    return [reader, Mentions(options, pipeline, asked)]


def job_setup(reader: Stage, options: Options, lookup: Path) -> Callable[[], Sequence[Stage]]:
    """`setup` as the runner wants it; `reader` gives the articles that link to events."""
    return partial(setup, reader, options, lookup)
