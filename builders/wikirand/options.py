"""Options of `build wikirand`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from corefmill.builders.corpus.options import Mode, Option, TextInput
from corefmill.corpora.files.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class WikirandOptions(TextInput):
    """Build masked random words: the control for masked names, of the same sizes.

    RandomWiki of section 6.1 of Kocijan et al. (2019): random passages, a random word masked, the
    wrong candidate a random word. Name the input that the corpus in --like was made from.

    Examples:
        build wikirand --lang en
        build wikirand --lang en --like out/novels --text novels/ --out out/novels-random
    """

    like: Annotated[
        Path | None,
        Option(
            help="The corpus whose size and passage lengths are matched.",
            default="out/wikicrem-LANG",
        ),
    ] = None
    mode: Annotated[
        Mode | None,
        Option(
            help="In paper mode, words are ASCII and the right one comes first.",
            default="the mode of --like",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.limit is not None:
            raise UsageError("--limit: the size is that of --like", remedy="leave it out")
