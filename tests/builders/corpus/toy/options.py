"""What may be asked of `build toy`."""

from __future__ import annotations

from dataclasses import dataclass

from corefmill.builders.corpus.options import JudgedOptions, TextInput


@dataclass(frozen=True, kw_only=True)
class ToyOptions(TextInput, JudgedOptions):
    """Build masked repeats: a capitalised word that comes again in its paragraph.

    Examples:
        build toy --text novels/
    """

    @property
    def filters(self) -> tuple[str, ...]:
        """The filters in force: a passage comes once."""
        return ("repeated_passage",)
