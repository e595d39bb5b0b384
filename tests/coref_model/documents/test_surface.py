"""What words as they are written say of spans and of pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.coref_model.documents import surface
from corefmill.coref_model.documents.inputs import list_candidates
from corefmill.coref_model.documents.surface import CAPITAL, OPENS, OTHER, PLAIN, Strings
from corefmill.corpora.records import Document
from tests.coref_model.documents.made import document, model

ONE = document("Ann Lee saw her", "her dog saw Lee !", "It , Ann said , ran")


def _spans(one: Document, most: int = 4) -> tuple[np.ndarray, np.ndarray]:
    return list_candidates([len(sentence.tokens) for sentence in one.sentences], most)


def _strings(one: Document) -> tuple[Strings, list[tuple[int, int]]]:
    starts, ends = _spans(one)
    every = np.arange(len(starts))
    made = Strings.select(
        surface.checksum_words(one, starts, ends), starts, ends, every, torch.device("cpu")
    )
    return made, list(zip(starts.tolist(), ends.tolist(), strict=True))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.sampled_from("abAB"), min_size=1, max_size=5), min_size=1, max_size=4))
def test_strings_are_the_same_where_the_words_are(sentences: list[list[str]]) -> None:
    one = document(*map(" ".join, sentences))
    found, spans = _strings(one)
    words = [word.lower() for sentence in sentences for word in sentence]
    texts = [tuple(words[a:b]) for a, b in spans]
    for i, j in combinations(range(len(spans)), 2):
        assert bool(found.whole[i] == found.whole[j]) == (texts[i] == texts[j])


def test_repeats_and_shapes() -> None:
    starts, ends = _spans(ONE, 1)
    found = surface.checksum_words(ONE, starts, ends)
    # Ann Lee saw her / her dog saw Lee ! / It , Ann said , ran
    assert found.repeats.tolist() == [1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0]
    shapes = [OPENS, CAPITAL, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, CAPITAL, OTHER]
    assert found.shapes.tolist()[:9] == shapes
    assert found.sentences.tolist() == [0] * 4 + [1] * 5 + [2] * 6


def test_pronouns_are_learnt_from_their_words_alone() -> None:
    made = model(ratio=1.0).train()
    text = ("he saw it", "it saw him", "he ran", "it ran")
    one = document(
        *text, clusters=[[(0, 0, 1), (1, 2, 3), (2, 0, 1)], [(0, 2, 3), (1, 0, 1), (3, 0, 1)]]
    )
    own = made.make_input(one)
    x = torch.zeros(len(own.ids), made.encoder.width)  # an encoder that says nothing
    words = [p for name, p in made.named_parameters() if "surface" in name]
    optimizer = torch.optim.Adam(words, 0.01)
    for _ in range(40):
        optimizer.zero_grad()
        made.loss(own, x)[0].backward()
        optimizer.step()
    found, _ = made.eval().predict_clusters(own, x)
    assert found == [[(0, 1), (5, 6), (6, 7)], [(2, 3), (3, 4), (8, 9)]]
