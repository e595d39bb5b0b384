"""What a masked-name corpus depends on besides its input."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.corpora.errors import UsageError
from corefmill.corpora.spelling import did_you_mean

Mode = Literal["clean", "paper"]

ON_CORPUS = ("links_to_no_person", "repeated_passage")
"""Filters that need the whole corpus, asked when it is put together."""

FILTERS: tuple[str, ...] = (*SURFACE, *SYNTAX, *ON_CORPUS)
"""Every name that `--without` takes."""


@dataclass(frozen=True, slots=True)
class Options:
    """`filters` are those in force, in the order of FILTERS; paper mode has none.

    Raises `UsageError` for a filter that does not exist.
    """

    lang: str
    mode: Mode
    nlp: str
    filters: tuple[str, ...]

    @classmethod
    def make(cls, lang: str, mode: Mode, nlp: str, without: tuple[str, ...] = ()) -> Options:
        """The options with every filter of the mode but those named in `without`."""
        for name in without:
            if name not in FILTERS:
                guess = did_you_mean(name, FILTERS)
                raise UsageError(f"no filter {name!r}{guess}; there are {', '.join(FILTERS)}")
        kept = FILTERS if mode == "clean" else ()
        return cls(lang, mode, nlp, tuple(name for name in kept if name not in without))

    def as_json(self) -> dict[str, Any]:
        """The options for a manifest."""
        return asdict(self)
