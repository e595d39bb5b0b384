"""Scores are the same whatever stands beside a candidate; and what mean and sum128 are."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from corefmill.coref_model.encoder.pieces import pack
from corefmill.coref_model.masked.answers import CandidateScores
from corefmill.coref_model.masked.task import CandidateInput, collate, make_inputs, score_examples
from corefmill.corpora.records import MaskedExample
from tests.coref_model.masked.passages import PASSAGES, example, scorer

SCORER = scorer()
PIECES = SCORER.encoder.pieces
ITEMS = [item for passage in PASSAGES for item in make_inputs(passage, PIECES, 512)]


def given(
    examples: Sequence[MaskedExample], length: int, batch_pieces: int = 8192
) -> list[CandidateScores]:
    settings: Any = SimpleNamespace(length=length, batch_pieces=batch_pieces)
    return list(score_examples(SCORER, settings, examples))


def alone(item: CandidateInput) -> float:
    """By the book: a softmax over the vocabulary at each mask, one candidate at a time."""
    vectors = SCORER.encoder(pack([item.sequence]))
    rows = vectors[item.first : item.first + len(item.pieces)].double()
    head = SCORER.head.double()
    chances = head.compute_logits(rows, SCORER.encoder.word_embeddings.double()).log_softmax(-1)
    SCORER.head.float()
    return sum(chances[at, piece].item() for at, piece in enumerate(item.pieces)) / len(item.pieces)


@pytest.mark.parametrize("size", [3, len(ITEMS)])
def test_scores_equal_the_softmax_one_by_one_in_any_batch_and_order(size: int) -> None:
    order = random.Random(size).sample(ITEMS, len(ITEMS))
    with torch.no_grad():
        parts = [SCORER(collate(order[at : at + size])) for at in range(0, len(order), size)]
        expected = torch.tensor([alone(item) for item in order])
    assert_close(torch.cat(parts), expected, rtol=0, atol=1e-5)


def test_equal_sequences_with_other_targets_keep_their_own_masks() -> None:
    batch = collate([CandidateInput((2, 4, 4, 3), at, (10,)) for at in (1, 2)])
    assert batch.masks[batch.rows].tolist() == [1, 2]


def test_blocks_of_the_softmax_give_the_same_scores_and_gradients(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for rows in (1024, 2):
        monkeypatch.setattr("corefmill.coref_model.masked.heads._ROWS", rows)
        model = scorer()
        scores = model(collate(ITEMS))
        scores.sum().backward()
        found.append([scores.detach(), *(p.grad for p in model.head.parameters())])
    for one, other in zip(*found, strict=True):
        assert_close(one, other, rtol=0, atol=1e-5)


@pytest.mark.parametrize("batch_pieces", [1, 30, 8192])
def test_answers_keep_the_order_of_examples_and_candidates(batch_pieces: int) -> None:
    turned = [
        example(p.text, p.text[slice(*p.target)], *p.candidates[::-1], nth=nth)
        for p, nth in zip(PASSAGES, (0, 1, 0, 1), strict=True)
    ]
    answers = given(PASSAGES, 512, batch_pieces)
    others = given(turned, 512, batch_pieces)
    for answer, other, passage in zip(answers, others, PASSAGES, strict=True):
        assert answer.values == pytest.approx(other.values[::-1], abs=1e-5)
        assert len(answer.values) == len(passage.candidates)
        assert answer.choice is not None


def test_candidates_that_are_the_same_to_the_encoder_tie() -> None:
    (answer,) = given([example("he met her", "her", "Ann", "ANN")], 512)
    assert answer.choice is None


def test_a_passage_that_is_cut_is_told() -> None:
    long = example("an " * 40 + "her", "her", "an", "as")
    assert [a.cut for a in given([long, PASSAGES[0]], 20)] == [True, False]


def test_sum128_is_the_mean_times_pieces_over_128() -> None:
    batch = collate(ITEMS)
    with torch.no_grad():
        means, sums = SCORER(batch), scorer("sum128")(batch)
    assert_close(sums, means * batch.sizes / 128, rtol=0, atol=1e-6)
