"""What an event corpus depends on besides its input. Imports nothing heavy: help shows the names.

The filters are functions of these names, in `filters.surface`, `filters.syntax` and `choose`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from corefmill.builders.corpus.filters import chosen

SURFACE = (
    "section_link",
    "short_paragraph",
    "markup_left",
    "mention_length",
    "no_trigger",
    "on_date",
    "on_place",
    "on_participant",
    "trigger_outside",
    "treaty_text",
    "unidentified",
)
"""Filters of a link's words and paragraph, in the order in which they are asked."""

SYNTAX = (
    "no_sentence",
    "named_entity",
    "wordless_head",
    "argument_noun",
    "acting_body",
    "sub_event",
    "no_event_word",
)
"""Filters of what the pipeline reads, in the order in which they are asked."""

ON_CORPUS = ("repeated_paragraph", "same_string")
"""Filters that need the whole corpus, asked when it is put together."""

FILTERS = (*SURFACE, *SYNTAX, *ON_CORPUS)
"""Every name that `--without` takes."""

QUOTA = 4
"""Mentions of a cluster that may be the same string (WEC, section 3.2)."""

MEMORY = 400
"""Megabytes that the joins may take: enough for ten million redirects and 300,000 events."""

DEV_SHARE, TEST_SHARE = 0.03, 0.04
"""Of the clusters; WEC-Eng has 233 and 322 of 7,597."""


class Sections(StrEnum):
    """What becomes of links to a section of an event's article, [[Event#Section]]:

    drop    none is a mention: a section is about a part of the event, its causes, its aftermath,
            and so mostly is what links to it. The default, since these are few and a false
            mention costs more than a lost one.
    named   those whose link text is the article's title or an alias of it are.
    keep    all are.
    """

    drop = "drop"
    named = "named"
    keep = "keep"


class Same(StrEnum):
    """What makes two mentions the same string: the words themselves, without case and leading
    article, or either these or their lemmas."""

    string = "string"
    lemma = "lemma"


@dataclass(frozen=True, slots=True)
class WecOptions:
    """`filters` are those in force, in the order of FILTERS; paper mode has its own.

    Raises `UsageError` for a filter that does not exist.
    """

    lang: str
    mode: str
    nlp: str
    filters: tuple[str, ...]
    sections: Sections
    same: Same
    quota: int

    @classmethod
    def make(
        cls,
        lang: str,
        mode: str,
        nlp: str,
        *,
        without: tuple[str, ...] = (),
        sections: Sections = Sections.drop,
        same: Same = Same.string,
        quota: int = QUOTA,
    ) -> WecOptions:
        """The options with every filter of the mode but those named in `without`."""
        filters = chosen(FILTERS, without, None if mode == "clean" else ())
        return cls(lang, mode, nlp, filters, sections, same, quota)

    def as_json(self) -> dict[str, Any]:
        """The options for a manifest."""
        return asdict(self)
