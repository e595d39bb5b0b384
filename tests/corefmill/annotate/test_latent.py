"""Dawid and Skene's own example, as crowd-kit has it; and what one more answer would tell."""

from __future__ import annotations

import numpy as np
import pytest

from corefmill.annotate import latent

# Dawid and Skene 1979, table 1: 45 patients by 5 anaesthetists, the first of them three times.
PATIENTS = """1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223
4444444 2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221
2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222
2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222"""
RATERS = (0, 0, 0, 1, 2, 3, 4)


def counts() -> np.ndarray:
    made = np.zeros((45, 5, 4))
    for patient, row in enumerate(PATIENTS.split()):
        for rater, answer in zip(RATERS, row, strict=True):
            made[patient, rater, int(answer) - 1] += 1
    return made


def test_the_papers_example_as_crowd_kit_1_4_2_computes_it() -> None:
    # DawidSkene(n_iter=300, tol=-1e9): its stopping rule ends earlier, far from the maximum.
    found = latent.fit(counts())
    assert found.shares == pytest.approx(
        [0.39955475288268, 0.4219833919144738, 0.111795188536141, 0.06666666666670519], abs=1e-9
    )
    first, last = found.errors[0, 0], found.errors[0, 3]
    assert first == pytest.approx([0.8894883486824564, 0.11051165131383581, 0, 0], abs=1e-9)
    assert last == pytest.approx([0, 0, 0.5555555555434667, 0.444444444434311], abs=1e-9)
    assert found.belief.argmax(axis=1).tolist()[:4] == [0, 3, 1, 1]
    # The paper's table 4 prints the shares as .40, .42, .11, .07.
    assert [round(share, 2) for share in found.shares.tolist()] == [0.4, 0.42, 0.11, 0.07]


def test_a_rater_who_guesses_counts_for_less() -> None:
    draw = np.random.default_rng(5)
    right = draw.random(400) < 0.6
    sure, rates = (0.95, 0.9, 0.8, 0.5), []
    votes = np.zeros((400, 4, 2))
    for rater, accuracy in enumerate(sure):
        said = np.where(draw.random(400) < accuracy, right, ~right)
        votes[np.arange(400), rater, said.astype(int)] = 1
        rates.append((said == right).mean())
    votes[:20, 0] = 0  # did not answer
    found = latent.fit(votes)
    assert found.accuracy() == pytest.approx(rates, abs=0.06)
    assert ((found.belief[:, 1] > 0.5) == right).mean() > 0.9
    assert found.shares[1] == pytest.approx(0.6, abs=0.06)


def test_nothing_said_is_no_belief() -> None:
    votes = np.zeros((3, 2, 2))
    votes[0, :, 1] = votes[1, :, 0] = 1
    found = latent.fit(votes)
    assert found.belief[2] == pytest.approx([0.5, 0.5], abs=1e-6)
    assert latent.fit(np.zeros((0, 2, 2))).belief.shape == (0, 2)


def test_information_is_that_of_the_doubtful_item() -> None:
    belief = [[0.5, 0.5], [0.9, 0.1], [1, 0]]
    exact, guess = np.eye(2), np.full((2, 2), 0.5)
    # Of somebody who never errs the entropy itself, by hand; of a guess nothing.
    assert latent.information(belief, exact) == pytest.approx([1, 0.4689955935892812, 0])
    assert latent.information(belief, guess) == pytest.approx([0, 0, 0])
    told = latent.information(belief, [[0.8, 0.2], [0.2, 0.8]])
    # 1 - H(0.8)
    assert told[0] == pytest.approx(0.2780719051126377) and told[0] > told[1] > told[2] == 0
