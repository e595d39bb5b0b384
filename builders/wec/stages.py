"""The second pass over a dump as a list of stages: WEC's section 3, step by step.

3.1 Corpus creation: an event page is a page with an infobox for events (`event_pages`, the first
    pass); every link to it in running text is a candidate for a mention of the event.
3.2 Filtering: links that show something else than the event are dropped, by filters on their words
    and on what the pipeline reads; of a cluster's equal strings four stay (`choose`).
3.3 Controlled dev and test: splits share neither cluster nor article (`splits`, `choose`). The
    authors read dev and test as well; nobody does here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from corefmill.builders.nlp import Backend, of_wiki
from corefmill.builders.run.stages import Stage
from corefmill.builders.wec.event_pages.event_index import EventIndex
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.filters import surface, syntax
from corefmill.builders.wec.filters.surface import Filter
from corefmill.builders.wec.linking_pages import ReadLinkingPages
from corefmill.builders.wec.mentions import (
    FilterLinks,
    LinksToEvents,
    MentionRecords,
    ReadParagraphs,
)
from corefmill.builders.wec.options import SURFACE, SYNTAX, Sections, WecOptions
from corefmill.builders.wec.paper import PaperLinks, PaperMentions


def stages(options: WecOptions, pipeline: Backend, index: EventIndex) -> list[Stage]:
    """From chunks of a dump to records of mentions."""
    if options.mode == "paper":
        return [
            ReadLinkingPages(options.lang, index),
            PaperLinks(index),
            PaperMentions(options.lang, pipeline, index),
        ]
    return [
        ReadLinkingPages(options.lang, index),
        LinksToEvents(index, lexicon.load(options.lang)),
        FilterLinks("surface filters", _surface(options)),
        ReadParagraphs(pipeline),
        FilterLinks("syntax filters", _chosen(syntax, SYNTAX, options)),
        MentionRecords(options.lang, index),
    ]


def _surface(options: WecOptions) -> dict[str, Filter]:
    filters = _chosen(surface, SURFACE, options)
    if "section_link" in filters and options.sections is Sections.drop:
        filters["section_link"] = surface.any_section_link
    elif options.sections is Sections.keep:
        filters.pop("section_link", None)
    return filters


def _chosen(module: ModuleType, names: Sequence[str], options: WecOptions) -> dict[str, Filter]:
    """The filters in force of those that the module has, by name."""
    return {name: getattr(module, name) for name in names if name in options.filters}


def setup(options: WecOptions, index: Path) -> Sequence[Stage]:
    """The stages for one worker process; loads the pipeline."""
    return stages(options, of_wiki(options.nlp, options.lang), EventIndex(index))
