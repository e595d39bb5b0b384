"""Mentions found and links drawn, by class of mention."""

from __future__ import annotations

import pytest

from corefmill.corpora.records import Document, Mention, Sentence, Token
from corefmill.corpora.scoring.mention_classes import class_of, measures, with_classes
from corefmill.corpora.scoring.table import ScoreTable

ANN, SHE, EVE, HER, DOG = (Mention(0, n, n + 1) for n in range(5))


def document(clusters: list[list[Mention]], lang: str = "en", tags: str = "") -> Document:
    words = ["Ann", "she", "Eve", "her", "dog"]
    found = [Token(form, xpos=tag) for form, tag in zip(words, tags.split(), strict=False)]
    tokens = tuple(found or map(Token, words))
    return Document("d", 0, lang, (Sentence(tokens),), tuple(map(tuple, clusters)))


def shares(response: list[list[Mention]], *, singletons: bool = True) -> dict[str, tuple[int, int]]:
    key = document([[ANN, SHE], [EVE, HER], [DOG]])
    empty = ScoreTable("document", ["d"], ["-"], [], {})
    table = with_classes(empty, [key], [document(response)], singletons=singletons)
    return {name: (int(row[0]), int(row[1])) for name, row in table.totals().items()}


def test_all_that_is_right_counts() -> None:
    assert shares([[SHE, ANN], [EVE, HER], [DOG]]) == {
        "pronoun recall": (2, 2),
        "pronoun link accuracy": (2, 2),
        "name recall": (1, 1),
        "nominal recall": (2, 2),  # of the first word nothing says that it is a name
    }


def test_the_nearest_antecedent_decides_and_what_is_not_found_has_no_link() -> None:
    found = shares([[ANN, EVE, HER]])
    assert found["pronoun recall"] == (1, 2)
    assert found["pronoun link accuracy"] == (1, 1)
    assert shares([[ANN, SHE, HER]])["pronoun link accuracy"] == (1, 2)
    assert shares([[SHE], [HER]])["pronoun link accuracy"] == (0, 2)


def test_clusters_of_one_count_where_they_are_kept() -> None:
    assert shares([[ANN, SHE]])["nominal recall"] == (1, 2)
    assert shares([[ANN, SHE]], singletons=False)["nominal recall"] == (1, 1)


@pytest.mark.parametrize(
    ("lang", "tags", "classes"),
    [
        ("en", "", ["nominal", "pronoun", "name", "pronoun", "nominal"]),
        ("de", "", ["-"] * 5),
        ("de", "NNP PRP NNPS PRP$ NN", ["name", "pronoun", "name", "pronoun", "nominal"]),
    ],
)
def test_tags_say_the_class_and_forms_in_english_alone(
    lang: str, tags: str, classes: list[str]
) -> None:
    one = document([], lang, tags)
    assert [class_of(one, mention) for mention in (ANN, SHE, EVE, HER, DOG)] == classes


def test_the_head_is_the_word_whose_own_head_lies_outside() -> None:
    words = (Token("king", upos="NOUN", head=0), Token("of"), Token("Spain", upos="PROPN", head=1))
    one = Document("d", 0, "en", (Sentence(words),), ())
    assert class_of(one, Mention(0, 0, 3)) == "nominal"
    assert class_of(one, Mention(0, 2, 3)) == "name"
    assert class_of(one, Mention(0, 1, 1, zero=True)) == "zero"
    assert len(measures()) == 6
