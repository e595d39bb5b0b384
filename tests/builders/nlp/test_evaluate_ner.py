"""Names by exact span and label, with labels of all sorts."""

from __future__ import annotations

from corefmill.builders.nlp.analysis import Entity
from corefmill.builders.nlp.counts import MatchCounts
from corefmill.builders.nlp.evaluate_ner import evaluate


def test_span_and_label_must_both_be_right() -> None:
    # text    Anna Rossi saw Rome and Bern
    # gold    [PER      ]     [LOC]   [LOC]
    # system  [PER]           [ORG]   [GPE]
    gold = [Entity(0, 10, "PER"), Entity(15, 19, "LOC"), Entity(24, 28, "LOC")]
    system = [Entity(0, 4, "PERSON"), Entity(15, 19, "ORG"), Entity(24, 28, "GPE")]
    scores = evaluate([(gold, system)])
    assert scores.by_label == {"LOC": MatchCounts(1, 1, 2), "PERSON": MatchCounts(0, 1, 1)}
    assert scores.left_out == {"ORG": 1}
    assert scores.all == MatchCounts(1, 2, 3)
    assert scores.all.f1 == 2 * 1 / (2 + 3)


def test_labels_are_mapped_on_both_sides_and_dropped() -> None:
    gold = [Entity(0, 4, "MISC"), Entity(5, 9, "DATE")]
    system = [Entity(0, 4, "NORP")]
    scores = evaluate([(gold, system)], {"NORP": "MISC", "DATE": ""})
    assert scores.by_label == {"MISC": MatchCounts(1, 1, 1)}


def test_the_same_span_in_another_sentence_is_another_name() -> None:
    name = Entity(0, 4, "PER")
    assert evaluate([([name], []), ([], [name])]).all == MatchCounts(0, 1, 1)


def test_nothing_at_all() -> None:
    assert evaluate([]).all == MatchCounts(0, 0, 0)
    assert evaluate([]).all.f1 == evaluate([]).all.precision == evaluate([]).all.recall == 0
