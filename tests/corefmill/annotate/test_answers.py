"""Answers about candidates, from files of every kind, become votes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.annotate import answers, judgements
from corefmill.annotate.judgements import Judgement
from corefmill.builders.corpus import annotate, tasks
from corefmill.builders.corpus.tasks import Ballot
from corefmill.corpora import jsonl, sheets
from corefmill.corpora.errors import DataError
from tests.corpora.test_records import EXAMPLE

EXAMPLES = {"i": ("Ann", "Bea"), "j": ("Ann", "Bea")}


def said(rater: str, answer: str, *, item: str = "i", person: bool = True) -> Judgement:
    return Judgement(item=item, rater=rater, person=person, question="answer", answer=answer)


def test_json_lines_and_spreadsheets_are_counted_together(tmp_path: Path) -> None:
    lines, sheet = tmp_path / "a.jsonl", tmp_path / "b.csv"
    given = [
        said("ann", "Ann"),
        said("ann", "Bea"),  # thought better of it
        said("ben", "none"),
        said("cat", ""),  # skipped
        said("gpt", "Ann", person=False),
        said("eve", "Bea"),
        Judgement(item="i", rater="ann", person=True, question="person", answer="yes"),
    ]
    judgements.write(lines, given)
    corpus = tmp_path / "corpus.jsonl"
    jsonl.write(
        corpus, [replace(EXAMPLE, id=name, candidates=own) for name, own in EXAMPLES.items()]
    )
    head = ("item", "rater", "option_a", "option_b", "answer")
    sheets.write(sheet, [head, ("i", "dan", "Bea", "Ann", "a"), ("j", "dan", "Bea", "Ann", "x")])
    found = answers.gathered(corpus, [lines, sheet], events=False, adjudicator="eve")
    ballots = tasks.ballots(found.candidates(), EXAMPLES, found.decisions())
    assert ballots == {"i": Ballot((0, 2), 1, decision=1), "j": Ballot((0, 0), 1)}
    assert found.models == 1
    assert found.facts() == {
        "Raters": "4 (answers of each: 2, 2, 1, 1)",
        "Adjudicated": "1 item",
    }


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"item": "k"}, "no item 'k' in the corpus"),
        ({"question": "valid"}, "asks 'valid' of 'i', not person, answer, natural"),
        ({"answer": "Cy"}, "'Cy' is no answer to answer of 'i'"),
        ({"reason": "boundary"}, "'Ann' with the reason 'boundary' is no answer"),
    ],
)
def test_lines_that_are_no_answers_are_refused(
    tmp_path: Path, wrong: dict[str, str], message: str
) -> None:
    corpus, lines = tmp_path / "corpus.jsonl", tmp_path / "a.jsonl"
    jsonl.write(corpus, [replace(EXAMPLE, id="i", candidates=EXAMPLES["i"])])
    judgements.write(lines, [said("ann", "Bea"), replace(said("ann", "Ann"), **wrong)])
    with pytest.raises(DataError, match=message) as caught:
        answers.gathered(corpus, [lines], events=False)
    assert (caught.value.path, caught.value.line) == (str(lines), 2)


def test_too_few_raters_are_not_low_agreement() -> None:
    assert annotate.fault(Ballot((2, 0), 0), 4) == "unfinished"
    assert annotate.fault(Ballot((3, 1), 0), 4) == "low_agreement"
    assert annotate.fault(Ballot((2, 2), 0), 4) == "no_majority"
    assert annotate.fault(Ballot((0, 0), 4), 4) == "no_answer"
    assert annotate.fault(Ballot((1, 1), 0, decision=0), 4) is None
    assert annotate.fault(Ballot((1, 1), 0, decision=2), 4) == "no_answer"
