"""What may be asked of `build toy`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from corefmill.builders.corpus.options import BoundOptions, TextInput


@dataclass(frozen=True, kw_only=True)
class ToyOptions(TextInput, BoundOptions):
    """Build masked repeats: a capitalised word that comes again in its paragraph.

    Examples:
        build toy --text novels/
    """

    filters: ClassVar[tuple[str, ...]] = ("repeated_passage",)
