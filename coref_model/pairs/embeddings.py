"""Encode mentions of events, and cache the vectors of a frozen encoder.

The encoder reads a mention's passage or, as in the published model, only its surroundings.
"""

from __future__ import annotations

import hashlib
import logging
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from safetensors.torch import load, save
from torch import Tensor

from corefmill.coref_model.encoder import Encoder, batch_by_size, pack
from corefmill.coref_model.encoder.encoder import cut_segments
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.terminal import progress_bar
from corefmill.corpora.files.writing import write_whole
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


_log = logging.getLogger(__name__)


def hash_mention(mention: EventMention, context: Context, length: int) -> bytes:
    """Hash a mention's text, span, parts and window, as the key of its cached vectors."""
    parts = mention.parts if context == "passage" else ()
    where = f"1 {context} {length} {mention.start} {mention.end} {list(parts)} "
    return hashlib.sha256((where + mention.text).encode("utf-8", "surrogatepass")).digest()


class VectorCache:
    """The vectors of one encoder, in a folder named by its fingerprint below `folder`.

    A shard is a safetensors file of mentions, written whole or not at all and named by the SHA-256
    of its bytes. A shard with another name (cut short, changed) is removed with a warning, and its
    mentions are encoded anew. Processes may share a folder.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self._folder = folder / fingerprint[:32]
        self._fingerprint = fingerprint

    def find(self, wanted: Iterable[bytes]) -> dict[bytes, Tensor]:
        """Find the `wanted` keys, with the vectors [k, w] of their k pieces."""
        keys = set(wanted)
        found: dict[bytes, Tensor] = {}
        for path in sorted(self._folder.glob("*.safetensors")):
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != path.stem:
                _log.warning("%s: damaged, removed; its mentions are encoded anew", path)
                path.unlink(missing_ok=True)
                continue
            shard = load(content)
            names = [name.tobytes() for name in shard["keys"].numpy()]  # of [m, 32]
            starts = shard["starts"].tolist()  # [m + 1]
            for at, name in enumerate(names):
                if name in keys and name not in found:
                    found[name] = shard["pieces"][starts[at] : starts[at + 1]].clone()
        return found

    def add(self, vectors: Mapping[bytes, Tensor]) -> None:
        """Write a shard of the vectors [k, w] of mentions; nothing for none."""
        if not vectors:
            return
        names = np.frombuffer(b"".join(vectors), dtype=np.uint8).reshape(-1, 32)
        lengths = torch.tensor([0, *map(len, vectors.values())])
        tensors = {
            "keys": torch.from_numpy(names.copy()),  # [m, 32]
            "starts": lengths.cumsum(0),  # [m + 1]
            "pieces": torch.cat(list(vectors.values())).contiguous(),  # [n, w]
        }
        content = save(tensors, metadata={"encoder": self._fingerprint})
        self._folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(content).hexdigest()
        write_whole(self._folder / f"{name}.safetensors", content)


SHARD = 2048
"""Mentions that are written to the cache at a time, at most lost by a killed run."""


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
    """Encode all mentions, with the vectors on the CPU, and add new vectors to the cache.

    Mentions alike in text and span are encoded once.
    """
    keys = [hash_mention(mention, context, length) for mention in mentions]
    store = None if cache is None else VectorCache(cache, encoder.fingerprint)
    vectors: dict[bytes, Tensor] = {} if store is None else store.find(keys)
    missing = {name: index for index, name in enumerate(keys) if name not in vectors}
    wanted = cut_windows(encoder, mentions, missing.values(), context, length)
    fresh: dict[bytes, Tensor] = {}
    with progress_bar(total=len(missing), desc="Encoding mentions", hidden=False) as bar:
        # Longest first, so that a lack of memory shows at once.
        ordered = sorted(wanted, key=lambda one: -len(one.ids))
        for batch in batch_by_size(ordered, lambda one: len(one.ids), batch_pieces):
            found = encode_windows(encoder, batch)
            fresh |= {keys[index]: rows.float().cpu() for index, rows in found.items()}
            bar.update(len(found))
            if len(fresh) >= SHARD:
                vectors |= fresh
                if store is not None:
                    store.add(fresh)
                fresh = {}
    vectors |= fresh
    if store is not None:
        store.add(fresh)
    return join_vectors([vectors[name] for name in keys])
