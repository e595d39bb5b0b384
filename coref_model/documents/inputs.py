"""Turn a `Document` into model input: pieces, words, speakers, spans, gold clusters.

Also list the spans that can be mentions, and choose those that are ranked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, dataclasses, field_validator

from corefmill.coref_model.documents import surface
from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.coref_model.training.config import (
    CHECKED,
    WIDEST,
    Natural,
    Positive,
    Rate,
    TaskSettings,
    Width,
)
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import json_documents
from corefmill.corpora.records import Document
from corefmill.corpora.scoring.coreference import compile_pattern, match_names

Ints = NDArray[np.int64]


@dataclasses.dataclass(frozen=True, kw_only=True, config=CHECKED)
class DocumentSettings(TaskSettings):
    """Settings of the task besides the loop, the encoder and the rates."""

    segment: Natural
    overlap: Natural
    max_width: Width
    ratio: Annotated[float, Field(gt=0, le=1)]
    antecedents: Positive
    surface: bool
    genre: str
    conventions: tuple[str, ...]
    batch_words: Natural
    hidden: Width
    pair_width: Annotated[int, Field(ge=0, le=WIDEST)]
    dropout: Annotated[float, Field(ge=0, lt=1)]
    singletons: Literal["auto", "keep", "drop"]
    mention_loss: Rate
    missed: Rate
    cache_mb: Natural

    @field_validator("genre")
    @classmethod
    def _is_pattern(cls, value: str) -> str:
        """Check that the setting `genre` is a regular expression."""
        try:
            compile_pattern(value)
        except ValueError as error:
            raise ValueError(f"this is not a regular expression: {error}") from None
        return value


def list_candidates(lengths: Sequence[int], most: int) -> tuple[Ints, Ints]:
    """List starts and ends [c] of all spans of at most `most` words within a sentence.

    `lengths` are the sentences' numbers of words. Words count over the document, ends are
    exclusive, and spans come in order of their start, then of their end.
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    last = np.repeat(np.cumsum(sizes), sizes)  # [words] where each word's sentence ends
    ends = np.arange(len(last))[:, None] + np.arange(1, most + 1)  # [words, most]
    starts, widths = np.nonzero(ends <= last[:, None])
    return starts, starts + widths + 1


def choose_spans(starts: Ints, ends: Ints, scores: NDArray[np.floating], limit: int) -> Ints:
    """Choose the best `limit` spans without crossing, as indices [m] in the order of the spans.

    Spans are chosen one by one from the best (Lee et al. 2018, section 3.1). A span that overlaps a
    chosen span in part is skipped. Among equal scores the first wins.
    """
    words = int(ends.max(initial=0))
    furthest = [-1] * (words + 1)  # by a span's start, the furthest end
    earliest = [words + 1] * (words + 1)  # by a span's end, the earliest start
    taken: list[int] = []
    for index in map(int, np.argsort(-scores, kind="stable")):
        if len(taken) == limit:
            break
        start, end = int(starts[index]), int(ends[index])
        if any(furthest[t] > end or earliest[t] < start for t in range(start + 1, end)):
            continue
        furthest[start] = max(furthest[start], end)
        earliest[end] = min(earliest[end], start)
        taken.append(index)
    return np.sort(np.array(taken, dtype=np.int64))


Span = tuple[int, int]
"""Words of the document [start, end)."""


@dataclass(frozen=True, slots=True)
class DocumentInput:
    """One document, n pieces in t words with c candidate spans.

    `speakers` numbers the document's speakers, -1 for unknown; `gold` numbers the clusters, -1 for
    a candidate that is not a mention. `convention` numbers the annotation guidelines. `partial`
    says that only some mentions are annotated, those in `gold`. `weights` are the candidates'
    weights in training, None for equal weights.
    """

    ids: list[int]  # [n]
    first: Ints  # [t] the first piece of each word
    last: Ints  # [t] its last
    speakers: Ints  # [t]
    genre: str
    starts: Ints  # [c]
    ends: Ints  # [c]
    gold: Ints  # [c]
    written: surface.DocumentWords
    convention: int = 0
    partial: bool = False
    weights: NDArray[np.float32] | None = None  # [c]

    @property
    def words(self) -> int:
        return len(self.first)


def make_input(
    document: Document,
    pieces: Pieces,
    settings: DocumentSettings,
    weights: Sequence[float] | None = None,
) -> DocumentInput:
    """Convert a document to the model's input: pieces, candidate spans and their gold clusters.

    A gold mention that `list_spans` leaves out is in no cluster. `weights` are the sentences'.
    Raises `DataError` for a convention that the model does not know.
    """
    forms = [token.form for sentence in document.sentences for token in sentence.tokens]
    ids, owners = pieces.cut_words(forms)
    owner = np.asarray(owners, dtype=np.int64)  # [n] the word of each piece
    words = np.arange(len(forms))
    sizes = [len(sentence.tokens) for sentence in document.sentences]
    starts, ends = list_candidates(sizes, settings.max_width)
    gold = np.full(len(starts), -1)
    for number, spans in enumerate(list_spans(document, settings.max_width, Counter())):
        for start, end in spans:
            gold[np.searchsorted(starts, start) + end - start - 1] = number
    numbers: dict[str, int] = {}
    speakers = [
        -1 if sentence.speaker is None else numbers.setdefault(sentence.speaker, len(numbers))
        for sentence in document.sentences
    ]
    # The genre of the meta, else the first group of the pattern in the document's name.
    genre = document.meta.get("genre")
    if not isinstance(genre, str):
        genre = match_names(compile_pattern(settings.genre), [document.doc_id])[0] or ""
    conventions = settings.conventions
    convention = document.meta.get("convention") if conventions else None
    if convention not in (None, *conventions):
        raise DataError(
            f"document {document.doc_id}: the model knows no convention {convention!r}",
            remedy=f"there are {', '.join(conventions)}",
        )
    return DocumentInput(
        ids=ids,
        first=np.searchsorted(owner, words, side="left"),
        last=np.searchsorted(owner, words, side="right") - 1,
        speakers=np.repeat(np.array(speakers, np.int64), sizes),
        genre=genre,
        starts=starts,
        ends=ends,
        gold=gold,
        written=surface.checksum_words(document, starts, ends),
        convention=0 if convention is None else conventions.index(convention),
        partial=document.meta.get("partial") is True,
        weights=None
        if weights is None
        else np.repeat(np.asarray(weights, np.float32), sizes)[starts],
    )


def list_spans(document: Document, max_width: int, left_out: Counter[str]) -> list[list[Span]]:
    """List the document's gold clusters, each as spans of word positions.

    Mentions that no candidate can stand for are left out and counted by reason in `left_out`: zero
    and discontinuous mentions, mentions of more than `max_width` words, and repeated spans.
    """
    before = [0, *accumulate(len(sentence.tokens) for sentence in document.sentences)]
    seen: set[Span] = set()
    clusters: list[list[Span]] = []
    for cluster in document.clusters:
        spans: list[Span] = []
        for mention in cluster:
            offset = before[mention.sentence]
            span = mention.start + offset, mention.end + offset
            if mention.zero:
                left_out["are zero mentions"] += 1
            elif mention.parts:
                left_out["are discontinuous"] += 1
            elif span[1] - span[0] > max_width:
                left_out[f"have more than {max_width} words"] += 1
            elif span in seen:
                left_out["stand for a second time"] += 1
            else:
                seen.add(span)
                spans.append(span)
        if spans:
            clusters.append(spans)
    return clusters


def with_clusters(document: Document, clusters: Sequence[Sequence[Span]]) -> Document:
    """Replace the document's clusters, and drop its meta about the old ones."""
    sizes = [len(sentence.tokens) for sentence in document.sentences]
    own = json_documents.make_clusters(clusters, sizes)
    # Entries of the meta about the old mentions and entities are dropped, too.
    meta = dict(document.meta)
    if isinstance(corefud := meta.get("corefud"), dict):
        gone = {"header", "ids", "attributes", "related"}
        meta["corefud"] = {k: v for k, v in corefud.items() if k not in gone}
    if isinstance(conll := meta.get("conll"), dict):
        meta["conll"] = {k: v for k, v in conll.items() if k not in ("ids", "unsorted")}
    return replace(document, clusters=own, meta=meta)


def cut_parts(document: Document, pieces: Pieces, most: int) -> list[Document]:
    """Cut the document between sentences into parts of at most `most` pieces each.

    A longer sentence is a part of its own. A cluster that is cut becomes several clusters.
    """
    cuts = [0]
    length = 0
    for number, sentence in enumerate(document.sentences):
        size = len(pieces.cut_words([token.form for token in sentence.tokens])[0])
        if length and length + size > most:
            cuts.append(number)
            length = 0
        length += size
    cuts.append(len(document.sentences))
    return [
        replace(
            document,
            sentences=document.sentences[start:end],
            clusters=tuple(
                tuple(replace(one, sentence=one.sentence - start) for one in own)
                for cluster in document.clusters
                if (own := [one for one in cluster if start <= one.sentence < end])
            ),
            text=None,
            offsets=None,
        )
        for start, end in pairwise(cuts)
    ]
