"""Turn a masked example into the pointer's input: pieces, places, and syntax.

The syntactic features of a target and a mention are roles, clauses and order in the trees.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from zlib import crc32

from corefmill.coref_model.documents.surface import ROWS
from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.corpora import record_meta, words
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.record_meta import SUBJECT, SpanSyntax, find_clause, opens_clause
from corefmill.corpora.records import MASK, MaskedExample, Span

_SENTENCE_END = re.compile(
    r"(?<!\b[A-Z])(?<!\b[A-Z][a-z])(?<!\b[A-Z][a-z]{2})(?<![.!?…])[.!?…]++[\"'”’»)]*+\s+"
)
"""Ends of sentences, not behind "J.", "Mr." and "Mrs.": records of test sets do not mark sentences.
A run of stops is matched from its first only, to bound the time."""
_DROPPED = 5
"""First words of a candidate that may be missing in the text: "the", "old", "his"."""
_ENDING, _LOST = 4, 2
"""Most letters that a case adds to the stem of a name ("-iego"), and that it removes."""
_SUFFIX = re.compile(r"(?: \(2\))?(?:['’]s)?$")
"""Endings that evaluation adds to a candidate of GAP: for a second equal name, a possessive."""


@dataclass(frozen=True, slots=True)
class PointedPassage:
    """One passage; its `spans` are the target's first, then those of the candidates' m mentions.

    `ids` are the ids of the pieces and specials, with one mask in place of a hidden target; `spans`
    are ranges of pieces, `places` ranges of words. `owners` [m] are the mentions' candidates, and
    `count` is the number of candidates. `cut` counts the pieces that the window had no room for.
    `syntax` has the feature rows of each mention, if the model uses trees.
    """

    ids: tuple[int, ...]
    spans: tuple[Span, ...]
    owners: tuple[int, ...]
    count: int
    sentences: tuple[tuple[str, ...], ...]
    places: tuple[Span, ...]
    cut: int = 0
    syntax: tuple[tuple[int, ...], ...] = ()


def is_name(example: MaskedExample) -> bool:
    """Tell whether the target is a masked name, which must be hidden, and not a pronoun.

    It is a name if it contains a candidate as whole words, case aside, or another form of one, if
    names decline: "Annę" with the candidates "Anna" and "Ewa".
    """
    target = example.text[slice(*example.target)]
    if target.casefold() == MASK.casefold():
        return True
    # With the article before it, as builders of some languages hide it: "der Hans".
    words = target.split()
    return any(
        _find_words(name, target)
        or (len(words) == len(name) and all(map(_is_inflected, words, name)))
        for name in map(str.split, example.candidates)
    )


def find_mentions(example: MaskedExample) -> list[tuple[int, int, int]]:
    """Find the mentions of candidates, (candidate, start, end) in order, outside the target.

    Mentions in the record are taken. A candidate without one is searched in the text, the longest
    first, case aside, at last without its first words.
    """
    found = [one for one in example.mentions if not _do_overlap(one[1:], example.target)]
    taken = bytearray(len(example.text))  # 1 for each character of a mention
    for start, end in (example.target, *(one[1:] for one in found)):
        taken[start:end] = b"\1" * (end - start)
    known = {owner for owner, _, _ in found}
    left = [at for at in range(len(example.candidates)) if at not in known]
    for at in sorted(left, key=lambda at: (-len(example.candidates[at]), at)):
        parts = _SUFFIX.sub("", example.candidates[at]).split()
        # As whole words; without its first words, if need be.
        tails = (parts[first:] for first in range(min(len(parts), _DROPPED + 1)))
        places = next(filter(None, (_find_words(tail, example.text) for tail in tails)), [])
        spans = [span for span in places if taken.find(1, *span) < 0]
        for start, end in spans:
            taken[start:end] = b"\1" * (end - start)
        found += [(at, *span) for span in spans]
    return sorted(found, key=lambda one: one[1:])


def make_passage(
    example: MaskedExample,
    pieces: Pieces,
    window: int,
    *,
    hidden: bool,
    syntax: Sequence[tuple[int, ...]] = (),
) -> PointedPassage:
    """Make the pointer's input of an example, with one mask for a `hidden` target or a name.

    `syntax` are the feature rows of each of the example's `mentions`, if the model uses trees.

    A passage of more than `window` pieces (specials included) is cut around the target, and the
    mentions outside are left out. The pointer cannot choose a candidate without a mention.
    """
    text, hides = example.text, hidden or is_name(example)
    named = find_mentions(example)
    where = [example.target, *((start, end) for _, start, end in named)]
    ids, spans = pieces.cut_text(text)
    [(first, last)] = _find_pieces(spans, [example.target])
    if hides or first == last:  # one mask
        ids[first:last], spans[first:last] = [pieces.mask_id], [example.target]
    members = _find_pieces(spans, where)
    room = window - sum(pieces.specials)
    before, after = members[0][0], len(ids) - members[0][1]
    kept, rest = share_room(before, after, max(room - (len(ids) - before - after), 0))
    low, high = before - kept, len(ids) - after + rest
    shift = pieces.specials[0] - low
    there = [
        at
        for at, (start, end) in enumerate(members)
        if start < end and low <= start and end <= high
    ]
    sentences, places = _cut_sentences(text, where, hides=hides)
    return PointedPassage(
        tuple(pieces.wrap(ids[low:high])),
        tuple((members[at][0] + shift, members[at][1] + shift) for at in there),
        tuple(named[at - 1][0] for at in there if at),
        len(example.candidates),
        sentences,
        tuple(places[at] for at in there),
        len(ids) - (high - low),
        tuple(syntax[at - 1] for at in there if at) if syntax else (),
    )


def share_room(left: int, right: int, room: int) -> tuple[int, int]:
    """Count the pieces to keep on each side: half the room, and room unused by the other side."""
    before = min(left, max(room - right, (room + 1) // 2))
    return before, min(right, room - before)


def _is_inflected(word: str, name: str) -> bool:
    """Tell whether a word may be a name with another ending: "Ewy" of "Ewa", "Pawła" of "Paweł".

    A pronoun at the head of a sentence also has a capital. So the common beginning must be long,
    and if the word is itself a beginning of the name ("He" of "Henry"), one letter may be missing.
    """
    if not (word[:1].isupper() and name[:1].isupper()):
        return word == name
    pairs = zip(word.lower(), name.lower(), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    own, other = len(word) - same, len(name) - same
    if own > _ENDING or other > _LOST:
        return False
    if not own:
        return other < 2 and same > 2
    return same > 2 or same == 2 == len(name) - 1


def _do_overlap(one: Span, other: Span) -> bool:
    """Tell whether two spans share a character."""
    return one[0] < other[1] and other[0] < one[1]


def _find_words(parts: Sequence[str], text: str) -> list[Span]:
    """Find the spans of consecutive whole words in a text, case aside."""
    if not parts:
        return []
    joined = r"\s+".join(map(re.escape, parts))
    pattern = rf"(?<!\w){joined}(?!\w)"
    return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]


def _find_pieces(spans: Sequence[Span], wanted: Sequence[Span]) -> list[Span]:
    """Find the range of the pieces that share a character with each span wanted.

    `spans` are the pieces', in order. Without such a piece the range is empty, behind the pieces
    before the wanted span.
    """
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    found = []
    for one in wanted:
        low, high = bisect_right(ends, one[0]), bisect_left(starts, one[1])
        inside = [at for at in range(low, high) if starts[at] < ends[at]]
        found.append((inside[0], inside[-1] + 1) if inside else (low, low))
    return found


def _cut_sentences(
    text: str, where: Sequence[Span], *, hides: bool
) -> tuple[tuple[tuple[str, ...], ...], list[Span]]:
    """Cut a text into sentences of words, a hidden target as [MASK]; place the spans in words."""
    target = where[0]
    cuts = [match.end() for match in _SENTENCE_END.finditer(text)]
    ends = [0, *(cut for cut in cuts if cut < len(text)), len(text)]
    found = words.cut(text, [*ends, *(border for span in where for border in span)])
    tokens: list[tuple[Span, str]] = []
    for span in found:
        if hides and _do_overlap(span, target):
            if tokens and tokens[-1][0] == target:
                continue
            tokens.append((target, MASK))
        else:
            tokens.append((span, text[slice(*span)]))
    starts, forms = [start for (start, _), _ in tokens], [form for _, form in tokens]
    borders = [bisect_left(starts, end) for end in ends]
    sentences = (tuple(forms[low:high]) for low, high in pairwise(borders))
    places = _find_pieces([span for span, _ in tokens], where)
    return tuple(sentence for sentence in sentences if sentence), places


FAR = 3
"""Highest count of sentences, mentions and clauses."""
_LONG = 7
"""Highest class of distances in words, which double from class to class."""
_ROLES = ("subject", "object", "possessor", "obl", "nmod", "appos", "root", "vocative")
_BESIDE = ("conj", "appos", "flat", "compound")

Feature = tuple[object, ...]


def list_features(example: MaskedExample) -> list[tuple[int, ...]]:
    """List the table rows of each mention's syntactic features; none without a parse.

    Raises `DataError` for an example that was not parsed.
    """
    target, *others = record_meta.read_syntax(example)
    if list(example.mentions) != find_mentions(example):
        raise DataError(
            f"example {example.id} does not list all mentions of its candidates in order",
            remedy="`corefmill parse IN OUT` adds the mentions",
        )
    rows: list[tuple[int, ...]] = []
    if target is None:
        return [() for _ in others]
    owners = [owner for owner, *_ in example.mentions]
    places = [None if one is None else one.word for one in others]
    first = list(dict.fromkeys(owners))  # mentions are in order
    clauses = record_meta.find_clauses_of_subject(target, others)
    for at, (one, owner) in enumerate(zip(others, owners, strict=True)):
        if one is None:
            rows.append(())
            continue
        # The numbers of mentions between, before, and in the mention's sentence.
        before = [place for place in places if place is not None and place < target.word]
        behind = one.word > target.word
        between = sum(place > one.word for place in before)
        nearer = FAR + 1 if behind else min(between, FAR)
        earlier = sum(own is not None and own.sentence == one.sentence for own in others[:at])
        known: list[Feature] = [
            ("nearer", nearer),
            ("nearer", nearer, one.role if one.role in _ROLES else "other"),
            ("earlier", min(at, FAR)),
            ("in sentence", min(earlier, FAR)),
            ("times", min(owners.count(owner), FAR + 1)),
            ("first named", first[0] == owner),
            ("words", min(len(example.candidates[owner].split()), FAR)),
            ("its subject", one.role == SUBJECT and find_clause(one).word in clauses),
        ]
        known += _describe_pair(target, one)
        # Each feature has a row by itself, and one with the target's role.
        keys = [key for own in known for key in (own, (target.role, *own))]
        rows.append(tuple(crc32(repr(key).encode()) % ROWS for key in keys))
    return rows


def _describe_pair(target: SpanSyntax, mention: SpanSyntax) -> Iterator[Feature]:
    """Describe the place of a mention relative to the target: roles, distances and clauses."""
    role = mention.role if mention.role in _ROLES else "other"
    behind = mention.word > target.word
    sentences = min(abs(target.sentence - mention.sentence), FAR)
    gap = f"{'behind' if behind else 'before'} {sentences}"
    here = target.sentence == mention.sentence
    near = min(abs(target.word - mention.word).bit_length(), _LONG)
    depth = min(sum(map(opens_clause, mention.path)), FAR)
    relation = mention.path[0].relation
    governor = mention.path[1] if len(mention.path) > 1 else None
    main = role == SUBJECT and governor is not None and governor.relation == "root"
    above = {step.word for step in target.path}
    yield from (
        ("gap", gap),
        ("role", role),
        ("same role", role == target.role),
        ("gap, role", gap, role),
        ("depth", depth, role),
        ("main subject", main, gap),
        ("relation", relation),
        ("beside", relation in _BESIDE),
        ("near", near),
        ("near, role", near, role),
        ("one clause", here and find_clause(mention).word == find_clause(target).word, role),
        ("governs", here and governor is not None and governor.word in above, role, behind),
        ("inside", mention.word in above),
        ("same governor", here and mention.path[1:2] == target.path[1:2]),
        ("clause", find_clause(target).relation, role, here),
    )
