"""Features of pairs: what each compares, and weights of words."""

from __future__ import annotations

import math
from typing import get_args

import pytest
import torch

from corefmill.coref_model.encoder import load
from corefmill.coref_model.pairs.features import (
    COUNTED,
    Feature,
    Features,
    compute_features,
    count_rarities,
)
from corefmill.corpora.records import EventMention
from tests.coref_model.pairs.made import mention

ALL: tuple[Feature, ...] = tuple(one for one in get_args(Feature) if one != "vector")


def _of(names: tuple[Feature, ...], *mentions: EventMention) -> Features:
    rarity = count_rarities(mentions) if COUNTED.intersection(names) else None
    return compute_features(names, mentions, load("tiny"), rarity)


def _pair(name: Feature, one: EventMention, other: EventMention, *more: EventMention) -> float:
    found = _of((name,), one, other, *more)
    return float(found.compare_pairs(torch.tensor([0]), torch.tensor([1])))


def test_lemmas_are_compared_without_case_and_none_is_like_nothing() -> None:
    quake, shook = mention("Quake", "a", lemma="Quake"), mention("shook", "a", lemma="quake")
    assert _pair("lemma", quake, shook) == 1
    assert _pair("lemma", quake, mention("quakes", "a", lemma="quakes")) == 0
    assert _pair("lemma", mention("a", "a"), mention("a", "a")) == 0


def test_words_around_and_of_the_text_weigh_by_rarity() -> None:
    def told(before: str) -> EventMention:
        return mention("fire", "a", before=before, after="")

    texts = told("Oslo the "), told("Oslo a "), told("Rome the "), told("Bonn the ")
    weight = {word: math.log(5 / (1 + n)) for word, n in {"oslo": 2, "the": 3, "a": 1}.items()}
    expected = weight["oslo"] ** 2 / (
        math.hypot(weight["oslo"], weight["the"]) * math.hypot(weight["oslo"], weight["a"])
    )
    assert _pair("around", *texts) == pytest.approx(expected, rel=1e-5)
    # `fire` stands in all texts, so that it weighs nothing.
    assert _pair("text", *texts) == pytest.approx(expected, rel=1e-5)


def test_rarity_is_of_the_commoner_lemma() -> None:
    made = [mention("fire", "a", lemma="fire"), mention("war", "a", lemma="war")]
    found = _of(("rarity",), *made, mention("war", "b", before="A "))
    i, j = torch.tensor([0, 1, 0]), torch.tensor([1, 2, 0])
    # Of three texts two have `war`, one has `fire`.
    fire, war, most = math.log(4 / 2), math.log(4 / 3), math.log(4)
    expected = [[war / most], [war / most], [fire / most]]
    torch.testing.assert_close(found.compare_pairs(i, j), torch.tensor(expected))


@pytest.mark.parametrize("names", [ALL, ("lemma",), ("text", "embedding")])
def test_a_pair_has_each_feature_whatever_the_other_pairs(names: tuple[Feature, ...]) -> None:
    words = ("fire", "Fire", "flood", "quake", "fire", "war")
    found = _of(
        names,
        *(
            mention(word, str(at % 2), lemma=word.lower(), before=f"In {at % 3} the ")
            for at, word in enumerate(words)
        ),
    )
    i, j = torch.triu_indices(6, 6, 1)
    pairs = found.compare_pairs(i, j)
    assert pairs.shape == (15, len(names))
    turned = [found.compare_pairs(b[None], a[None]) for a, b in zip(i, j, strict=True)]
    torch.testing.assert_close(torch.cat(turned), pairs, atol=1e-5, rtol=0)
