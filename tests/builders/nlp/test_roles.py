"""Roles of spans in trees that are written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from corefmill.builders.nlp.analysis import Analysis
from corefmill.builders.nlp.backend import Backend
from corefmill.builders.nlp.roles import roles

TEXT = "Ann and Eve met Bo. His car broke."
TREE = {
    "Ann": ("nsubj", 3),
    "and": ("cc", 2),
    "Eve": ("conj", 0),
    "met": ("root", 3),
    "Bo": ("obj", 3),
    ".": ("punct", 3),
    "His": ("nmod:poss", 7),
    "car": ("nsubj:pass", 8),
    "broke": ("root", 8),
}


class Written:
    """A pipeline that knows one text."""

    def __init__(self, parsed: bool = True) -> None:
        self.parsed = parsed

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        spans = [(TEXT.index(word), TEXT.index(word) + len(word)) for word in TREE]
        for _ in list(texts):
            yield Analysis(
                TEXT,
                tuple(spans),
                ((0, 19), (20, 34)),
                (),
                deprel=tuple(label for label, _ in TREE.values()) if self.parsed else (),
                head=tuple(head for _, head in TREE.values()) if self.parsed else (),
            )


def of(*words: str, parsed: bool = True) -> list[tuple[str, int, int] | None]:
    spans = [(TEXT.index(word), TEXT.index(word) + len(word)) for word in words]
    (found,) = roles(cast(Backend, Written(parsed)), [(TEXT, spans)])
    return found


def test_roles_sentences_and_words() -> None:
    assert of("Ann", "Bo", "His", "car", "broke") == [
        ("subject", 1, 0),
        ("object", 1, 4),
        ("possessor", 2, 6),
        ("subject", 2, 7),
        ("root", 2, 8),
    ]


def test_the_second_of_two_has_the_role_of_the_first() -> None:
    assert of("Eve") == [("subject", 1, 2)]
    assert of("Ann and Eve") == [("subject", 1, 0)]


def test_what_holds_no_word_or_is_not_parsed_has_none() -> None:
    (found,) = roles(cast(Backend, Written()), [(TEXT, [(3, 4)])])
    assert found == [None] and of("Ann", parsed=False) == [None]


def test_each_text_has_its_own_spans() -> None:
    found = list(roles(cast(Backend, Written()), [(TEXT, [(0, 3)]), (TEXT, [(16, 18), (0, 3)])]))
    assert [[one and one[0] for one in own] for own in found] == [
        ["subject"],
        ["object", "subject"],
    ]
