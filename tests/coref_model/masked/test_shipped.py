"""The head that ships for minilm: small, found by itself, and better than knowing frequencies."""

from __future__ import annotations

import pytest
import torch

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.encoder.packed import pack
from corefmill.coref_model.masked import heads
from corefmill.coref_model.masked.answers import Answering
from corefmill.coref_model.masked.scorer import Scorer
from tests.coref_model.masked.passages import example

SENTENCES = (
    "She opened the door and went into the room.",
    "The old man sat down on a chair by the fire.",
    "The war began in 1939 and ended in 1945.",
    "He was born in London, where his father was a teacher.",
    "They looked at each other and said nothing for a long time.",
)


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    encoder = load("minilm")
    found = heads.find(encoder)
    assert (found.source, found.rank) == ("masked-LM head of minilm", 16)
    heads.merge(encoder, found.deltas)
    return Scorer(encoder, found.head).eval()


def test_it_is_three_megabytes_at_most() -> None:
    files = [path for path in (heads.SHIPPED / "minilm").iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_000_000


def test_hidden_words_are_told_better_than_by_frequency(scorer: Scorer) -> None:
    pieces, head = scorer.encoder.pieces, scorer.head
    told, frequent = [], []
    for sentence in SENTENCES:
        ids = pieces.wrap(pieces.text(sentence)[0])
        for at in range(1, len(ids) - 1):
            hidden = [*ids[:at], pieces.mask_id, *ids[at + 1 :]]
            with torch.no_grad():
                vectors = scorer.encoder(pack([hidden]))[at : at + 1]
                chances = head.logits(vectors, scorer.encoder.word_embeddings).log_softmax(-1)[0]
            told.append(chances[ids[at]].item())
            frequent.append(head.bias.log_softmax(-1)[ids[at]].item())
    assert sum(told) / len(told) > sum(frequent) / len(frequent) + 1.5


def test_a_word_that_suits_is_likelier(scorer: Scorer) -> None:
    asked = [
        example("He opened the door and went in.", "door", "door", "war"),
        example("The king and the queen had a son.", "queen", "queen", "table"),
        example("She put on her hat and left.", "her", "her", "his"),
        example("He was born in 1890 in Paris.", "born", "born", "fire"),
    ]
    assert [answer.choice for answer in Answering(scorer, 64).answers(asked)] == [0] * 4
