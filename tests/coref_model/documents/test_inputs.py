"""Documents as input: candidate spans, clusters, parts."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.coref_model.documents import inputs
from corefmill.coref_model.documents.inputs import choose_spans, list_candidates, list_spans
from corefmill.coref_model.encoder import load
from corefmill.corpora.records import Document, Mention
from tests.coref_model.documents import made
from tests.coref_model.documents.made import document, sample

lengths = st.lists(st.integers(0, 6), max_size=5)


@settings(max_examples=40)
@given(lengths, st.integers(1, 8))
def test_every_span_of_a_sentence_up_to_the_width(sizes: list[int], most: int) -> None:
    home = [number for number, size in enumerate(sizes) for _ in range(size)]
    assert list(zip(*list_candidates(sizes, most), strict=True)) == [
        (start, end)
        for start in range(len(home))
        for end in range(start + 1, min(start + most, len(home)) + 1)
        if home[start] == home[end - 1]
    ]


def _cross(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


@settings(max_examples=40)
@given(lengths, st.integers(1, 5), st.integers(0, 12), st.randoms(use_true_random=False))
def test_the_best_that_do_not_cross(
    sizes: list[int], most: int, limit: int, random: Random
) -> None:
    starts, ends = list_candidates(sizes, most)
    scores = np.array([random.randint(0, 5) for _ in starts], dtype=float)
    spans = [(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
    expected: list[int] = []
    for index in sorted(range(len(spans)), key=lambda i: (-scores[i], i)):
        if len(expected) < limit and not any(_cross(spans[index], spans[k]) for k in expected):
            expected.append(index)
    assert choose_spans(starts, ends, scores, limit).tolist() == sorted(expected)


PIECES = load("tiny").pieces


def make(one: Document) -> inputs.DocumentInput:
    return inputs.make_input(one, PIECES, made.settings(max_width=3))


def test_words_have_their_pieces_and_sentences_their_speakers() -> None:
    own = make(document("Ada: it was Zyx", "we know", "Bo: I do", "Ada: so"))
    texts = [
        "".join(
            PIECES.tokenizer.convert_ids_to_tokens(i).removeprefix("##") for i in own.ids[a : b + 1]
        )
        for a, b in zip(own.first, own.last, strict=True)
    ]
    assert texts == ["it", "was", "zyx", "we", "know", "i", "do", "so"]
    assert own.speakers.tolist() == [0, 0, 0, -1, -1, 1, 1, 0]
    assert own.genre == "nw"
    assert (own.last >= own.first).all() and own.last[-1] == len(own.ids) - 1


def test_a_gold_mention_is_a_candidate_of_its_cluster() -> None:
    own = make(document("he saw her", "she ran", clusters=[[(0, 2, 3), (1, 0, 1)], [(0, 0, 1)]]))
    gold = zip(own.starts.tolist(), own.ends.tolist(), own.gold.tolist(), strict=True)
    assert [row for row in gold if row[2] >= 0] == [(0, 1, 1), (2, 3, 0), (3, 4, 0)]


@pytest.mark.parametrize(
    ("mention", "what"),
    [
        (Mention(0, 1, 1, zero=True), "are zero mentions"),
        (Mention(0, 0, 3, parts=((0, 1), (2, 3))), "are discontinuous"),
        (Mention(0, 0, 4), "have more than 3 words"),
        (Mention(0, 4, 5), "stand for a second time"),
    ],
)
def test_what_is_left_out_is_counted(mention: Mention, what: str) -> None:
    left_out: Counter[str] = Counter()
    one = document("a b c d e", clusters=[[(0, 4, 5), (0, 0, 1)], [mention, (0, 3, 4)]])
    assert list_spans(one, 3, left_out) == [[(4, 5), (0, 1)], [(3, 4)]]
    assert left_out == {what: 1}


def test_parts_lose_no_word_and_no_mention() -> None:
    one = sample()[0]
    parts = inputs.cut_parts(one, PIECES, 40)
    assert len(parts) > 2
    assert [s for part in parts for s in part.sentences] == list(one.sentences)
    for part in parts:
        ids, _ = PIECES.cut_words([t.form for s in part.sentences for t in s.tokens])
        assert len(ids) <= 40 or len(part.sentences) == 1

    def words(d: Document) -> list[tuple[str, ...]]:
        return sorted(
            tuple(t.form for t in d.sentences[m.sentence].tokens[m.start : m.end])
            for cluster in d.clusters
            for m in cluster
        )

    assert sorted(w for part in parts for w in words(part)) == words(one)
    assert inputs.cut_parts(one, PIECES, 10_000) == [one]


def test_a_candidate_has_the_weight_of_its_sentence() -> None:
    one = document("he saw her", "she", "she ran")
    found = inputs.make_input(one, PIECES, made.settings(max_width=2), (1.0, 0.5, 0.25))
    assert found.weights is not None
    assert found.weights.tolist() == [1.0] * 5 + [0.5] + [0.25] * 3
    assert make(one).weights is None
