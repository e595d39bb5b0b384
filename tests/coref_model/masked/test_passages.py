"""A passage as the pointer takes it: what is hidden, where candidates stand, what is cut off."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.coref_model.masked.passages import PointedPassage, is_name, mentions, pointed
from tests.coref_model.masked.passages import PASSAGES, example, tiny

PIECES = tiny().pieces


def made(one: object, window: int = 512, *, hidden: bool = False) -> PointedPassage:
    return pointed(one, PIECES, window, hidden=hidden)  # type: ignore[arg-type]


def shown(passage: PointedPassage) -> list[str]:
    """Each span as the pieces that it has."""
    return [
        "".join(PIECES.string(at) for at in passage.ids[start:end]).replace("##", "")
        for start, end in passage.spans
    ]


def test_a_pronoun_is_shown_and_points_at_each_mention() -> None:
    passage = made(PASSAGES[0])
    assert shown(passage) == ["she", "ann", "bob"]
    assert (passage.owners, passage.count, passage.cut) == ((0, 1), 2, 0)
    assert passage.sentences == (("Ann", "met", "Bob", "because", "she", "was", "late", "."),)
    assert passage.places == ((4, 5), (0, 1), (2, 3))


def test_what_is_hidden_is_one_mask_in_pieces_and_words() -> None:
    for passage in (made(PASSAGES[0], hidden=True), made(PASSAGES[1])):
        start, end = passage.spans[0]
        assert passage.ids[start:end] == (PIECES.mask_id,)
        place, _ = passage.places[0]
        assert [form for forms in passage.sentences for form in forms][place] == "[MASK]"


def test_a_name_is_hidden_though_pronouns_are_shown() -> None:
    assert [is_name(one) for one in PASSAGES] == [False, True, False, True]
    assert is_name(example("[MASK] met Ann and Bob.", "[MASK]", "Ann", "Bob"))


@pytest.mark.parametrize(
    ("text", "target", "names"),
    [
        ("Als der Hans kam, ging Peter.", "der Hans", ("Hans", "Peter")),
        ("O João chegou; o Rui saiu.", "O João", ("João", "Rui")),
        ("Bob waited for the old Ann Lee.", "the old Ann Lee", ("ann lee", "Bob")),
    ],
)
def test_a_name_with_its_article_is_a_name(text: str, target: str, names: tuple[str, ...]) -> None:
    one = example(text, target, *names)
    assert is_name(one)
    assert not set(target.split()) & set(sum(made(one).sentences, ()))


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("Annę", "Anna"),
        ("Ewy", "Ewa"),
        ("Ani", "Ania"),
        ("Pawła", "Paweł"),
        ("Marka", "Marek"),
        ("Janowi Kowalskiemu", "Jan Kowalski"),
        ("Annas", "Anna"),
    ],
)
def test_another_form_of_a_name_is_a_name(target: str, name: str) -> None:
    """Shown, it would give the answer away."""
    one = example(f"Bob met {target} there.", target, name, "Bob")
    assert is_name(one)
    assert not set(target.split()) & set(sum(made(one).sentences, ()))


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("He", "Henry"),
        ("She", "Sheila"),
        ("They", "The lawyers"),
        ("His", "Hill"),
        ("Her", "Herbert"),
        ("Jego", "Jan"),
        ("Ona", "Onufry"),
        ("Sie", "Siegfried"),
    ],
)
def test_a_pronoun_that_begins_as_a_name_is_none(target: str, name: str) -> None:
    assert not is_name(example(f"{target} met Bob.", target, name, "Bob"))


def test_a_name_within_a_word_makes_no_name_of_a_pronoun() -> None:
    assert not is_name(example("Er met Ann and then her.", "her", "Er", "Ann"))


def test_hostile_records_take_no_longer_than_their_length() -> None:
    """Each of these took seconds to minutes by steps that grew with the square."""
    many = " ".join(["a", "b"] * 20_000)
    assert len(mentions(example(f"she {many}", "she", "a", "b"))) == 40_000
    assert made(example(f"she met Ann. {'.' * 40_000}x", "she", "Ann", "Bob")).owners == (0,)
    assert len(made(example(f"she {'Ann ran. ' * 5_000}", "she", "Ann", "Bob"), 10**6).owners) == (
        5_000
    )
    assert not mentions(example(f"she {many}", "she", "c " * 1_000, "d"))


def test_of_a_long_candidate_few_first_words_may_be_missing() -> None:
    one = example("The man saw that he left.", "he", "the very old and ill man", "x " * 6 + "man")
    assert [at for at, *_ in mentions(one)] == [0]


def test_a_candidate_without_stated_mentions_is_looked_for() -> None:
    one = example("The old king told Ann Lee that he saw Ann.", "he", "the king", "Ann", "Ann Lee")
    text = one.text
    assert [(at, text[start:end]) for at, start, end in mentions(one)] == [
        (0, "king"),
        (2, "Ann Lee"),
        (1, "Ann"),
    ]


def test_what_evaluation_puts_behind_a_candidate_is_not_looked_for() -> None:
    one = example("Ann met Bob because of his hat.", "his", "Ann's", "Bob's")
    assert [at for at, *_ in mentions(one)] == [0, 1]


def test_of_a_candidate_with_stated_mentions_no_others_are_looked_for() -> None:
    one = example("Ann met Bob; Ann saw Bob, and he", "he", "Ann", "Bob")
    stated = replace(one, mentions=((1, 8, 11),))
    assert [(at, start) for at, start, _ in mentions(stated)] == [(0, 0), (1, 8), (0, 13)]


def test_a_candidate_that_stands_nowhere_has_no_mention() -> None:
    passage = made(example("Ann met Bob; he left.", "he", "Eve", "Bob"))
    assert (passage.owners, passage.count) == ((1,), 2)


def test_sentences_end_behind_full_stops_but_not_behind_titles() -> None:
    one = example("Mrs. Lee met J. Ford. She left.", "She", "Mrs. Lee", "J. Ford")
    assert [len(forms) for forms in made(one).sentences] == [8, 3]


@pytest.mark.parametrize("window", [8, 12])
def test_a_long_passage_is_cut_round_the_target(window: int) -> None:
    one = example("Ann met Bob and then for a long time she was late for all.", "she", "Ann", "Bob")
    passage = made(one, window)
    assert len(passage.ids) == window
    assert shown(passage)[0] == "she"
    assert passage.cut == len(made(one).ids) - window
    assert passage.owners == ()
