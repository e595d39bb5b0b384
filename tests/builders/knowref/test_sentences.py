"""The surface test: what is a place for a problem, and each reason why a sentence is none."""

from __future__ import annotations

import pytest

from corefmill.builders.knowref import table
from corefmill.builders.knowref.sentences import ProblemSpans, find_spans, sentences
from corefmill.builders.persons import table as names_table
from corefmill.builders.runner.stages import Context
from tests.builders.wikicrem.passages import article

EN, NAMES = table.load("en"), names_table.load("en")


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
        ("Ann had told Bea the news and she slept on.", "no_connective"),
        # A comma does only behind a clause that its opener begins, and as the only one.
        ("Although it rained, Ann had told Bea, who slept, her news.", "no_connective"),
        ("She had told Ann and Bea the news, but it rained.", "pronoun_before"),
        ("Ann had told Bea about herself, when it was early, but she left.", "no_connective"),
        ("Ann herself had told Bea the news, but she slept on.", "no_connective"),
        ("Ann had told Bea the news because of herself and Cyd.", "pronoun_before"),
        ("Ann had told me the whole news, but she slept on.", "too_few_names"),
        ("Mr. Ann had told the whole news, but she slept on.", "too_few_names"),
        ("Ann had told Bea the news [1], but she slept on.", "not_prose"),
        ("Ann had told Bea the news, but she slept on", "not_prose"),
        ("Ann had told “Bea” the news, but she slept on.", "quoted"),
    ],
)
def test_each_reason(text: str, reason: str) -> None:
    expected = "pronoun_before" if "herself had" in text or "about herself" in text else reason
    assert find_spans(text, EN, NAMES) == expected


def test_an_apostrophe_is_no_quotation() -> None:
    assert shown("Ann's aunt hadn't told James' friend Bea, but she slept.") == ("but", "she")


def test_sentences_are_cut_and_counted() -> None:
    text = "It rained. Ann had told Bea the news, but she slept on. Ann told Bea of it."
    context = Context(0, 0)
    (found,) = sentences(EN, NAMES, iter((article(text),)), context)
    assert (found.start, found.text) == (11, "Ann had told Bea the news, but she slept on.")
    assert context.counts["sentences"] == 3
    assert context.counts["sentences_with_pattern"] == 1
    assert context.rejects == {"no_pronoun": 2}


def test_a_sentence_within_a_quotation_is_left_out() -> None:
    text = "“It rained there. Ann had told Bea the news, but she slept on. It was late.”"
    context = Context(0, 0)
    assert list(sentences(EN, NAMES, iter((article(text),)), context)) == []
    assert context.rejects["quoted"] == 1


def test_a_title_ends_no_sentence() -> None:
    text = "At noon Mrs. Ann Mill had told Dr. Bea Hill the news, but she slept on."
    (found,) = sentences(EN, NAMES, iter((article(text),)), Context(0, 0))
    assert found.text == text
