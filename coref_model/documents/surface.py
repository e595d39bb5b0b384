"""Features of the words of spans, to be learnt from little data.

After Durrett and Klein (2013, section 3): the words in and around a span, whether two spans are
the same string or end in the same word, the number of sentences between them, and conjunctions of
these with the kinds of both spans. Words enter as checksums and no language needs a list of
pronouns: the difference of `he` and `himself` from `it` is learnt. Names are compared without their
titles, and suggest a gender (`agreement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from corefmill.coref_model.documents.agreement import SpanName, find_name
from corefmill.corpora.records import Document

Ints = NDArray[np.int64]

ROWS = 1 << 16
"""Rows of a table of weights; a feature has the row of its checksum."""

_OWN = 16
"""Number of the first template of mentions that is combined with a convention."""

_RATE = 10.0
"""Factor on the learning rate of feature weights: each is updated in few steps only."""

_BASE = 0x9E3779B97F4A7C15  # any odd number of 64 bits
_INVERSE = pow(_BASE, -1, 1 << 64)
_FACTOR = 0x5851F42D4C957F2D

PLAIN, CAPITAL, OPENS, OTHER = range(4)
"""Shapes of words: small, capital, capital at a sentence's start, without letters."""
SHAPES = 4

REPEATS = (2, 3, 5, 9)
"""Counts of a span's string in its document at which the next class begins."""

SENTENCES = (1, 2, 3, 4, 6, 9, 16)
"""Sentences between two spans at which the next class begins."""

NO_NAME, SAME_FULL, SAME_WORD, LAST, FIRST, BOTH_ENDS, FAMILY, APART = range(8)
"""Relations of the names of two spans: one span has no name; equal names of several words; equal
single words; one is the last word of the other, or the first; names of several words with the same
first and last word; with the same last word ("John Smith", "Jane Smith"); any other."""
RELATIONS = 8


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """A document's t words, and strings of its c candidates."""

    forms: Ints  # [t] checksums without case
    shapes: Ints  # [t]
    sentences: Ints  # [t] number of the sentence
    strings: Ints  # [c] checksums of the words in their order
    repeats: Ints  # [c] class of the number of candidates with the string
    texts: tuple[str, ...]  # [t] the words themselves
    lang: str


@dataclass(frozen=True, slots=True)
class Strings:
    """The words of the m ranked spans, in order."""

    whole: Tensor  # [m]
    first: Tensor  # [m]
    last: Tensor  # [m]
    kind: Tensor  # [m] what it is: its word, or the first of several
    shape: Tensor  # [m] what it looks like
    sentences: Tensor  # [m]
    starts: Tensor  # [m] words
    ends: Tensor  # [m] exclusive
    names: Tensor  # [m, 5] checksums of a name, its first and last word; its words; its gender

    @classmethod
    def select(
        cls, words: DocumentWords, starts: Ints, ends: Ints, kept: Ints, device: torch.device
    ) -> Strings:
        """Describe the words of the spans `kept` among all candidates [starts, ends)."""
        starts, ends = starts[kept], ends[kept]
        first, last = words.forms[starts], words.forms[ends - 1]
        several = np.minimum(ends - starts - 1, 2)
        shapes = words.shapes[starts] * 4 + words.shapes[ends - 1]
        arrays = (
            words.strings[kept],
            first,
            last,
            first * 2 + (several > 0),
            shapes * 3 + several,
            words.sentences[starts],
            starts,
            ends,
            _checksum_names(words, starts, ends),
        )
        return cls(*(torch.from_numpy(array).to(device) for array in arrays))


def checksum_words(document: Document, starts: Ints, ends: Ints) -> DocumentWords:
    """Checksum the words of a document and of its candidates."""
    forms = [token.form for sentence in document.sentences for token in sentence.tokens]
    sizes = [len(sentence.tokens) for sentence in document.sentences]
    sentences = np.repeat(np.arange(len(sizes)), sizes)
    sums = np.array([_checksum(form) for form in forms], dtype=np.int64)
    strings = _checksum_spans(sums, starts, ends)
    _, which, counts = np.unique(strings, return_inverse=True, return_counts=True)
    repeats = np.searchsorted(REPEATS, counts, side="right")[which]
    shapes = [
        (CAPITAL if place else OPENS)
        if token.form[:1].isupper()
        else (PLAIN if any(map(str.isalpha, token.form)) else OTHER)
        for sentence in document.sentences
        for place, token in enumerate(sentence.tokens)
    ]
    return DocumentWords(
        sums, np.array(shapes, np.int64), sentences, strings, repeats, tuple(forms), document.lang
    )


def find_names(words: DocumentWords, starts: Ints, ends: Ints) -> list[SpanName]:
    """Find the name of each span, `NONE` for spans without one."""
    return [
        find_name(words.texts[start:end], words.lang)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def _checksum_names(words: DocumentWords, starts: Ints, ends: Ints) -> Ints:  # [m, 5]
    """Checksum the names of spans: whole, first and last word, word count, gender."""
    rows = [
        (
            _checksum(" ".join(name.words)),
            _checksum(name.words[0]),
            _checksum(name.words[-1]),
            len(name.words),
            name.gender,
        )
        if name.words
        else (0, 0, 0, 0, name.gender)
        for name in find_names(words, starts, ends)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 5)


class MentionSurface(nn.Module):
    """Score a span as a mention by the words in and beside it.

    Each feature counts by itself and, if the model has `conventions` of annotation, also in
    conjunction with the document's convention.
    """

    def __init__(self, conventions: int = 0) -> None:
        super().__init__()
        self.conventions = conventions
        self.table = WeightTable()
        self.repeats = nn.Embedding(2 * (len(REPEATS) + 1), 1)
        nn.init.zeros_(self.repeats.weight)

    def forward(
        self,
        words: DocumentWords,
        starts: Ints,
        ends: Ints,
        convention: int,
        device: torch.device,
    ) -> Tensor:  # [c]
        """Score the candidates [starts, ends)."""

        def weigh(number: int, *arrays: Ints) -> Tensor:  # [n, p]
            """Weigh n features of p words, from template `number` on."""
            templates = [(torch.as_tensor(array, device=device),) for array in arrays]
            weights: Tensor = self.table(templates, number)
            if self.conventions > 1:
                own = [(array, torch.full_like(array, convention)) for (array,) in templates]
                weights = weights + self.table(own, _OWN + number)
            return weights

        forms = words.forms
        around = np.concatenate([[0], forms, [0]])
        first, last, before, after = weigh(0, forms, forms, around[:-2], around[2:])  # [t] each
        found = weigh(4, words.strings, *self._describe_looks(words, starts, ends)).sum(0)
        begins, finishes = (torch.as_tensor(one, device=device) for one in (starts, ends - 1))
        found = found + (first + before)[begins] + (last + after)[finishes]
        repeats = torch.as_tensor(words.repeats * 2 + (ends - starts == 1), device=device)
        scores: Tensor = found + self.repeats(repeats).squeeze(-1)
        return scores

    @staticmethod
    def _describe_looks(
        words: DocumentWords, starts: Ints, ends: Ints
    ) -> tuple[Ints, Ints]:  # [c], [c]
        """Describe the look of spans, alone and with the words beside them: capitals, lengths."""
        shapes = np.concatenate([[OTHER], words.shapes, [OTHER]])
        capitals = np.cumsum([0, *np.isin(words.shapes, (CAPITAL, OPENS))])
        several = np.minimum(ends - starts, 5)
        all_capital = capitals[ends] - capitals[starts] == ends - starts
        looks = (shapes[starts + 1] * 4 + shapes[ends]) * 12 + several * 2 + all_capital
        return looks, (looks * 4 + shapes[starts]) * 4 + shapes[ends + 1]


class PairSurface(nn.Module):
    """Score two spans as coreferent by their words; `hidden` h is the ranker's."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.coarse = nn.Embedding(6, 1)
        self.kinds = WeightTable()
        self.match = nn.Embedding(64, hidden)
        self.sentence = nn.Embedding(len(SENTENCES) + 1, hidden)
        self.names = nn.Embedding(RELATIONS * 9, hidden)
        self.table = WeightTable()
        nn.init.zeros_(self.coarse.weight)

    def score_coarsely(self, spans: Strings, rows: Tensor, columns: Tensor) -> Tensor:  # [b, a]
        """Score pairs of spans by words for the coarse ranking: `rows` [b] by `columns` [a]."""
        same = (spans.last[rows, None] == spans.last[columns]).long()
        same += spans.whole[rows, None] == spans.whole[columns]
        single = (spans.ends - spans.starts == 1).long()
        scores: Tensor = self.coarse(same + 3 * single[rows, None]).squeeze(-1)
        # The kinds of the spans count here, too: else `he` has no room for a far earlier `he`.
        # Each two kinds are weighed once, since there are few of them.
        for number, kind in enumerate((spans.kind, spans.shape)):
            own, of_row = kind[rows].unique(return_inverse=True)
            others, of_column = kind[columns].unique(return_inverse=True)
            parts = own[:, None].expand(-1, len(others)), others.expand(len(own), -1)
            weights = self.kinds([parts], number)[0]
            scores = scores + weights.index_select(0, of_row).index_select(1, of_column)
        return scores

    def forward(
        self, spans: Strings, first: Tensor, second: Tensor, near: Tensor
    ) -> tuple[Tensor, Tensor]:  # [p, h], [p]
        """Compute features and scores of the pairs; `near` [p] is the class of their distance.

        `second` are the numbers of the spans that may be antecedents.
        """
        single = (spans.ends - spans.starts == 1).long()
        bits = (
            spans.whole[first] == spans.whole[second],
            spans.last[first] == spans.last[second],
            spans.first[first] == spans.first[second],
            spans.starts[first] < spans.ends[second],  # one lies in the other
            single[first] > 0,
            single[second] > 0,
        )
        powers = 2 ** torch.arange(len(bits), device=first.device)
        match = torch.stack(bits).long().mul(powers[:, None]).sum(0)  # [p]
        gap = spans.sentences[first] - spans.sentences[second]
        borders = torch.tensor(SENTENCES, device=gap.device)
        gap = torch.bucketize(gap, borders, right=True)  # [p]
        own, other = spans.kind[first], spans.kind[second]
        looks, others = spans.shape[first], spans.shape[second]
        gender, genders = spans.names[first, 4], spans.names[second, 4]
        names = (relate_names(spans.names[first], spans.names[second]) * 3 + gender) * 3 + genders
        templates = (
            (own, other),
            (own, other, gap),
            (own, others),
            (looks, other),
            (looks, others, match),
            (own, match),
            (own, gap),
            (own, near),
            (own, genders),
            (gender, other),
            (names, gap),
        )
        features = self.match(match) + self.sentence(gap) + self.names(names)
        return features, self.table(templates).sum(0)


def relate_names(one: Tensor, other: Tensor) -> Tensor:
    """Classify the relation of names in pairs of spans, [p, 5] as in `Strings`."""
    whole, first, last, words = (a == b for a, b in zip(one.T[:4], other.T[:4], strict=True))
    full, others = one[:, 3] > 1, other[:, 3] > 1
    found = torch.full_like(one[:, 0], APART)
    for case, number in (
        (full & others & last, FAMILY),
        (full & others & last & first, BOTH_ENDS),
        ((full != others) & first, FIRST),
        ((full != others) & last, LAST),
        (whole & words, SAME_WORD),
        (whole & words & full, SAME_FULL),
        ((one[:, 3] == 0) | (other[:, 3] == 0), NO_NAME),
    ):
        found = found.masked_fill(case, number)
    return found


class WeightTable(nn.Module):
    """A weight for each feature, in the row of its checksum; 0 at first."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = nn.Embedding(ROWS, 1)
        nn.init.zeros_(self.weights.weight)

    def forward(self, templates: Sequence[Sequence[Tensor]], first: int = 0) -> Tensor:  # [n, p]
        """Weigh n times p features: each template has the conjunctions of its parts [p].

        `first` is the number of the first template: rows depend on the number of a template.
        """
        rows = []
        for number, parts in enumerate(templates, first + 1):
            mixed = torch.full_like(parts[0], number) * _FACTOR  # far from the next one's
            for part in parts:
                mixed = (mixed ^ part) * _FACTOR
                mixed = mixed ^ (mixed >> 29)
            rows.append(mixed & (ROWS - 1))
        weights: Tensor = self.weights(torch.stack(rows)).squeeze(-1)
        return weights * _RATE

    def sum_weights(self, rows: Tensor, starts: Tensor) -> Tensor:  # [p]
        """Sum the weights of p groups of features: rows of the table, cut at `starts` [p]."""
        weights = functional.embedding_bag(rows, self.weights.weight, starts, mode="sum")
        return weights.squeeze(-1) * _RATE


def _checksum_spans(forms: Ints, starts: Ints, ends: Ints) -> Ints:
    """Checksum spans [c], each by the polynomial of its words' in `_BASE`, modulo 2**64."""
    powers, inverses = (
        np.cumprod(np.full(len(forms) + 1, base, np.uint64)) for base in (_BASE, _INVERSE)
    )
    terms = forms.view(np.uint64) * powers[:-1]
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms)])
    found: Ints = ((sums[ends] - sums[starts]) * inverses[starts]).view(np.int64)
    return found


def _checksum(form: str) -> int:
    """Checksum a word, case aside."""
    return crc32(form.casefold().encode("utf-8", "surrogatepass"))
