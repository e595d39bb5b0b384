"""Answers about candidates, from files of every kind, become votes."""

from __future__ import annotations

from pathlib import Path

from corefmill.annotate import answers, judgements
from corefmill.annotate.judgements import Judgement
from corefmill.builders.corpus import annotate, tasks
from corefmill.builders.corpus.tasks import Ballot
from corefmill.corpora import sheets

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
    head = ("item", "rater", "option_a", "option_b", "answer")
    sheets.write(sheet, [head, ("i", "dan", "Bea", "Ann", "a"), ("j", "dan", "Bea", "Ann", "x")])
    found = answers.gathered(tmp_path, [lines, sheet], events=False, adjudicator="eve")
    ballots = tasks.ballots(found.candidates(), EXAMPLES, found.decisions())
    assert ballots == {"i": Ballot((0, 2), 1, decision=1), "j": Ballot((0, 0), 1)}
    assert found.models == 1
    assert found.facts() == {
        "Raters": "4 (answers of each: 2, 2, 1, 1)",
        "Adjudicated": "1 item",
    }


def test_too_few_raters_are_not_low_agreement() -> None:
    assert annotate.fault(Ballot((2, 0), 0), 4) == "unfinished"
    assert annotate.fault(Ballot((3, 1), 0), 4) == "low_agreement"
    assert annotate.fault(Ballot((2, 2), 0), 4) == "no_majority"
    assert annotate.fault(Ballot((0, 0), 4), 4) == "no_answer"
    assert annotate.fault(Ballot((1, 1), 0, decision=0), 4) is None
    assert annotate.fault(Ballot((1, 1), 0, decision=2), 4) == "no_answer"
