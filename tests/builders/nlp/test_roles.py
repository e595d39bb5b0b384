"""Roles of spans in trees that are written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from corefmill.builders.nlp.backend import Analysis, Backend
from corefmill.builders.nlp.roles import find_roles
from corefmill.corpora.record_meta import SpanSyntax

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

    def __init__(self, parsed: bool = True, head: Mapping[str, int] | None = None) -> None:
        self.parsed = parsed
        self.head = {word: at for word, (_, at) in TREE.items()} | dict(head or {})

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        spans = [(TEXT.index(word), TEXT.index(word) + len(word)) for word in TREE]
        for _ in list(texts):
            yield Analysis(
                TEXT,
                tuple(spans),
                ((0, 19), (20, 34)),
                (),
                deprel=tuple(label for label, _ in TREE.values()) if self.parsed else (),
                head=tuple(self.head.values()) if self.parsed else (),
            )


def of(
    *words: str, parsed: bool = True, head: Mapping[str, int] | None = None
) -> list[SpanSyntax | None]:
    spans = [(TEXT.index(word), TEXT.index(word) + len(word)) for word in words]
    (found,) = find_roles(cast(Backend, Written(parsed, head)), [(TEXT, spans)])
    return found


def test_an_object_that_is_reflexive_has_a_role_of_its_own() -> None:
    class Reflexive(Written):
        def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
            for one in super().full(texts):
                # As of "Ann met herself. Her own car broke."
                feats = tuple("Case=Acc|Reflex=Yes" if w in ("Bo", "His") else "" for w in TREE)
                yield replace(one, feats=feats)

    spans = [(TEXT.index(word), TEXT.index(word) + len(word)) for word in ("Bo", "His", "car")]
    (found,) = find_roles(cast(Backend, Reflexive()), [(TEXT, spans)])
    assert [one and one.role for one in found] == ["reflexive", "possessor", "subject"]


WORDS = ("Ann", "Bo", "His", "car", "broke")


def test_roles_sentences_and_words() -> None:
    found = [
        one and (one.role, one.sentence, one.word)
        for one in of(*["Ann", "Bo", "His", "car", "broke"])
    ]
    assert found == [
        ("subject", 1, 0),
        ("object", 1, 4),
        ("possessor", 2, 6),
        ("subject", 2, 7),
        ("root", 2, 8),
    ]


def test_the_path_leads_to_the_root_and_no_farther_than_is_kept() -> None:
    (eve,) = of("Eve")
    assert eve is not None
    assert eve.path == ((2, "conj", "", False), (0, "nsubj", "", False), (3, "root", "", True))
    (round_and_round,) = of("Ann", head={"Ann": 3, "met": 0})
    assert round_and_round is not None and len(round_and_round.path) == 12


def test_what_holds_no_word_or_is_not_parsed_has_none() -> None:
    (found,) = find_roles(cast(Backend, Written()), [(TEXT, [(3, 4)])])
    assert found == [None] and of("Ann", parsed=False) == [None]
