from __future__ import annotations

import pytest

from corefmill.builders.translate.gamma.reword import full, owned


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("'s/VBZ been/VBN here/RB", "has"),
        ("’s/VBZ got/VBN a/DT cold/NN", "has"),
        ("'s/VBZ just/RB changed/VBN styles/NNS", "has"),
        ("'s/VBZ not/RB displaced/VBN ./.", "is"),
        ("'s/VBZ happy/JJ", "is"),
        ("'s/POS car/NN", "'s"),
        ("'d/MD go/VB", "would"),
        ("'d/VBD gone/VBN", "had"),
        ("'LL/MD go/VB", "will"),
        ("'re/VBP here/RB", "are"),
        ("'ve/VBP gone/VBN", "have"),
        ("went/VBD", "went"),
        ("'s/VBZ", "is"),
    ],
)
def test_clitics_of_verbs_in_full(words: str, form: str) -> None:
    tokens, tags = zip(*(word.rsplit("/", 1) for word in words.split()), strict=True)
    assert full(tokens, tags, 0) == form


@pytest.mark.parametrize(
    ("tags", "end"),
    [
        (["POS", "NN", "VBN", "IN"], 2),
        (["POS", "VBN", "HYPH", "NN", "NNS", "."], 5),
        (["POS", "JJ", "IN"], None),
        (["POS", "NN", "POS", "NN"], None),
        (["POS", "NN", "HYPH", "IN"], None),
        (["POS", None, "NN"], None),
        (["POS"], None),
    ],
)
def test_the_phrase_that_is_owned(tags: list[str | None], end: int | None) -> None:
    assert owned(tags, 1, []) == end


def test_another_mention_ends_the_phrase() -> None:
    assert owned(["POS", "JJ", "NN", "NN"], 1, [(3, 4)]) == 3
    assert owned(["POS", "NN"], 1, [(1, 2)]) is None
