"""The pieces (subwords) an encoder reads, over its fast tokenizer, and batches of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from corefmill.corpora.files.errors import UsageError

# Distinct words whose pieces are cached; most of a text is a few thousand words.
_REMEMBERED = 1 << 17

T = TypeVar("T")


class Pieces:
    """Converts text and words to piece ids; `tokenizer` is a fast Hugging Face tokenizer.

    Nothing is ever cut off: a text longer than the encoder's window gives all its pieces.
    """

    def __init__(self, tokenizer: Any) -> None:
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is None:
            raise UsageError(
                "the encoder's tokenizer has no fast form, which gives the offsets of its pieces",
                remedy="save it with a tokenizer.json, or take another encoder",
            )
        # Some published tokenizers cut at 128 pieces.
        backend.no_truncation()
        backend.no_padding()
        self.tokenizer, self._backend = tokenizer, backend
        self.last = max(backend.get_vocab(with_added_tokens=True).values(), default=-1)
        # Byte-level pieces of a word differ with the blank before it, unless each text gets one.
        self._blank = " " if self._ids("a a") != 2 * self._ids("a") else ""
        plain, whole = self._ids("a"), list(backend.encode("a").ids)
        at = next(i for i in range(len(whole)) if whole[i : i + len(plain)] == plain)
        self._before, self._after = whole[:at], whole[at + len(plain) :]

        def cut_word(word: str) -> tuple[int, ...]:
            return tuple(self._ids(self._blank + word)) or (self.unk_id,)

        self._cut_word = lru_cache(maxsize=_REMEMBERED)(cut_word)

    @property
    def mask_id(self) -> int:
        """The id of the mask piece; raises UsageError if the encoder has none."""
        return self._special("mask")

    @property
    def pad_id(self) -> int:
        """The id of the padding piece; without one any will do, since attention leaves it out."""
        return int(self.tokenizer.pad_token_id or 0)

    @property
    def unk_id(self) -> int:
        """The id of the piece for words beyond the vocabulary."""
        return self._special("unk")

    def cut_text(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Cut `text` into pieces: their ids and spans (code points), without specials.

        A span has no blanks at its ends; a piece of blanks only has an empty span.
        """
        encoding = self._backend.encode(text, add_special_tokens=False)
        spans = []
        for start, end in encoding.offsets:
            while start < end and text[start].isspace():
                start += 1
            while start < end and text[end - 1].isspace():
                end -= 1
            spans.append((start, end))
        return list(encoding.ids), spans

    def cut_words(self, words: Sequence[str]) -> tuple[list[int], list[int]]:
        """Cut `words` into pieces; return the ids of the pieces and each piece's index of its word.

        No special tokens are added. A word that normalizes to nothing gets the unknown piece.
        """
        ids: list[int] = []
        owners: list[int] = []
        for index, word in enumerate(words):
            pieces = self._cut_word(word)
            ids.extend(pieces)
            owners.extend([index] * len(pieces))
        return ids, owners

    def wrap(self, ids: Sequence[int]) -> list[int]:
        """Put `ids` between the encoder's own specials."""
        return [*self._before, *ids, *self._after]

    @property
    def specials(self) -> tuple[int, int]:
        """The numbers of special pieces that `wrap` puts before and behind a text's pieces."""
        return len(self._before), len(self._after)

    def to_json(self) -> str:
        """Return the whole tokenizer as one JSON text."""
        return str(self._backend.to_str())

    def save(self, folder: Path) -> None:
        """Write the tokenizer's files, in Hugging Face form, into `folder`."""
        self.tokenizer.save_pretrained(str(folder))

    def _ids(self, text: str) -> list[int]:
        return list(self._backend.encode(text, add_special_tokens=False).ids)

    def _special(self, role: str) -> int:
        """Look up the id of a special piece, such as `mask`; raises UsageError if it is missing."""
        index = getattr(self.tokenizer, f"{role}_token_id")
        if index is None:
            what = f"the encoder's tokenizer has no {role} piece"
            raise UsageError(what, remedy="take another encoder")
        return int(index)


@dataclass(frozen=True, slots=True)
class Packed:
    """Piece ids of b sequences, n in all, the specials included."""

    ids: Tensor  # [n] int64
    starts: Tensor  # [b + 1] int64, where each sequence begins in ids; starts[b] == n; on the CPU

    def to(self, device: torch.device | str) -> Packed:
        """Move the ids to `device`."""
        return Packed(self.ids.to(device, non_blocking=True), self.starts)

    def lengths(self) -> list[int]:
        """Count the pieces of each sequence: b numbers."""
        return self.starts.diff().tolist()


def pack(sequences: Sequence[Sequence[int]]) -> Packed:
    """Make one batch of `sequences` of piece ids; ValueError for an empty one."""
    lengths = [len(sequence) for sequence in sequences]
    if 0 in lengths:
        raise ValueError(f"sequence {lengths.index(0)} of the batch has no pieces")
    ids = torch.tensor(list(chain.from_iterable(sequences)), dtype=torch.int64)
    return Packed(ids, torch.tensor(list(accumulate(lengths, initial=0)), dtype=torch.int64))


def batch_by_size(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Batch items in order, up to `most` pieces by `size`; a larger item is a batch of its own."""
    held: list[T] = []
    total = 0
    for one in items:
        more = size(one)
        if held and total + more > most:
            yield held
            held, total = [], 0
        held.append(one)
        total += more
    if held:
        yield held
