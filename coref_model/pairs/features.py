"""Compute features of a pair of mentions: equal lemma, string or document, cosines of words around.

The pair scorer's first layer takes them besides the vectors of the mentions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array  # type: ignore[import-untyped]
from torch import Tensor
from torch.nn import functional

from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.pairs.embeddings import EmbeddedMentions
from corefmill.corpora.records import EventMention

Feature = Literal[
    "lemma", "string", "document", "rarity", "beside", "around", "text", "embedding", "vector"
]
"""The features: 1 if two mentions have the same head lemma, the same wording, the same document, 0
if not; the rarity of the less rare head lemma, from 0 to 1; and cosines of the words beside them,
the words around them, and of their texts (words are weighed by rarity), of the input embeddings of
their pieces, and of the means of their pieces' vectors."""

BESIDE, AROUND = 4, 12
"""Number of words on either side that count as beside a mention, and as around it."""
BUCKETS = 1 << 16
"""Words are distinguished by a hash of so many values."""

COUNTED: frozenset[Feature] = frozenset(("rarity", "beside", "around", "text"))
"""The features for which the rarity of words is needed."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Features:
    """The features of every pair of m mentions, from values of each mention.

    `alike` [m, a] are numbers to compare for equality (-1 equals nothing); of `least` [m, b] a pair
    takes the lower number; `counted` are sparse matrices [m, BUCKETS] and `dense` matrices [m, w],
    with rows of length 1 or 0, for cosines. The columns of a pair have this order.
    """

    alike: Tensor
    least: Tensor
    counted: tuple[csr_array, ...]
    dense: tuple[Tensor, ...]

    def compare_pairs(self, first: Tensor, second: Tensor) -> Tensor:
        """Compute the features, [p, f], of the pairs of mentions first, second [p]."""
        one, other = self.alike[first], self.alike[second]
        columns = list(((one == other) & (one >= 0)).float().unbind(-1))
        columns += torch.minimum(self.least[first], self.least[second]).unbind(-1)
        i, j = first.cpu().numpy(), second.cpu().numpy()
        for rows in self.counted:
            product = rows[i].multiply(rows[j]).sum(axis=1)
            columns.append(torch.from_numpy(product).to(first.device))
        columns += [(rows[first] * rows[second]).sum(-1) for rows in self.dense]
        if not columns:  # `vector` alone is a feature
            return torch.empty(len(first), 0, device=first.device)
        return torch.stack(columns, dim=-1)


def compute_features(
    names: Sequence[Feature],
    mentions: Sequence[EventMention],
    encoder: Encoder,
    rarity: Tensor | None,
) -> Features:
    """Compute the features `names` of pairs, except `vector`, which the model adds.

    `rarity` [BUCKETS], from `count_rarities`, weighs words; None without features of `COUNTED`.
    """
    alike = [_number_values(map(read, mentions)) for name, read in ALIKE.items() if name in names]
    none = torch.empty(len(mentions), 0)
    least, counted = none, []
    if rarity is not None:
        weights = rarity.cpu().numpy()
        if "rarity" in names:
            # Of the lemma, or of the wording if it has none; the mean of several words.
            known = [
                _hash_words(one.lemma or "") or _hash_words(read_wording(one)) for one in mentions
            ]
            rare = [weights[words].mean() / weights.max() if words else 0.0 for words in known]
            least = torch.tensor([[float(value)] for value in rare])
        counted = [
            _weigh_words(map(read, mentions), weights)
            for name, read in _COUNTED.items()
            if name in names
        ]
    return Features(
        (torch.stack(alike, dim=1) if alike else none.long()).to(encoder.device),
        least.to(encoder.device),
        tuple(counted),
        (_embed_wordings(mentions, encoder),) if "embedding" in names else (),
    )


def count_rarities(mentions: Sequence[EventMention]) -> Tensor:
    """Compute the rarity of words, [BUCKETS]: log of (texts + 1) / (texts with the word + 1)."""
    texts = dict.fromkeys(one.text for one in mentions)
    having = np.ones(BUCKETS, dtype=np.float32)
    for text in texts:
        having[list(dict.fromkeys(_hash_words(text)))] += 1
    return torch.from_numpy(np.log((1 + len(texts)) / having))


def read_wording(mention: EventMention) -> str:
    """Read a mention's words or parts, case and kind of white space aside."""
    parts = mention.parts or ((mention.start, mention.end),)
    read = " ".join(mention.text[start:end] for start, end in parts)
    return " ".join(read.casefold().split())


def average_pieces(mentions: EmbeddedMentions) -> Tensor:
    """Average each mention's pieces, [m, w], to length 1."""
    index = torch.arange(len(mentions.pieces), device=mentions.pieces.device)
    sums = functional.embedding_bag(index, mentions.pieces, mentions.starts[:-1], mode="sum")
    return functional.normalize(sums, dim=-1)


def _name_document(mention: EventMention) -> str:
    source = mention.source
    return f"{source.page_id} {source.title}" if source.title or source.page_id else mention.text


ALIKE: dict[Feature, Callable[[EventMention], str | None]] = {
    "lemma": lambda mention: None if mention.lemma is None else mention.lemma.casefold(),
    "string": read_wording,
    "document": _name_document,
}


def _number_values(values: Iterable[str | None]) -> Tensor:
    """Number the values, [m], as they first appear, -1 for None."""
    seen: dict[str, int] = {}
    return torch.tensor([-1 if one is None else seen.setdefault(one, len(seen)) for one in values])


def _hash_words(text: str) -> list[int]:
    """Hash the words of a text to `BUCKETS` numbers."""
    found = _WORD.findall(text.casefold())
    return [crc32(word.encode("utf-8", "surrogatepass")) % BUCKETS for word in found]


def _hash_near_words(mention: EventMention, number: int) -> list[int]:
    before, after = mention.text[: mention.start], mention.text[mention.end :]
    return _hash_words(before)[-number:] + _hash_words(after)[:number]


_COUNTED: dict[Feature, Callable[[EventMention], list[int]]] = {
    "beside": lambda mention: _hash_near_words(mention, BESIDE),
    "around": lambda mention: _hash_near_words(mention, AROUND),
    "text": lambda mention: _hash_words(mention.text),
}


def _weigh_words(texts: Iterable[list[int]], weights: NDArray[np.float32]) -> csr_array:
    """Count each text's words times their weights, [m, BUCKETS], rows of length 1 or 0."""
    found = list(texts)
    words = np.array([word for own in found for word in own], dtype=np.int64)
    rows = np.repeat(np.arange(len(found)), list(map(len, found)))
    matrix = csr_array((weights[words], (rows, words)), shape=(len(found), BUCKETS))
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    matrix.data /= np.repeat(np.maximum(lengths, 1e-9), np.diff(matrix.indptr))
    return matrix


def _embed_wordings(mentions: Sequence[EventMention], encoder: Encoder) -> Tensor:
    """Average the input embeddings of each mention's pieces, [m, w], rows of length 1."""
    table = encoder.word_embeddings.detach()
    known: dict[str, Tensor] = {}
    rows = []
    for mention in mentions:
        read = read_wording(mention)
        if read not in known:
            ids, _ = encoder.pieces.cut_text(read)
            known[read] = table[torch.tensor(ids, dtype=torch.int64, device=table.device)].sum(0)
        rows.append(known[read])
    return functional.normalize(torch.stack(rows).float(), dim=-1)
