"""What a masked-name corpus depends on besides its input."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from corefmill.builders.corpus.filters import chosen
from corefmill.builders.wikicrem.confidence import weights_of
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.corpora.files.errors import UsageError

ON_CORPUS = ("links_to_no_person", "repeated_passage")
"""Filters that need the whole corpus, asked when it is put together."""

FILTERS: tuple[str, ...] = (*SURFACE, *SYNTAX, *ON_CORPUS)
"""Every name that `--without` takes."""

SENTENCES = 3
"""Of the longest passage, where nobody asks for another number."""
MOST_SENTENCES = 5


@dataclass(frozen=True, slots=True)
class WikicremOptions:
    """`filters` are those in force, in the order of FILTERS; paper mode has none. Passages have up
    to `sentences`. `least` is the confidence that is asked for, None for the language's own."""

    lang: str
    mode: Literal["clean", "paper"]
    nlp: str
    filters: tuple[str, ...]
    sentences: int
    least: float | None = None

    @classmethod
    def make(
        cls,
        lang: str,
        mode: Literal["clean", "paper"],
        nlp: str,
        without: tuple[str, ...] = (),
        sentences: int | None = None,
        least: float | None = None,
    ) -> WikicremOptions:
        """The options with every filter of the mode and language but those named in `without`.

        Raises `UsageError` for a filter that does not exist, for `sentences` in paper mode, and for
        `least` where nothing asks for it.
        """
        # Where passages of the language were read, what they weigh is asked, elsewhere a rule.
        weighed = mode == "clean" and weights_of(lang) is not None
        if least is not None and (not weighed or "doubtful" in without):
            raise UsageError(
                "--least is asked by the filter doubtful, which is not in force: it is clean"
                f" mode's, and for languages of which passages were read ({lang} was asked for)"
            )
        if mode == "paper":
            if sentences is not None:
                raise UsageError(
                    "--sentences is clean mode's: the paper has passages of one sentence and of two"
                )
            return cls(lang, mode, nlp, chosen(FILTERS, without, ()), 2)
        unasked = "rival_pronoun" if weighed else "doubtful"
        asked = tuple(name for name in FILTERS if name != unasked)
        return cls(lang, mode, nlp, chosen(FILTERS, without, asked), sentences or SENTENCES, least)

    def as_json(self) -> dict[str, Any]:
        """The options for a manifest."""
        return asdict(self)
