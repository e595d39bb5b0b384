"""English around a placeholder, reworded where a translator stumbles over the short form.

The tag decides what a clitic is: 's behind a mention is a possessive, is or has.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from corefmill.corpora.records import Span

_FULL = {"'ll": "will", "'re": "are", "'ve": "have", "'m": "am"}
_HAS = {"been", "become", "got", "gotten", "had"}
_OBJECTS = ("DT", "PRP", "PRP$", "NN", "NNS", "NNP", "NNPS", "JJ", "CD")
_WITHIN = ("JJ", "JJR", "JJS", "VBN", "VBG", "CD", "HYPH", "NN", "NNS", "NNP", "NNPS")
_NOUNS = ("NN", "NNS", "NNP", "NNPS")


def full(tokens: Sequence[str], tags: Sequence[str | None], at: int) -> str:
    """The token at `at` in full where it is a verb's clitic: 's is, 'd would, 'll will ...

    With a participle behind it, 's is has where an object follows or the participle is been, got
    or the like, else is; 'd is had.
    """
    token = tokens[at]
    clitic = token.lower().replace("’", "'")
    if clitic in _FULL:
        return _FULL[clitic]
    if clitic not in ("'s", "'d") or tags[at] not in ("VBZ", "VBD", "MD"):
        return token
    after = at + 1
    after += sum(1 for _ in takewhile(lambda tag: tag == "RB", tags[after:]))
    participle = after < len(tokens) and tags[after] in ("VBN", "VBD")
    if clitic == "'d":
        return "had" if participle else "would"
    known = after < len(tokens) and tokens[after].lower() in _HAS
    taken = participle and after + 1 < len(tokens) and tags[after + 1] in _OBJECTS
    return "has" if known or taken else "is"


def owned(tags: Sequence[str | None], first: int, barred: Sequence[Span]) -> int | None:
    """The end of the noun phrase that begins at `first`, right behind a possessive.

    None where no plain one is there, or one of the `barred` spans lies in it.
    """
    end = None
    for at in range(first, len(tags)):
        if tags[at] not in _WITHIN or any(start <= at < stop for start, stop in barred):
            break
        if tags[at] in _NOUNS:
            end = at + 1
    # What is joined on, by a hyphen or as another owner, is no plain phrase.
    if end is not None and end < len(tags) and tags[end] in ("HYPH", "POS"):
        return None
    return end
