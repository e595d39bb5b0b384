"""Written words that are several words of the grammar ("du" is "de" + "le"), as a treebank shows.

The pieces follow each other in the text without a gap, so offsets stay exact; the word that a piece
stands for is its NORM.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.language import Language


@dataclass(frozen=True)
class Piece:
    """A part of a written word and the word of the grammar that it stands for."""

    text: str
    form: str


def pieces(written: str, forms: Sequence[str]) -> list[Piece]:
    """The pieces of a multiword token of a treebank, whose words have the given forms."""
    if "".join(forms) == written:
        return [Piece(form, form) for form in forms]
    cut, at = [], 0
    for i, form in enumerate(forms):
        left = len(forms) - i - 1
        end = len(written) if not left else min(max(at + 1, at + len(form)), len(written) - left)
        cut.append(Piece(written[at:end], form))
        at = end
    return cut


def set_exceptions(nlp: Language, words: dict[str, tuple[str, ...]]) -> None:
    """Has the tokenizer cut the words, in small letters, with a capital and in capitals."""
    tokenizer: Any = nlp.tokenizer
    for low, forms in words.items():
        for way in dict.fromkeys((low, low.capitalize(), low.upper())):
            # What capitals make longer ("ß") has no pieces of that length.
            if len(way) == len(low):
                cut = [{"ORTH": p.text, "NORM": p.form} for p in pieces(way, forms)]
                tokenizer.add_special_case(way, cut)
