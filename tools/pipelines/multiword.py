"""Written words that are several words of the grammar ("du" is "de" + "le"), as a treebank shows.

The pieces follow each other in the text without a gap, so offsets stay exact; the word that a piece
stands for is its NORM.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spacy.language import Language

if TYPE_CHECKING:
    from tools.pipelines.treebank import Sentence


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


def seen(found: Iterable["Sentence"]) -> dict[str, tuple[str, ...]]:
    """Lower-case written words that are more often several words than one, with these words."""
    whole = Counter[str]()
    cut: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for sentence in found:
        for token in sentence.tokens:
            low = token.text.lower()
            forms = tuple(w.form.lower() for w in sentence.words[token.first : token.last])
            if len(forms) == 1:
                whole[low] += 1
            elif len(low) >= len(forms):
                cut[low][forms] += 1
    return {
        low: ways.most_common(1)[0][0]
        for low, ways in sorted(cut.items())
        if ways.total() > whole[low]
    }


def set_exceptions(nlp: Language, words: dict[str, tuple[str, ...]]) -> None:
    """Has the tokenizer cut the words, in small letters, with a capital and in capitals."""
    tokenizer: Any = nlp.tokenizer
    for low, forms in words.items():
        for way in dict.fromkeys((low, low.capitalize(), low.upper())):
            # What capitals make longer ("ß") has no pieces of that length.
            if len(way) == len(low):
                cut = [{"ORTH": p.text, "NORM": p.form} for p in pieces(way, forms)]
                tokenizer.add_special_case(way, cut)
