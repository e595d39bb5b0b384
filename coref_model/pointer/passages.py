"""A masked example as the pointer takes it: its pieces, and where target and candidates stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.coref_model.masked.items import fitted
from corefmill.corpora import words
from corefmill.corpora.records import MASK, MaskedExample, Span

_SENTENCE_END = re.compile(r"(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?<!\b[A-Z][a-z]{2})[.!?…]+[\"'”’»)]*\s+")
"""Not behind "J.", "Mr." and "Mrs."; records of test sets do not say where sentences end."""
_SUFFIX = re.compile(r"(?: \(2\))?(?:['’]s)?$")
"""What evaluation puts behind a candidate, and passages do not have: GAP's second of two equal
names, and its possessive."""


@dataclass(frozen=True, slots=True)
class PointedPassage:
    """One passage; its `spans` are the target's first, then those of the candidates' m mentions.

    `ids` are the pieces' and the specials', one mask's in the place of a target that is hidden;
    `spans` are ranges of pieces, `places` of words. `owners` [m] are the mentions' candidates, and
    `count` is how many candidates there are. `cut` counts the pieces that the window had no room
    for.
    """

    ids: tuple[int, ...]
    spans: tuple[Span, ...]
    owners: tuple[int, ...]
    count: int
    sentences: tuple[tuple[str, ...], ...]
    places: tuple[Span, ...]
    cut: int = 0


def is_name(example: MaskedExample) -> bool:
    """Whether the target is a masked name, which must be hidden, and no pronoun."""
    target = example.text[slice(*example.target)].casefold()
    return target == MASK.casefold() or target in {one.casefold() for one in example.candidates}


def mentions(example: MaskedExample) -> list[tuple[int, int, int]]:
    """Where the candidates stand, (candidate, start, end) in order, the target not among them.

    Those that the record states; a candidate of which it states none is looked for in the text,
    longest first, case aside, at last without its first words: "the", "old", "his".
    """
    found = [one for one in example.mentions if not _overlap(one[1:], example.target)]
    taken = [example.target, *((start, end) for _, start, end in found)]
    known = {owner for owner, _, _ in found}
    left = [at for at in range(len(example.candidates)) if at not in known]
    for at in sorted(left, key=lambda at: (-len(example.candidates[at]), at)):
        spans = [
            span
            for span in _places(_SUFFIX.sub("", example.candidates[at]), example.text)
            if not any(_overlap(span, other) for other in taken)
        ]
        taken += spans
        found += [(at, *span) for span in spans]
    return sorted(found, key=lambda one: one[1:])


def pointed(example: MaskedExample, pieces: Pieces, window: int, *, hidden: bool) -> PointedPassage:
    """The passage, its target as one mask where it is `hidden` or a name.

    A passage of more than `window` pieces (specials included) is cut round the target, and the
    mentions that are left out with it. A candidate without a mention cannot be pointed at.
    """
    text, hides = example.text, hidden or is_name(example)
    named = mentions(example)
    where = [example.target, *((start, end) for _, start, end in named)]
    ids, spans = _pieces(text, example.target, pieces, hides=hides)
    members = [_members(spans, span) for span in where]
    room = window - sum(pieces.specials)
    before, after = members[0][0], len(ids) - members[0][1]
    kept, rest = fitted(before, after, max(room - (len(ids) - before - after), 0))
    low, high = before - kept, len(ids) - after + rest
    shift = pieces.specials[0] - low
    there = [
        at
        for at, (start, end) in enumerate(members)
        if start < end and low <= start and end <= high
    ]
    sentences, places = _words(text, where, hides=hides)
    return PointedPassage(
        tuple(pieces.wrap(ids[low:high])),
        tuple((members[at][0] + shift, members[at][1] + shift) for at in there),
        tuple(named[at - 1][0] for at in there if at),
        len(example.candidates),
        sentences,
        tuple(places[at] for at in there),
        len(ids) - (high - low),
    )


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _places(candidate: str, text: str) -> list[Span]:
    """Where a candidate stands in a text as whole words; without its first words, if need be."""
    parts = candidate.split()
    for first in range(len(parts)):
        joined = r"\s+".join(map(re.escape, parts[first:]))
        pattern = rf"(?<!\w){joined}(?!\w)"
        if found := [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]:
            return found
    return []


def _pieces(
    text: str, target: Span, pieces: Pieces, *, hides: bool
) -> tuple[list[int], list[Span]]:
    """The pieces of the text and their spans in it; one mask for those of a hidden target."""
    ids, spans = pieces.text(text)
    first, last = _members(spans, target)
    if not hides and first < last:
        return ids, spans
    return (
        [*ids[:first], pieces.mask_id, *ids[last:]],
        [*spans[:first], target, *spans[last:]],
    )


def _members(spans: Sequence[Span], wanted: Span) -> Span:
    """The range of the pieces that share a character with a span; empty behind those before it."""
    inside = [at for at, span in enumerate(spans) if span[0] < span[1] and _overlap(span, wanted)]
    if inside:
        return inside[0], inside[-1] + 1
    before = sum(end <= wanted[0] for _, end in spans)
    return before, before


def _words(
    text: str, where: Sequence[Span], *, hides: bool
) -> tuple[tuple[tuple[str, ...], ...], list[Span]]:
    """The words by sentences, those of a hidden target as one mask; and the spans as words."""
    target = where[0]
    cuts = [match.end() for match in _SENTENCE_END.finditer(text)]
    ends = [0, *(cut for cut in cuts if cut < len(text)), len(text)]
    found = words.cut(text, [*ends, *(border for span in where for border in span)])
    tokens: list[tuple[Span, str]] = []
    for span in found:
        if hides and _overlap(span, target):
            if tokens and tokens[-1][0] == target:
                continue
            tokens.append((target, MASK))
        else:
            tokens.append((span, text[slice(*span)]))
    sentences = tuple(
        tuple(form for (start, _), form in tokens if low <= start < high)
        for low, high in pairwise(ends)
    )
    places = [_members([span for span, _ in tokens], span) for span in where]
    return tuple(sentence for sentence in sentences if sentence), places
