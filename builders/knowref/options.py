"""Options of `build knowref`, and the filters in force by them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from corefmill.builders.corpus.options import (
    JudgedOptions,
    KindsOfText,
    Mode,
    Option,
    Without,
    choose_filters,
)
from corefmill.builders.knowref import filters, table
from corefmill.builders.knowref import mined as mined_pronouns
from corefmill.corpora.files.errors import UsageError

ON_CORPUS = ("repeated_passage",)
"""Filters that need the whole corpus, asked when it is put together."""

FILTERS: tuple[str, ...] = tuple(
    dict.fromkeys((*mined_pronouns.MINED_FILTERS, *filters.FILTERS, *ON_CORPUS))
)
"""Every name that `--without` takes."""

_OF_MINED = {*mined_pronouns.MINED_FILTERS} - {*filters.FILTERS}


@dataclass(frozen=True, kw_only=True)
class KnowrefOptions(KindsOfText, JudgedOptions):
    """Build pronoun problems: sentences with two persons and a pronoun that may be either.

    After KnowRef-60K (Emami et al. 2020): the persons get names of the pronoun's gender, and people
    answer (`corefmill annotate`); with --mined gender tells whom a pronoun means.

    Examples:
        build knowref --lang en --reddit 'RC_2019-*.zst' --workers 8
        build knowref --lang en --text novels/ --mined
    """

    mode: Annotated[
        Mode,
        Option(
            help="How to select sentences: paper by the published rules, clean by more filters."
        ),
    ] = Mode.clean
    without: Without = ()
    mined: Annotated[
        bool,
        Option(help="Collect pronouns after a man's and a woman's name, and label each by gender."),
    ] = False

    def __post_init__(self) -> None:
        if self.mined and self.mode == "paper":
            raise UsageError(
                "--mined and --mode paper exclude each other", remedy="leave one of them out"
            )
        choose_filters(FILTERS, self.without)
        if self.mode == "paper" and self.lang != "en":
            raise UsageError(
                f"--mode paper works only for English, and --lang is {self.lang!r}",
                remedy="give --mode clean for other languages",
            )
        table.load(self.lang)

    @cached_property
    def filters(self) -> tuple[str, ...]:
        """The filters in force, in the order of FILTERS.

        Paper mode has only the filter of exact repetitions, which the published pipeline has, too.
        """
        own = {*FILTERS} - ({*mined_pronouns.OF_UNMINED} if self.mined else _OF_MINED)
        every = tuple(name for name in FILTERS if name in own)
        return choose_filters(FILTERS, self.without, every if self.mode == "clean" else ON_CORPUS)
