"""The sequences that the encoder reads for mentions: their passages, or each one's surroundings
as the published model has it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.encoder.encoder import cut_segments
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.records import EventMention, Span

Context = Literal["passage", "mention"]

SIDE = 250
"""Pieces on either side of a mention that the published encoding takes; of more, one less."""


@dataclass(frozen=True, slots=True)
class Window:
    """One sequence for the encoder, and the mentions whose vectors are taken from it.

    `mentions` are (index in the list of mentions, positions of its pieces in `ids`); `ids` holds
    the specials.
    """

    ids: tuple[int, ...]
    mentions: tuple[tuple[int, tuple[int, ...]], ...]


def windows(
    encoder: Encoder,
    mentions: Sequence[EventMention],
    indices: Iterable[int],
    context: Context = "passage",
    length: int = 0,
) -> list[Window]:
    """The sequences in which the mentions at `indices` are encoded.

    `passage`: mentions of one text share its pass. A text of more than `length` pieces (0: as
    many as the encoder reads) is cut as `cut_segments` does, half of each shared with the next,
    and a mention is read where it stands in the middle; so its vectors depend on nothing but the
    text. `mention` is the published encoding (WEC, section 4.1): the text before, the mention and
    the text after cut into pieces apart, the last 249 and the first 249 of the sides where they
    have more than 250, for each mention alone.
    Raises `DataError` for a mention of which no piece is left, or that is longer than a window;
    `UsageError` for a length beyond the encoder's.
    """
    longest = encoder.window - sum(encoder.pieces.specials)
    if length > longest:
        raise UsageError(f"a window of {length} pieces", remedy=f"{encoder.name} takes {longest}")
    if context == "mention":
        return [_alone(encoder, mentions[index], index) for index in indices]
    texts: dict[str, list[int]] = {}
    for index in indices:
        texts.setdefault(mentions[index].text, []).append(index)
    return [
        window
        for text, inside in texts.items()
        for window in _shared(encoder, mentions, text, inside, length or longest)
    ]


def _alone(encoder: Encoder, mention: EventMention, index: int) -> Window:
    text, pieces = mention.text, encoder.pieces
    before, _ = pieces.text(text[: mention.start].strip())
    own, _ = pieces.text(text[mention.start : mention.end].strip())
    after, _ = pieces.text(text[mention.end :].strip())
    before = before[1 - SIDE :] if len(before) > SIDE else before
    after = after[: SIDE - 1] if len(after) > SIDE else after
    if not own:
        raise _nothing(mention, encoder)
    ids = tuple(pieces.wrap([*before, *own, *after]))
    if len(ids) > encoder.window:
        raise DataError(
            f"mention {mention.id} and its surroundings are {len(ids)} pieces, and "
            f"{encoder.name} reads {encoder.window}",
            remedy="context=passage encodes it",
        )
    start = pieces.specials[0] + len(before)
    return Window(ids, ((index, tuple(range(start, start + len(own)))),))


def _shared(
    encoder: Encoder, mentions: Sequence[EventMention], text: str, indices: list[int], length: int
) -> Iterator[Window]:
    ids, spans = encoder.pieces.text(text)
    before = encoder.pieces.specials[0]
    segments = cut_segments(len(ids), length, length // 2)
    parts = [last for _, _, _, last in segments]
    inside: dict[Span, list[tuple[int, tuple[int, ...]]]] = {}
    for index in indices:
        mention = mentions[index]
        members = _members(spans, mention)
        if not members:
            raise _nothing(mention, encoder)
        size = members[-1] + 1 - members[0]
        if size > length:
            raise DataError(
                f"mention {mention.id} is {size} pieces long, and {length} are read at once"
            )
        middle = members[0] + size // 2
        start, end, _, _ = segments[bisect_left(parts, middle + 1)]
        if members[0] < start or members[-1] >= end:  # long, and across an edge
            start = min(max(middle - length // 2, 0), len(ids) - length)
            end = start + length
        taken = tuple(before + member - start for member in members)
        inside.setdefault((start, end), []).append((index, taken))
    for (start, end), taken_there in inside.items():
        yield Window(tuple(encoder.pieces.wrap(ids[start:end])), tuple(taken_there))


def _members(spans: list[Span], mention: EventMention) -> list[int]:
    """The pieces that share a character with the mention, or with its parts where it has some."""
    wanted = mention.parts or ((mention.start, mention.end),)
    return [
        at
        for at, (start, end) in enumerate(spans)
        if start < end and any(start < stop and end > begin for begin, stop in wanted)
    ]


def _nothing(mention: EventMention, encoder: Encoder) -> DataError:
    text = mention.text[mention.start : mention.end]
    return DataError(
        f"mention {mention.id}, {text[:40]!r}, has no piece in the encoder {encoder.name}"
    )
