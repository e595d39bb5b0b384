"""Whether a passage is running text, and whether somebody is quoted in it."""

from __future__ import annotations

import re

QUOTES = re.compile(
    r"(?P<open>[“«„]|(?<![\w.,!?…])[‘'](?=\w))"
    r"|(?P<close>[”»]|(?<=[.,!?…—-])['’](?!\w))"
    r'|(?P<either>")'
)
_NOT_PROSE = re.compile(r"[|=_\[\]{}<>~^*•]|https?:|www\.|\.\.\.\.")
_ITALICS = re.compile(r"(?<!\w)_(?=\w)([^_]*)_(?!\w)")
# Also before what is said in the next paragraph, and where somebody breaks off.
_SENTENCE_END = re.compile(r"[.!?…:,—।۔؟։።။。！？-]['\"’”»)\]]*$")
_NUMERAL = re.compile(r"\d")


def is_debris(passage: str) -> bool:
    """Whether a passage has marks of markup, many numbers or capitals, or no sentence's end.

    Words between underscores are italics in transcripts of books, and prose.
    """
    passage = _ITALICS.sub(r"\1", passage)
    words = passage.split()
    if _NOT_PROSE.search(passage) or not _SENTENCE_END.search(passage):
        return True
    first = passage[0]
    # What has no capital of the kind that sentences begin with may begin one as it is.
    begins = (first.isalpha() and first == first.title()) or first in "\"“‘'"
    if passage.count("(") != passage.count(")") or not begins:
        return True
    numbers = sum(bool(_NUMERAL.search(word)) for word in words)
    shouted = sum(word.isupper() and len(word) > 2 for word in words)
    return numbers > len(words) / 5 or shouted > len(words) / 4


def in_quotation(text: str, position: int) -> bool:
    """Whether a quotation that opened before `position` is still open there."""
    depth = 0
    for match in QUOTES.finditer(text, 0, position):
        if match["open"]:
            depth = 1
        elif match["close"]:
            depth = 0
        else:
            depth = 1 - depth
    return depth == 1


def addressed(before: str, after: str) -> bool:
    """Whether what stands between these is set off as the name of who is spoken to."""
    opened = not before or before.rstrip()[-1:] in ",.!?;:—-\"“‘'"
    return opened and after[:1] in ("", ",", ".", "!", "?", ";", "—", "-")
