"""What repeats in an article is read, until it turns out to be no person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import pytest

from corefmill.builders.nlp import Analysis, Backend, Entity
from corefmill.builders.persons.prefilter import RecurringNames
from corefmill.builders.persons.table import load
from corefmill.builders.run.stages import Context
from corefmill.builders.wikicrem.stages import read_recurring
from tests.builders.wikicrem.passages import article

ENGLISH = load("en")
VESK = "They went from Vesk to Orla {} times and saw Vesk again."
ANN = "At noon Ann met Bob {} times, and then Ann left."


class Names:
    """Calls Ann and Bob persons, or others, and notes each batch that it reads."""

    def __init__(self, persons: Sequence[str] = ("Ann", "Bob")) -> None:
        self.read: list[list[str]] = []
        self._persons = persons

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        self.read.append(list(texts))
        for text in self.read[-1]:
            found = [(text.find(name), name) for name in self._persons]
            persons = (Entity(at, at + len(name), "PERSON") for at, name in found if at >= 0)
            yield Analysis(text, (), ((0, len(text)),), tuple(persons))


def read(
    *articles: Iterable[str], names: Sequence[str] = ("Ann", "Bob"), **how: Any
) -> tuple[list[str], list[list[str]], Context]:
    """The passages that are read, the turns in which they were, and what was counted."""
    pipeline, context = Names(names), Context(0, 0)
    recurring = RecurringNames(ENGLISH.no_names, ENGLISH.titles, **how)
    found = read_recurring(
        recurring, cast(Backend, pipeline), iter([article(*one) for one in articles]), context
    )
    return [one.passage.text for one in found], pipeline.read, context


def test_what_is_no_person_is_read_a_few_times_only() -> None:
    places, persons = [VESK.format(n) for n in range(9)], [ANN.format(n) for n in range(9)]
    found, _, context = read([*places, *persons])
    assert found == [*places[:2], *persons]
    assert context.counts["characters_analysed"] == sum(map(len, found))


@pytest.mark.parametrize(("persons", "later"), [((), False), (("Ann Vesk",), True)])
def test_a_surname_is_read_on_whatever_it_is_called_alone(
    persons: Sequence[str], later: bool
) -> None:
    named = "At noon Bob met Ann Vesk in Orla, and then Ann Vesk left for Orla."
    places = [VESK.format(n) for n in range(9)]
    found = read([*places[:2], named, *places[2:]], names=persons)[0]
    assert (places[-1] in found) is later


def test_what_a_paragraph_repeats_besides_is_a_reason_to_read_it() -> None:
    both = "They went from Vesk to Orla with Ann and saw Vesk again, and Ann left."
    found, _, _ = read([*(VESK.format(n) for n in range(5)), both])
    assert found[2:] == [both]


def test_articles_learn_apart_and_are_read_in_their_order() -> None:
    places = [VESK.format(n) for n in range(4)]
    found, turns, _ = read([*places, ANN], places)
    assert found == [*places[:2], ANN, *places[:2]]
    assert turns == [[*places[:2], *places[:2]], [ANN]]


@pytest.mark.parametrize("last", ["Lately Marsh left.", "In May President Marsh left."])
def test_a_name_behind_an_honorific_or_at_the_head_of_a_sentence_is_the_name(last: str) -> None:
    text = f"In the mill Marsh met Bob that day. {last}"
    assert read([text])[0] == [text]


def test_of_part_of_a_run_nothing_is_repeated_where_sentences_are_cut() -> None:
    text = "In the mill Ann Marsh met Bob, and then Marsh Metal was sold."
    assert read([text])[0] == []
    assert read([text], cut=False)[0] == [text]


def test_a_piece_is_read_without_the_one_before_only_where_sentences_are_cut() -> None:
    before, text = "It rained in the valley. ", "In the mill Ann met Bob, and then Ann left."
    assert read([before + text])[0] == [text]
    assert read([before + text], cut=False)[0] == [before + text]
