"""Passages of the pointer, and the features of trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations
from pathlib import Path

import pytest

from corefmill.coref_model.encoder.names import load
from corefmill.coref_model.masked import passages as features
from corefmill.coref_model.masked.answers import mark_roles
from corefmill.coref_model.masked.passages import (
    PointedPassage,
    find_mentions,
    is_name,
    make_passage,
)
from corefmill.coref_model.masked.pointer import KIND, PointerSettings, score_examples
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import train
from corefmill.corpora import record_meta
from corefmill.corpora.record_meta import SpanSyntax, Step
from corefmill.corpora.records import Span
from tests.coref_model.masked.passages import PASSAGES, example, tiny

PIECES = tiny().pieces


def made(one: object, window: int = 512, *, hidden: bool = False) -> PointedPassage:
    return make_passage(one, PIECES, window, hidden=hidden)  # type: ignore[arg-type]


def shown(passage: PointedPassage) -> list[str]:
    """Each span as the pieces that it has."""
    return [
        "".join(
            PIECES.tokenizer.convert_ids_to_tokens(at) for at in passage.ids[start:end]
        ).replace("##", "")
        for start, end in passage.spans
    ]


def test_a_pronoun_is_shown_and_points_at_each_mention() -> None:
    passage = made(PASSAGES[0])
    assert shown(passage) == ["she", "ann", "bob"]
    assert (passage.owners, passage.count, passage.cut) == ((0, 1), 2, 0)
    assert passage.sentences == (("Ann", "met", "Bob", "because", "she", "was", "late", "."),)
    assert passage.places == ((4, 5), (0, 1), (2, 3))


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("der Hans", "Hans"),
        ("O João", "João"),
        ("the old Ann Lee", "ann lee"),
        # Another form of a name, shown, would give the answer away.
        ("Annę", "Anna"),
        ("Ewy", "Ewa"),
        ("Ani", "Ania"),
        ("Pawła", "Paweł"),
        ("Marka", "Marek"),
        ("Janowi Kowalskiemu", "Jan Kowalski"),
        ("Annas", "Anna"),
    ],
)
def test_a_name_with_its_article_or_in_another_form_is_a_name(target: str, name: str) -> None:
    one = example(f"Bob met {target} there.", target, name, "Bob")
    assert is_name(one)
    assert not set(target.split()) & set(sum(made(one).sentences, ()))


@pytest.mark.parametrize(
    "pair",
    [
        *("He Henry", "She Sheila", "They The lawyers", "His Hill", "Her Herbert"),
        *("Jego Jan", "Ona Onufry", "Sie Siegfried"),
    ],
)
def test_a_pronoun_that_begins_as_a_name_is_none(pair: str) -> None:
    target, _, name = pair.partition(" ")
    assert not is_name(example(f"{target} met Bob.", target, name, "Bob"))


def test_hostile_records_take_no_longer_than_their_length() -> None:
    """Each of these took seconds to minutes by steps that grew with the square."""
    many = " ".join(["a", "b"] * 20_000)
    assert len(find_mentions(example(f"she {many}", "she", "a", "b"))) == 40_000
    assert made(example(f"she met Ann. {'.' * 40_000}x", "she", "Ann", "Bob")).owners == (0,)
    often = made(example(f"she {'Ann ran. ' * 5_000}", "she", "Ann", "Bob"), 10**6)
    assert len(often.owners) == 5_000
    assert not find_mentions(example(f"she {many}", "she", "c " * 1_000, "d"))


def test_of_a_long_candidate_few_first_words_may_be_missing() -> None:
    one = example("The man saw that he left.", "he", "the very old and ill man", "x " * 6 + "man")
    assert [at for at, *_ in find_mentions(one)] == [0]


def test_a_candidate_without_stated_mentions_is_looked_for() -> None:
    one = example("The old king told Ann Lee that he saw Ann.", "he", "the king", "Ann", "Ann Lee")
    text = one.text
    assert [(at, text[start:end]) for at, start, end in find_mentions(one)] == [
        (0, "king"),
        (2, "Ann Lee"),
        (1, "Ann"),
    ]


def test_what_evaluation_puts_behind_a_candidate_is_not_looked_for() -> None:
    one = example("Ann met Bob because of his hat.", "his", "Ann's", "Bob (2)")
    assert [at for at, *_ in find_mentions(one)] == [0, 1]


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


def trees(texts: Iterable[tuple[str, Sequence[Span]]]) -> Iterator[list[SpanSyntax | None]]:
    """Of passages of the form "ONE met OTHER because she left."; a subject where a verb follows."""
    for text, spans in texts:
        found: list[SpanSyntax | None] = []
        for start, _ in spans:
            at = text[:start].count(" ")
            verb = 1 if at < 3 else 5
            role = ("nsubj", "subject") if at in (0, 4) else ("obj", "object")
            path = [Step(at, role[0], "PROPN"), Step(verb, "root", "VERB")]
            found.append(SpanSyntax(role[1], 1, tuple(path)))
        yield found


NAMES = ("Ann", "Eve", "Joan", "Lucy", "Mary", "Ruth")
SUBJECTS = [
    example(f"{a} met {b} because she left.", "she", *sorted((a, b)), label=int(a > b))
    for a, b in permutations(NAMES, 2)
]
PARSED = list(mark_roles(SUBJECTS, trees))


def test_a_parsed_example_states_all_its_mentions() -> None:
    (first, *_) = PARSED
    assert first.mentions == ((0, 0, 3), (1, 8, 11))
    roles = [one and one.role for one in record_meta.read_syntax(first)]
    assert roles == ["subject", "subject", "object"]


def test_features_tell_roles_apart_and_not_names() -> None:
    rows = [features.list_features(one) for one in PARSED]
    assert len({tuple(map(frozenset, one)) for one in rows}) == 1  # the names do not matter
    subject, other = map(set, rows[0])
    assert subject - other and other - subject
    assert all(0 <= row < features.ROWS for row in subject | other)


def test_where_nothing_is_known_there_are_no_features() -> None:
    nothing = record_meta.add_syntax(PARSED[0], [None, None, None])
    assert features.list_features(nothing) == [(), ()]
    half = record_meta.add_syntax(PARSED[0], [*record_meta.read_syntax(PARSED[0])[:2], None])
    assert [bool(own) for own in features.list_features(half)] == [True, False]


def test_a_role_is_learnt_whatever_the_names(tmp_path: Path) -> None:
    sets = ["encoder=tiny", "trained=false", "hidden=8", "pair_width=16", "features=false"]
    sets += ["syntax=true", "epochs=10", "lr=0.01", "batch_pieces=64", "hide=0.0"]
    made = resolve(PointerSettings, "pointer", sets=sets)
    known = [one for one in PARSED if "Ruth" not in one.candidates]
    fresh = [one for one in PARSED if "Ruth" in one.candidates]
    task = KIND.make(load("tiny"), made, {"train": known, "validation": fresh}, 0)
    train(task, made, tmp_path / "out", quiet=True)
    task.model.eval()
    said = [one.choice for one in score_examples(task.model, made, fresh)]
    assert said == [one.label for one in fresh]


def test_what_is_hidden_is_one_mask_in_pieces_and_words() -> None:
    for passage in (made(PASSAGES[0], hidden=True), made(PASSAGES[1])):
        start, end = passage.spans[0]
        assert passage.ids[start:end] == (PIECES.mask_id,)
        place, _ = passage.places[0]
        assert [form for forms in passage.sentences for form in forms][place] == "[MASK]"
