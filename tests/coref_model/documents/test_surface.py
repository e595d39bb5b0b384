"""What words as they are written say of spans and of pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.coref_model.documents import model as module
from corefmill.coref_model.documents import surface
from corefmill.coref_model.documents.inputs import within_sentences
from corefmill.coref_model.documents.model import DocumentModel
from corefmill.coref_model.documents.surface import (
    CAPITAL,
    OPENS,
    OTHER,
    PLAIN,
    PairSurface,
    Strings,
    WeightTable,
)
from corefmill.corpora.records import Document
from tests.coref_model.documents.made import document, model, sample

ONE = document("Ann Lee saw her", "her dog saw Lee !", "It , Ann said , ran")


def _spans(one: Document, most: int = 4) -> tuple[np.ndarray, np.ndarray]:
    return within_sentences([len(sentence.tokens) for sentence in one.sentences], most)


def _strings(one: Document) -> tuple[Strings, list[tuple[int, int]]]:
    starts, ends = _spans(one)
    every = np.arange(len(starts))
    made = Strings.of(surface.words(one, starts, ends), starts, ends, every, torch.device("cpu"))
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


def test_words_of_any_sort_have_a_checksum() -> None:
    one = document("\udcff \u0130 x")
    assert len(surface.words(one, *_spans(one)).forms) == 3
    assert not len(surface.words(document(), *_spans(document())).strings)


def test_repeats_and_shapes() -> None:
    starts, ends = _spans(ONE, 1)
    found = surface.words(ONE, starts, ends)
    # Ann Lee saw her / her dog saw Lee ! / It , Ann said , ran
    assert found.repeats.tolist() == [1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0]
    shapes = [OPENS, CAPITAL, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, CAPITAL, OTHER]
    assert found.shapes.tolist()[:9] == shapes
    assert found.sentences.tolist() == [0] * 4 + [1] * 5 + [2] * 6


def test_bits_of_a_match() -> None:
    strings, spans = _strings(ONE)
    made = PairSurface(1)
    with torch.no_grad():
        made.match.weight.copy_(torch.arange(64.0)[:, None])
        made.sentence.weight.zero_()
        made.names.weight.zero_()
    words = [t.form.lower() for sentence in ONE.sentences for t in sentence.tokens]
    pairs = [(i, j) for j, i in combinations(range(len(spans)), 2)]
    first, second = torch.tensor(pairs).T
    bits, scores = made(strings, first, second, torch.zeros_like(first))
    assert not scores.any()
    for (i, j), found in zip(pairs, bits.squeeze(-1).tolist(), strict=True):
        (a, b), (c, d) = spans[i], spans[j]
        due = (
            words[a:b] == words[c:d],
            words[b - 1] == words[d - 1],
            words[a] == words[c],
            a < d,
            b - a == 1,
            d - c == 1,
        )
        assert found == sum(bit << n for n, bit in enumerate(due))


def test_coarse_scores_know_matches() -> None:
    strings, spans = _strings(ONE)
    made = PairSurface(1)
    with torch.no_grad():
        made.coarse.weight.copy_(torch.arange(6.0)[:, None])
    rows, columns = torch.tensor([spans.index((7, 8)), spans.index((5, 8))]), torch.arange(12)
    found = made.before(strings, rows, columns)
    texts = {span: n for n, span in enumerate(spans)}
    assert found[0, texts[1, 2]] == 3 + 2  # Lee, Lee: a single word, the same
    assert found[0, texts[0, 2]] == 3 + 1  # Lee, Ann Lee
    assert found[1, texts[0, 2]] == 0 + 1  # dog saw Lee, Ann Lee
    assert found[1, texts[0, 1]] == 0


def test_coarse_scores_know_what_two_spans_are() -> None:
    strings, spans = _strings(ONE)
    made = PairSurface(1)
    torch.manual_seed(0)
    torch.nn.init.normal_(made.kinds.weights.weight)
    row = torch.tensor([spans.index((12, 13))])  # said
    columns = [spans.index(span) for span in ((2, 3), (6, 7), (5, 6))]
    saw, again, dog = made.before(strings, row, torch.tensor(columns))[0].tolist()
    assert saw == again != dog


def test_a_table_tells_templates_and_values_apart() -> None:
    made = WeightTable()
    values = torch.arange(200)
    assert not made([(values,)]).any()
    torch.manual_seed(0)
    torch.nn.init.normal_(made.weights.weight)
    one, other = made([(values,), (values,)])
    assert torch.equal(made([(values,)], 1)[0], other)
    assert len(set(one.tolist()) | set(other.tolist())) > 390
    assert torch.equal(made([(values.flip(0),)])[0], one.flip(0))


def _written(made: DocumentModel) -> DocumentModel:
    torch.manual_seed(1)
    for name, parameter in made.named_parameters():
        if "surface" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    return made


def test_at_first_weights_of_words_change_no_mention() -> None:
    one = sample()[0]
    with_words, without = model(), model(surface=False)
    own = with_words.input(one)
    x = with_words.encoded(own)
    without.load_state_dict(with_words.state_dict(), strict=False)
    scores = without.mention_scores(own, x)
    torch.testing.assert_close(with_words.mention_scores(own, x), scores)
    assert not torch.allclose(_written(with_words).mention_scores(own, x), scores)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _written(model())
    one = sample()[1]
    own = made.input(one)
    x = made.encoded(own)
    parts = [made.mention_scores(own, x, at, at + 7) for at in range(0, own.words, 7)]
    torch.testing.assert_close(torch.cat(parts), made.mention_scores(own, x))
    clusters = made.clusters(own, x)
    monkeypatch.setattr(module, "_WORDS", 7)
    monkeypatch.setattr(module, "_PAIRS", 100)
    assert made.clusters(own, x) == clusters


def test_pronouns_are_learnt_from_their_words_alone() -> None:
    made = model(ratio=1.0).train()
    text = ("he saw it", "it saw him", "he ran", "it ran")
    one = document(
        *text, clusters=[[(0, 0, 1), (1, 2, 3), (2, 0, 1)], [(0, 2, 3), (1, 0, 1), (3, 0, 1)]]
    )
    own = made.input(one)
    x = torch.zeros(len(own.ids), made.encoder.width)  # an encoder that says nothing
    words = [p for name, p in made.named_parameters() if "surface" in name]
    optimizer = torch.optim.Adam(words, 0.01)
    for _ in range(40):
        optimizer.zero_grad()
        made.loss(own, x)[0].backward()
        optimizer.step()
    found = made.eval().clusters(own, x)
    assert found == [[(0, 1), (5, 6), (6, 7)], [(2, 3), (3, 4), (8, 9)]]
