"""Options of `build chains`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from corefmill.builders.corpus.options import Option, SplitOptions, TextInput


@dataclass(frozen=True, kw_only=True)
class ChainsOptions(TextInput, SplitOptions):
    """Build silver coreference: passages of any text in which every name and pronoun is clear.

    Names and gendered pronouns of persons become chains by rules, each link with a confidence; a
    sentence in which one of them is in doubt ends the passage.

    Examples:
        build chains --lang de --text novels/ --out out/silver
        build chains --lang en --dump latest --workers 8
    """

    min_confidence: Annotated[
        float,
        Option(
            metavar="P",
            min=0,
            max=1,
            help="Minimum confidence of a coreference link: a sentence with a less sure link ends"
            " the passage.",
        ),
    ] = 0.85
