"""What a masked-name corpus depends on besides its input."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from corefmill.builders.corpus.filters import chosen
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX

ON_CORPUS = ("links_to_no_person", "repeated_passage")
"""Filters that need the whole corpus, asked when it is put together."""

FILTERS: tuple[str, ...] = (*SURFACE, *SYNTAX, *ON_CORPUS)
"""Every name that `--without` takes."""


@dataclass(frozen=True, slots=True)
class WikicremOptions:
    """`filters` are those in force, in the order of FILTERS; paper mode has none."""

    lang: str
    mode: Literal["clean", "paper"]
    nlp: str
    filters: tuple[str, ...]

    @classmethod
    def make(
        cls, lang: str, mode: Literal["clean", "paper"], nlp: str, without: tuple[str, ...] = ()
    ) -> WikicremOptions:
        """The options with every filter of the mode but those named in `without`.

        Raises `UsageError` for a filter that does not exist.
        """
        return cls(lang, mode, nlp, chosen(FILTERS, without, FILTERS if mode == "clean" else ()))

    def as_json(self) -> dict[str, Any]:
        """The options for a manifest."""
        return asdict(self)
