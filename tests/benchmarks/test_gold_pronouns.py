"""Masked examples of documents with gold clusters."""

from __future__ import annotations

from benchmarks.gold_pronouns import examples
from corefmill.corpora.records import Document, Mention, Sentence, Token

TEXT = ("Ann met Eve Stone .", "Rain fell .", "She saw her and the Rock .")


def document(*clusters: tuple[tuple[int, int, int], ...]) -> Document:
    sentences = tuple(Sentence(tuple(map(Token, line.split()))) for line in TEXT)
    mentions = tuple(tuple(Mention(*place) for place in cluster) for cluster in clusters)
    return Document("d", 0, "en", sentences, mentions)


ANN, EVE, SHE, HER, ROCK = (0, 0, 1), (0, 2, 4), (2, 0, 1), (2, 2, 3), (2, 4, 6)


def test_each_pronoun_is_an_example_with_the_names_before_it() -> None:
    first, second = examples(document((ANN, SHE), (EVE, HER), (ROCK,)))
    assert first.text == " ".join(TEXT) and first.sentences == ((0, 19), (20, 31), (32, 58))
    assert first.candidates == ("Ann", "Eve Stone")  # "the Rock" begins with no capital
    assert [first.text[slice(*one.target)] for one in (first, second)] == ["She", "her"]
    assert (first.label, second.label) == (0, 1)
    assert [first.text[start:end] for _, start, end in first.mentions] == ["Ann", "Eve Stone"]


def test_one_name_is_no_choice_and_the_right_one_must_be_there() -> None:
    assert not list(examples(document((ANN, SHE))))
    assert not list(examples(document((ANN,), (EVE,), (SHE,))))
    assert not list(examples(document((ANN, EVE, SHE))))
