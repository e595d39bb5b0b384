"""Word vectors: which words get one, how rows are shared, how a pipeline finds them."""

from pathlib import Path

import numpy as np
import spacy

from tools.pipelines import vectors


def test_words_by_frequency_then_the_encoders_own() -> None:
    texts = ["The cat saw Anna.", "The cat saw. The end"]
    assert vectors.frequent(texts, ["cat", "dog", "##x", "4"], most=4) == [
        "the",
        "cat",
        "saw",
        "dog",
    ]


def test_rare_words_share_the_nearest_row() -> None:
    table = np.array([[1, 0], [0, 1], [3, 1], [-1, 9]], dtype=np.float32)
    assert vectors.share_rows(table, rows=2).tolist() == [0, 1, 0, 1]


def test_squeezed_to_the_axes_that_tell_most() -> None:
    states = np.random.default_rng(1).normal(size=(50, 3, 8)).astype(np.float32)
    squeezed = vectors.squeeze(states, width=4)
    assert squeezed.shape == (50, 4)
    spread = squeezed.std(0)
    assert list(spread) == sorted(spread, reverse=True)


def test_looked_up_whatever_the_case(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    table = np.array([[1, 0], [0, 1]], dtype=np.float32)
    made = vectors.WordVectors(["anna", "bath", "leeds"], np.array([0, 1, 1]), table)
    made.save(tmp_path / "vectors.npz")
    vectors.give(nlp, vectors.WordVectors.load(tmp_path / "vectors.npz"))
    rows = nlp.vocab.vectors.find(keys=[token.lower for token in nlp("Anna LEEDS zzz")])
    assert rows.tolist() == [0, 1, -1]
