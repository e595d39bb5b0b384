"""What a corpus of pronoun problems depends on besides its input."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from corefmill.builders.corpus.filters import chosen
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


@dataclass(frozen=True, slots=True)
class KnowrefOptions:
    """`filters` are those in force, in the order of FILTERS; `swap` has persons renamed; `mined`
    takes pronouns whose person gender tells.

    A filter for a trouble that the language does not have is not in force. Paper mode has none of
    the filters but the exact repetitions', which are the published pipeline's own. Raises
    `UsageError` for a filter that does not exist, a language without a table, and paper mode in
    another language than English.
    """

    lang: str
    mode: Literal["clean", "paper"]
    nlp: str
    filters: tuple[str, ...]
    swap: bool
    mined: bool = False

    @classmethod
    def make(
        cls,
        lang: str,
        mode: Literal["clean", "paper"],
        nlp: str,
        without: tuple[str, ...] = (),
        *,
        swap: bool = True,
        mined: bool = False,
    ) -> KnowrefOptions:
        """The options with every filter that the mode and the language have but those named in
        `without`."""
        if mined and mode == "paper":
            raise UsageError("--mined and --mode paper exclude each other")
        own = {*FILTERS} - ({*mined_pronouns.OF_UNMINED} if mined else _OF_MINED)
        every = tuple(name for name in FILTERS if name in own)
        known = chosen(FILTERS, without, every if mode == "clean" else ON_CORPUS)
        if mode == "paper" and lang != "en":
            raise UsageError(
                f"--mode paper is English, not {lang!r}",
                remedy="--mode clean takes other languages",
            )
        unneeded = filters.unneeded(table.load(lang))
        in_force = tuple(name for name in known if name not in unneeded)
        return cls(lang, mode, nlp, in_force, swap, mined)

    def as_json(self) -> dict[str, Any]:
        """The options for a manifest."""
        return asdict(self)
