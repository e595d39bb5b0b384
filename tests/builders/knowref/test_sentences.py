"""The surface test: what is a place for a problem, and each reason why a sentence is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from corefmill.builders.knowref import table
from corefmill.builders.knowref.sentences import ProblemSpans, find_spans, sentences
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.run.stages import Context
from tests.builders.wikicrem.passages import article

EN, NAMES = table.load("en"), names_table.load("en")
GENDERS = Genders("en", NAMES)


def shown(text: str) -> tuple[str, str]:
    found = find_spans(text, EN, NAMES)
    assert isinstance(found, ProblemSpans), found
    return text[slice(*found.connective)], text[slice(*found.pronoun)]


@pytest.mark.parametrize(
    ("text", "connective", "pronoun"),
    [
        ("Ann had told Bea the news, but she slept on.", "but", "she"),
        ("Ann had told Bea the news, even though she was asleep.", "even though", "she"),
        ("Ann saw Bea when it rained, but nobody had told her.", "but", "her"),
        ("Although Ann had told Bea the news, she slept on.", ",", "she"),
        # Right before the pronoun, more words count.
        ("Ann had told Bea the news and she slept on.", "and", "she"),
        ("Ann had told Bea the news; she slept on.", ";", "she"),
        ("Ann had told Bea the news as soon as she woke.", "as soon as", "she"),
        # A pronoun of the other gender and a reflexive may stand before.
        ("He had told Ann and Bea the news, but it was she.", "but", "she"),
        ("Ann herself had told Bea the news, but she slept on.", "but", "she"),
        ("Ann had told Bea about herself, when it was early, but she left.", "but", "she"),
        ("Émile saw Łukasz on the train because he was early.", "because", "he"),
    ],
)
def test_a_place_is_the_last_connective_before_the_first_pronoun(
    text: str, connective: str, pronoun: str
) -> None:
    assert shown(text) == (connective, pronoun)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Ann had told Bea the news, but it rained.", "no_pronoun"),
        ("Ann met Bea but she slept.", "length"),
        (f"Ann had told Bea {'the news ' * 20}, but she slept.", "length"),
        ("Ann had told Bea the news and then she slept on.", "no_connective"),
        # A comma does only behind a clause that its opener begins, and as the only one.
        ("Although it rained, Ann had told Bea, who slept, her news.", "no_connective"),
        ("She had told Ann and Bea the news, but it rained.", "pronoun_before"),
        ("Ann had told Bea the news because of herself and Cyd.", "no_pronoun"),
        ("Ann had told me the whole news, but she slept on.", "too_few_names"),
        ("Mr. Ann had told the whole news, but she slept on.", "too_few_names"),
        ("Ann had told Bea the news [1], but she slept on.", "not_prose"),
        ("Ann had told Bea the news, but she slept on", "not_prose"),
        ("Ann had told “Bea” the news, but she slept on.", "quoted"),
    ],
)
def test_each_reason(text: str, reason: str) -> None:
    assert find_spans(text, EN, NAMES) == reason


PAIR = "Ann had told Bea the news. {} slept on."


@pytest.mark.parametrize("head", ["She", "But she", "At last, she", "Her sister"])
def test_a_pronoun_may_head_the_sentence_that_follows(head: str) -> None:
    text = PAIR.format(head)
    (found,) = sentences(EN, GENDERS, iter((article(text),)), Context(0, 0), known=False)
    assert (found.text, text[found.second :]) == (text, f"{head} slept on.")
    assert text[slice(*found.spans.connective)] == "."
    assert text[slice(*found.spans.pronoun)].lower() in ("she", "her")
    assert found.spans.pattern == "next_sentence"
    assert found.sentences == ((0, 26), (27, len(text)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PAIR.format("Then Cyd said that she"), "no_pronoun"),
        (PAIR.format("It"), "no_pronoun"),
        ("Her aunt had told Ann and Bea the news. She slept on.", "no_connective"),
        ("Ann had told him all the news. She slept on.", "no_connective"),
        ("Ann had told Bea the news. “She slept on.”", "no_pronoun"),
        ("Ann had told Bea the news. She “slept” on.", "quoted"),
        (f"Ann had told Bea the {'old ' * 60} news. She slept on.", "no_pronoun"),
    ],
)
def test_other_pairs_are_rejected_for_what_the_first_sentence_lacks(text: str, reason: str) -> None:
    context = Context(0, 0)
    assert list(sentences(EN, GENDERS, iter((article(text),)), context, known=False)) == []
    assert reason in context.rejects


@pytest.mark.parametrize(
    ("text", "known", "reason"),
    [
        ("Ann had told Emma the news, but she slept on.", True, None),
        ("Ann had told Peter the news, but she slept on.", False, "too_few_of_gender"),
        ("Mrs. Hill had told Mr. Mill the news, but she slept on.", False, "too_few_of_gender"),
        ("Mrs. Hill and Mr. Mill had told Ann the news, but she slept on.", True, None),
        ("Ann had told Zzarb the news, but she slept on.", True, "too_few_of_gender"),
        ("Ann had told Zzarb the news, but she slept on.", False, None),
    ],
)
def test_two_names_may_be_of_the_pronouns_gender(
    text: str, reason: str | None, *, known: bool
) -> None:
    context = Context(0, 0)
    found = list(sentences(EN, GENDERS, iter((article(text),)), context, known=known))
    assert list(context.rejects) == ([reason] if reason else [])
    assert len(found) == (reason is None)


def test_what_reaches_a_pronoun_and_a_connective_is_kept_with_its_text() -> None:
    kept: list[Mapping[str, Any]] = []
    text = "It rained. Ann had told “Bea” the news, but she slept on."
    assert (
        list(
            sentences(EN, GENDERS, iter((article(text),)), Context(0, 0, kept.append), known=False)
        )
        == []
    )
    first, second = kept
    assert first == {"reason": "no_pronoun", "record": None}
    assert second["reason"] == "quoted"
    assert second["record"]["text"].startswith("Ann had told")


def test_a_clitic_counts_before_a_verb_alone() -> None:
    italian, names = table.load("it"), names_table.load("it")
    found = find_spans(
        "Anna parlò con Lucia della sera quando le disse la notizia.", italian, names
    )
    assert isinstance(found, ProblemSpans)
    assert found.pronoun == (39, 41)
    assert (
        find_spans("Anna parlò con Lucia quando le sere eran lunghe.", italian, names)
        == "no_pronoun"
    )


def test_an_apostrophe_is_no_quotation() -> None:
    assert shown("Ann and Bea walked for a good part o' the day, but she slept.") == ("but", "she")
    assert shown("Ann's aunt hadn't told James' friend Bea, but she slept.") == ("but", "she")


def test_a_sentence_within_a_quotation_is_left_out() -> None:
    text = "“It rained there. Ann had told Bea the news, but she slept on. It was late.”"
    context = Context(0, 0)
    assert list(sentences(EN, GENDERS, iter((article(text),)), context, known=False)) == []
    assert context.rejects["quoted"] == 1


def test_a_title_ends_no_sentence() -> None:
    text = "At noon Mrs. Ann Mill had told Dr. Bea Hill the news, but she slept on."
    (found,) = sentences(EN, GENDERS, iter((article(text),)), Context(0, 0), known=False)
    assert found.text == text
