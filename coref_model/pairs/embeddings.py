"""Encode mentions of events, and cache the vectors of a frozen encoder.

The encoder reads a mention's passage or, as in the published model, only its surroundings.
"""

from __future__ import annotations

import hashlib
import logging
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from corefmill.coref_model.encoder import Encoder, batch_by_size, pack
from corefmill.coref_model.encoder import tensors as tensor_files
from corefmill.coref_model.encoder.encoder import compute_fingerprint, cut_segments
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.terminal import progress_bar
from corefmill.corpora.records import EventMention, Span

Context = Literal["passage", "mention"]

SIDE = 250
"""Most pieces on either side of a mention as published; longer sides are cut to one less."""


@dataclass(frozen=True, slots=True)
class Window:
    """One sequence for the encoder, and the mentions whose vectors are taken from it.

    `mentions` are (index in the list of mentions, positions of its pieces in `ids`); `ids` holds
    the specials.
    """

    ids: tuple[int, ...]
    mentions: tuple[tuple[int, tuple[int, ...]], ...]


def cut_windows(
    encoder: Encoder,
    mentions: Sequence[EventMention],
    indices: Iterable[int],
    context: Context = "passage",
    length: int = 0,
) -> list[Window]:
    """Cut the texts of the mentions at `indices` into sequences for the encoder.

    With `passage`, mentions of one text share a sequence. A text of more than `length` pieces (0:
    the encoder's window) is cut by `cut_segments`, with half of each segment shared with the next.
    A mention is read in the segment where it is nearest to the middle, so that its vectors depend
    on the text alone. `mention` is the published encoding (WEC, section 4.1), one sequence for each
    mention: the text before, the mention and the text after are cut into pieces separately, and the
    last 249 and first 249 pieces of sides with more than 250 are kept.

    Raises `DataError` for a mention without pieces, or longer than a window; `UsageError` for a
    length beyond the encoder's window.
    """
    length = encoder.choose_length("window", length)
    if context == "mention":
        return [_cut_surroundings(encoder, mentions[index], index) for index in indices]
    texts: dict[str, list[int]] = {}
    for index in indices:
        texts.setdefault(mentions[index].text, []).append(index)
    return [
        window
        for text, inside in texts.items()
        for window in _cut_passage(encoder, mentions, text, inside, length)
    ]


def _cut_surroundings(encoder: Encoder, mention: EventMention, index: int) -> Window:
    """Cut one mention's sequence as published: text before, mention, and text after."""
    text, pieces = mention.text, encoder.pieces
    before, _ = pieces.cut_text(text[: mention.start].strip())
    own, _ = pieces.cut_text(text[mention.start : mention.end].strip())
    after, _ = pieces.cut_text(text[mention.end :].strip())
    before = before[1 - SIDE :] if len(before) > SIDE else before
    after = after[: SIDE - 1] if len(after) > SIDE else after
    if not own:
        raise _make_no_piece_error(mention, encoder)
    ids = tuple(pieces.wrap([*before, *own, *after]))
    if len(ids) > encoder.window:
        raise DataError(
            f"mention {mention.id} and its surroundings are {len(ids)} pieces, and "
            f"{encoder.name} reads {encoder.window}",
            remedy="--set context=passage cuts the text to fit",
        )
    start = pieces.specials[0] + len(before)
    return Window(ids, ((index, tuple(range(start, start + len(own)))),))


def _cut_passage(
    encoder: Encoder, mentions: Sequence[EventMention], text: str, indices: list[int], length: int
) -> Iterator[Window]:
    """Cut a text into windows, and place each of its mentions in one of them."""
    ids, spans = encoder.pieces.cut_text(text)
    before = encoder.pieces.specials[0]
    segments = cut_segments(len(ids), length, length // 2)
    parts = [last for _, _, _, last in segments]
    inside: dict[Span, list[tuple[int, tuple[int, ...]]]] = {}
    for index in indices:
        mention = mentions[index]
        # The pieces inside the mention, or inside its parts if any.
        wanted = mention.parts or ((mention.start, mention.end),)
        members = [
            at
            for at, (start, end) in enumerate(spans)
            if start < end and any(start < stop and end > begin for begin, stop in wanted)
        ]
        if not members:
            raise _make_no_piece_error(mention, encoder)
        size = members[-1] + 1 - members[0]
        if size > length:
            raise DataError(
                f"mention {mention.id} has {size} pieces, more than the window of {length}"
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


def _make_no_piece_error(mention: EventMention, encoder: Encoder) -> DataError:
    """Make the error for a mention without any piece by the encoder's tokenizer."""
    text = mention.text[mention.start : mention.end]
    return DataError(
        f"mention {mention.id}, {text[:40]!r}, has no piece in the encoder {encoder.name}"
    )


_SHARD = 2048
"""Mentions that are cached together; a killed run loses at most so many."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EmbeddedMentions:
    """The pieces of m mentions, one mention after the other."""

    pieces: Tensor  # [n, w]
    starts: Tensor  # [m + 1] int64, where each mention begins; starts[m] == n

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: Tensor) -> EmbeddedMentions:
        """Take the mentions at `indices` [q], in that order."""
        begins, ends = self.starts[:-1][indices], self.starts[1:][indices]
        lengths = ends - begins  # [q]
        starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])  # [q + 1]
        owner = torch.repeat_interleave(lengths)  # [k]
        inside = torch.arange(len(owner), device=owner.device) - starts[owner]  # [k]
        return EmbeddedMentions(self.pieces[begins[owner] + inside], starts)

    def to(self, device: torch.device) -> EmbeddedMentions:
        """Move all tensors to `device`."""
        return EmbeddedMentions(self.pieces.to(device), self.starts.to(device))


def join_vectors(vectors: Sequence[Tensor]) -> EmbeddedMentions:
    """Join the vectors [k, w] of each of one or more mentions."""
    pieces = torch.cat(list(vectors))  # [n, w]
    starts = torch.tensor([0, *map(len, vectors)], device=pieces.device).cumsum(0)
    return EmbeddedMentions(pieces, starts)


def encode_windows(encoder: Encoder, batch: Sequence[Window]) -> dict[int, Tensor]:
    """Encode windows in one pass: the vectors [k, w] of each index, with their gradient."""
    vectors = encoder(pack([window.ids for window in batch]))  # [n, w]
    found: dict[int, Tensor] = {}
    start = 0
    for window in batch:
        for index, positions in window.mentions:
            found[index] = vectors[torch.tensor(positions, device=vectors.device) + start]
        start += len(window.ids)
    return found


@torch.no_grad()
def embed_mentions(
    encoder: Encoder,
    mentions: Sequence[EventMention],
    context: Context,
    length: int,
    *,
    batch_pieces: int,
    cache: Path | None = None,
) -> EmbeddedMentions:
    """Encode all mentions, with the vectors on the CPU.

    In the folder `cache`, every `_SHARD` mentions have a file, named by the encoder, the mentions
    and their window. A damaged file is replaced, with a warning.
    """
    vectors: list[Tensor] = []
    with progress_bar(total=len(mentions), desc="Encoding mentions", hidden=False) as bar:
        for first in range(0, len(mentions), _SHARD):
            part = mentions[first : first + _SHARD]
            key = repr((context, length, [(m.text, m.start, m.end, m.parts) for m in part]))
            name = f"{hashlib.sha256(key.encode()).hexdigest()}.safetensors"
            path = cache and cache / encoder.fingerprint[:32] / name
            if path and (cached := _read_vectors(path)):
                vectors += cached
                bar.update(len(part))
                continue
            found: dict[int, Tensor] = {}
            windows = cut_windows(encoder, part, range(len(part)), context, length)
            # Longest first, so that a lack of memory shows at once.
            windows.sort(key=lambda one: -len(one.ids))
            for batch in batch_by_size(windows, lambda one: len(one.ids), batch_pieces):
                own = encode_windows(encoder, batch)
                found |= {index: rows.float().cpu() for index, rows in own.items()}
                bar.update(len(own))
            shard = [found[index] for index in range(len(part))]
            if path:
                lengths = torch.tensor([len(rows) for rows in shard])
                tensors = {"pieces": torch.cat(shard), "lengths": lengths}
                path.parent.mkdir(parents=True, exist_ok=True)
                tensor_files.save(tensors, path, {"sha256": compute_fingerprint({}, "", tensors)})
            vectors += shard
    return join_vectors(vectors)


def _read_vectors(path: Path) -> Sequence[Tensor]:
    """Read the vectors [k, w] of mentions from a file of the cache; none if missing or damaged."""
    if not path.exists():
        return ()
    with suppress(DataError):
        tensors, notes = tensor_files.read(path)
        if notes.get("sha256") == compute_fingerprint({}, "", tensors):
            found: Sequence[Tensor] = tensors["pieces"].split(tensors["lengths"].tolist())
            return found
    _log.warning("%s: damaged; its mentions are encoded anew", path)
    return ()
