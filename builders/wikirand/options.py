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
            help="Folder of the corpus to match in the number and lengths of passages.",
            default="out/wikicrem-LANG",
        ),
    ] = None
    mode: Annotated[
        Mode | None,
        Option(
            help="How to mask words: paper takes ASCII words and puts the right candidate first.",
            default="the mode of --like",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.limit is not None:
            raise UsageError(
                "--limit has no effect: the corpus gets the size of the corpus in --like",
                remedy="leave --limit out",
            )
