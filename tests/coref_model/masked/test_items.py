"""Passages as pieces: masks at the target's offsets, cut round them where there is no room."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.coref_model.masked.task import CandidateInput, make_inputs
from corefmill.corpora.files.errors import DataError
from tests.coref_model.masked.passages import example, tiny

PIECES = tiny().pieces
MASK = PIECES.mask_id


def strings(item: CandidateInput) -> str:
    return " ".join(PIECES.tokenizer.convert_ids_to_tokens(piece) for piece in item.sequence)


def test_each_candidate_has_its_own_number_of_masks() -> None:
    one, two = make_inputs(example("he and her.", "her", "an", "an as at"), PIECES, 512)
    assert strings(one) == "[CLS] he and [MASK] . [SEP]"
    assert strings(two) == "[CLS] he and [MASK] [MASK] [MASK] . [SEP]"
    assert PIECES.tokenizer.convert_ids_to_tokens(two.pieces) == ["an", "as", "at"]
    assert (two.first, two.cut) == (3, 0)


@pytest.mark.parametrize("text", ["(her)", "and her's", '"her," said he', "him-her-him", "her"])
def test_punctuation_beside_the_target_stays(text: str) -> None:
    (item, _) = make_inputs(example(text, "her", "an", "as"), PIECES, 512)
    assert strings(item) == strings(make_inputs(example(text, "her", "as", "an"), PIECES, 512)[0])
    filled = [*item.sequence]
    filled[item.first] = PIECES.cut_text("her")[0][0]
    assert filled == PIECES.wrap(PIECES.cut_text(text)[0])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 6), st.integers(8, 40))
def test_a_passage_too_long_is_cut_round_the_mask(
    left: int, right: int, masks: int, window: int
) -> None:
    words = [*["an"] * left, "her", *["as"] * right]
    item = make_inputs(
        example(" ".join(words), "her", " ".join(["it"] * masks), "x"), PIECES, window
    )[0]
    inner = item.sequence[1:-1]
    assert len(item.sequence) <= window
    assert inner[item.first - 1 :][:masks] == (MASK,) * masks
    before, after = item.first - 1, len(inner) - item.first + 1 - masks
    assert before + after + item.cut == left + right  # counted, never in silence
    if item.cut:
        assert len(item.sequence) == window
        # The nearer pieces are kept, and neither side loses while the other has more.
        assert before >= min(left, after - 1) and after >= min(right, before - 1)


def test_a_candidate_longer_than_the_window_is_refused() -> None:
    with pytest.raises(DataError, match=r"her-3: candidate .* takes 9 pieces; the window has 10"):
        make_inputs(example("an her", "her", "an", "as " * 9), PIECES, 10)


def test_a_candidate_of_which_nothing_is_left_is_refused() -> None:
    with pytest.raises(DataError, match="nothing of candidate"):
        make_inputs(example("an her", "her", "an", "\u200b"), PIECES, 10)


def test_of_two_identical_names_the_one_at_the_offset_is_masked() -> None:
    text = "an had an, an"
    for nth, expected in enumerate(
        ("[MASK] had an , an", "an had [MASK] , an", "an had an , [MASK]")
    ):
        item = make_inputs(example(text, "an", "an", "as", nth=nth), PIECES, 512)[0]
        assert strings(item) == f"[CLS] {expected} [SEP]"
