"""The rules that learn nothing, by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pytest

from corefmill.coref_model.masked.answers import BY_TEXT, score_by_role
from corefmill.coref_model.masked.passages import find_mentions
from corefmill.corpora.record_meta import SpanSyntax, Step
from corefmill.corpora.records import Span
from tests.coref_model.evaluation.answering import example

MET = example("The new boss met Eve Stone because she was late.", ("the boss", "Eve Stone"), 0)


def test_a_candidate_stands_at_its_mentions_else_at_its_words_else_at_the_last_of_them() -> None:
    assert find_mentions(MET) == [(0, 8, 12), (1, 17, 26)]
    assert find_mentions(replace(MET, mentions=((1, 17, 20),))) == [(0, 8, 12), (1, 17, 20)]


def test_the_target_is_no_place_of_a_candidate() -> None:
    name = example("Ann met Eve. Ann left.", ("Ann", "Eve"), 0, target="Ann")
    assert find_mentions(name) == [(1, 8, 11), (0, 13, 16)]


@pytest.mark.parametrize(
    ("rule", "choice"),
    [("nearest candidate", 1), ("first candidate", 0), ("shortest candidate", 0)],
)
def test_rules_by_text(rule: str, choice: int) -> None:
    (answer,) = BY_TEXT[rule]([MET])
    assert answer.choice == choice


def test_one_who_is_not_in_the_text_is_the_last_choice_and_none_is_no_answer() -> None:
    gone = replace(MET, candidates=("Zoe", "Eve Stone"))
    assert [a.choice for a in BY_TEXT["first candidate"]([gone])] == [1]
    nobody = replace(MET, candidates=("Zoe", "Kim"))
    assert [a.choice for a in BY_TEXT["nearest candidate"]([nobody])] == [None]


def alone(role: str, word: int) -> SpanSyntax:
    """A word of the first sentence, the rest of whose tree is not known."""
    return SpanSyntax(role, 1, (Step(word, "dep", ""),))


def test_the_same_role_decides_and_a_blank_is_read_as_the_first_candidate() -> None:
    asked: list[str] = []

    def roles(texts: Iterable[tuple[str, Sequence[Span]]]) -> Iterator[list[SpanSyntax | None]]:
        for text, spans in texts:
            asked.append(" | ".join(text[start:end] for start, end in spans))
            first = None if "Zoe" in text else alone("object", 9)
            yield [first, alone("subject", 2), alone("object", 4)][: len(spans)]

    blank = example("Ann met Eve but Bo saw _ again.", ("Ann", "Eve"), 1, target="_")
    unread = example("Ann and Eve met Zoe as she left.", ("Ann", "Eve"), 1)
    answers = list(score_by_role(roles, [blank, unread]))
    # The object counts 1 for its role and -.05 for five words; the subject 1 and -.07: the former.
    assert [answer.choice for answer in answers] == [1, None]
    assert asked == ["Ann | Ann | Eve", "she | Ann | Eve"]


def test_an_object_means_the_subject_of_its_clause_where_it_is_reflexive_alone() -> None:
    met, verb = Step(2, "root", "VERB"), Step(5, "conj", "VERB")
    ann = SpanSyntax("subject", 1, (Step(1, "nsubj", "PROPN"), met))
    eve = SpanSyntax("obl", 1, (Step(4, "obl", "PROPN"), met))  # nearer

    def choice(role: str) -> int | None:
        def roles(texts: Iterable[tuple[str, Sequence[Span]]]) -> Iterator[list[SpanSyntax]]:
            yield from (
                [SpanSyntax(role, 1, (Step(6, "", "PRON"), verb, met)), ann, eve] for _ in texts
            )

        one = example("Ann met with Eve and told her.", ("Ann", "Eve"), 1, target="her")
        (answer,) = score_by_role(roles, [one])
        return answer.choice

    choices = {role: choice(role) for role in ("object", "obl", "reflexive", "possessor")}
    assert choices == {"object": 1, "obl": 1, "reflexive": 0, "possessor": 0}
