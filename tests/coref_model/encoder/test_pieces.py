"""Pieces know where they stand, and no word or letter is lost among them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from corefmill.coref_model.encoder.names import make_tiny_tokenizer
from corefmill.coref_model.encoder.pieces import Pieces
from corefmill.corpora.files.errors import UsageError

TINY = Pieces(make_tiny_tokenizer())


def byte_level(*, prefix: bool) -> Pieces:
    """A tokenizer of RoBERTa's kind with letters for pieces, a blank being part of the next."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *alphabet, "Ġa", "Ġb"]
    made = Tokenizer(
        models.BPE({piece: at for at, piece in enumerate(pieces)}, [("Ġ", "a"), ("Ġ", "b")])
    )
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
    made.enable_truncation(4)  # as some published tokenizers do
    names = {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    return Pieces(PreTrainedTokenizerFast(tokenizer_object=made, **names))


def test_spans_count_code_points_of_the_text_itself() -> None:
    text = "Été 😀 was"
    ids, spans = TINY.cut_text(text)
    assert TINY.tokenizer.convert_ids_to_tokens(ids) == ["e", "##t", "##e", "[UNK]", "was"]
    assert [text[start:end] for start, end in spans] == ["É", "t", "é", "😀", "was"]


@pytest.mark.parametrize("prefix", [False, True])
def test_a_word_has_the_pieces_it_has_within_a_sentence(prefix: bool) -> None:
    pieces = byte_level(prefix=prefix)
    ids, owners = pieces.cut_words(["a", "b", "ca"])
    assert pieces.tokenizer.convert_ids_to_tokens(ids) == ["Ġa", "Ġb", "Ġ", "c", "a"]
    assert owners == [0, 1, 2, 2, 2]
    assert len(pieces.cut_text("b" * 9)[0]) == 9  # nothing is cut off


def test_a_word_of_which_nothing_is_left_is_unknown() -> None:
    ids, owners = TINY.cut_words(["the", "\u200b", "", "cat"])
    assert ids[1:3] == [TINY.unk_id, TINY.unk_id]
    assert sorted(set(owners)) == [0, 1, 2, 3]


@given(st.text(alphabet=st.characters(categories=("Lu", "Ll", "Nd", "Po", "Zs")), max_size=60))
def test_every_letter_is_in_a_piece(text: str) -> None:
    _, spans = TINY.cut_text(text)
    held = {at for start, end in spans for at in range(start, end)}
    assert all(at in held for at, letter in enumerate(text) if letter.isalnum())


def test_a_slow_tokenizer_is_refused() -> None:
    with pytest.raises(UsageError, match="no fast form"):
        Pieces(object())
