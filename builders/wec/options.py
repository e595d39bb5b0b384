"""What an event corpus depends on besides its input."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from corefmill.builders.wec.anchors import Sections
from corefmill.builders.wec.facts import lexicon
from corefmill.builders.wec.filters.filters import SURFACE
from corefmill.builders.wec.filters.filters_syntax import SYNTAX
from corefmill.corpora.errors import UsageError
from corefmill.corpora.spelling import did_you_mean

Mode = Literal["clean", "paper"]
Same = Literal["string", "lemma"]

ON_CORPUS = ("repeated_paragraph", "same_string")
"""Filters that need the whole corpus, asked when it is put together."""

FILTERS: tuple[str, ...] = (*SURFACE, *SYNTAX, *ON_CORPUS)
"""Every name that `--without` takes."""

QUOTA = 4
"""Mentions of a cluster that may be the same string (WEC, section 3.2)."""


@dataclass(frozen=True, slots=True)
class Options:
    """`filters` are those in force, in the order of FILTERS; paper mode has its own.

    `same` says what counts as the same string for the quota: the string itself without case and
    leading article, or its words' lemmas. Raises `UsageError` for a filter that does not exist.
    """

    lang: str
    mode: Mode
    nlp: str
    filters: tuple[str, ...]
    sections: Sections
    same: Same
    quota: int

    @classmethod
    def make(
        cls,
        lang: str,
        mode: Mode,
        nlp: str,
        *,
        without: tuple[str, ...] = (),
        sections: Sections = "drop",
        same: Same | None = None,
        quota: int = QUOTA,
    ) -> Options:
        """The options with every filter of the mode but those named in `without`.

        `same` is by default what the language's table says: the lemma where words are inflected.
        """
        for name in without:
            if name not in FILTERS:
                guess = did_you_mean(name, FILTERS)
                raise UsageError(f"no filter {name!r}{guess}; there are {', '.join(FILTERS)}")
        kept = FILTERS if mode == "clean" else ()
        if same is None:
            same = "lemma" if mode == "clean" and lexicon.load(lang).inflected else "string"
        filters = tuple(name for name in kept if name not in without)
        return cls(lang, mode, nlp, filters, sections, same, quota)

    def as_json(self) -> dict[str, Any]:
        """The options for a manifest."""
        return asdict(self)
