"""Options of `build wikicrem`, and the filters in force by them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from corefmill.builders.corpus.options import (
    INPUT,
    JudgedOptions,
    Mode,
    Option,
    TextInput,
    Without,
    choose_filters,
)
from corefmill.builders.wikicrem.confidence import LEAST
from corefmill.builders.wikicrem.filters import SURFACE, SYNTAX
from corefmill.corpora.files.errors import UsageError

ON_CORPUS = ("links_to_no_person", "repeated_passage")
"""Filters that need the whole corpus, asked when it is put together."""

FILTERS: tuple[str, ...] = (*SURFACE, *SYNTAX, *ON_CORPUS)
"""Every name that `--without` takes."""

SENTENCES, OF_TEXT, MOST_SENTENCES = 3, 4, 5
"""Longest passage, in sentences: of a dump and of plain text by default, and the most that
`--sentences` takes."""


@dataclass(frozen=True, kw_only=True)
class WikicremOptions(TextInput, JudgedOptions):
    """Build masked names: passages where a person's name recurs, one occurrence masked.

    After WikiCREM (Kocijan et al. 2019). The same command resumes a stopped run.

    Examples:
        build wikicrem --lang en --dump latest --workers 8
        build wikicrem --lang ro --nlp wiki --dump 'rowiki-*.xml.bz2'
    """

    mode: Annotated[
        Mode,
        Option(help="How to select passages: paper by the published rules, clean by more filters."),
    ] = Mode.clean
    without: Without = ()
    sentences: Annotated[
        int | None,
        Option(
            min=1,
            max=MOST_SENTENCES,
            help="Maximum length of a passage, in sentences (clean mode).",
            default=f"{OF_TEXT} of --text, {SENTENCES} of a dump",
        ),
    ] = None
    min_confidence: Annotated[
        float,
        Option(
            metavar="P",
            min=0,
            max=1,
            help="Keep examples whose confidence is at least P: the probability that a reader would"
            " understand a pronoun in the gap as the answer (clean mode).",
        ),
    ] = LEAST
    same_gender: Annotated[
        bool,
        Option(
            help="Leave out examples where gender alone tells the answer, as training for GAP or"
            " Winograd schemas needs (clean mode)."
        ),
    ] = False
    persons: Annotated[
        Path | None,
        Option(
            help="File of titles of articles about persons, one a line, such as Wikidata's humans:"
            " names besides those found in the dump (with --nlp wiki).",
            panel=INPUT,
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.persons is not None and self.nlp != "wiki":
            raise UsageError(
                "--persons works only with --nlp wiki",
                remedy="give --nlp wiki, or leave --persons out",
            )
        if self.min_confidence != LEAST and "doubtful" not in self.filters:
            raise UsageError(
                "--min-confidence needs the filter doubtful, which is off",
                remedy="leave --min-confidence out, or give --mode clean and no --without doubtful",
            )
        for name, value in (("--sentences", self.sentences), ("--same-gender", self.same_gender)):
            if self.mode == "paper" and value:
                raise UsageError(
                    f"{name} has no effect with --mode paper, which follows the published rules",
                    remedy=f"leave {name} out, or give --mode clean",
                )
        choose_filters(FILTERS, self.without)

    @cached_property
    def filters(self) -> tuple[str, ...]:
        """The filters in force, in the order of FILTERS; paper mode has none."""
        return () if self.mode == "paper" else choose_filters(FILTERS, self.without)

    @property
    def most_sentences(self) -> int:
        """The longest passage: the paper has passages of one sentence and of two."""
        if self.mode == "paper":
            return 2
        return self.sentences or (OF_TEXT if self.text else SENTENCES)
