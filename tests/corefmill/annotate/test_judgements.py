"""Judgements in JSON Lines, and what is gathered from several files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.annotate import judgements
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.store import is_rater_name
from corefmill.builders.corpus import annotate
from corefmill.builders.corpus.ballots import Ballot, count_votes
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from tests.corpora.test_records import EXAMPLE

ONE = Judgement(item="a-1", rater="ada", person=True, question="valid", answer="yes")
FULL = replace(
    ONE, reason="boundary", remark="tab\tand\nline", when="2026-11-23T09:30:00Z", seconds=4.5
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    st.builds(
        Judgement,
        item=TEXT,
        rater=TEXT.filter(is_rater_name),
        person=st.booleans(),
        question=TEXT,
        answer=TEXT | st.just(""),
        remark=TEXT | st.just(""),
        when=st.datetimes().map(lambda at: at.isoformat(timespec="seconds") + "+00:00"),
        seconds=st.none() | st.floats(0, 1e6),
    )
)
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, one: Judgement
) -> None:
    path = tmp_path_factory.getbasetemp() / "judgements.jsonl"
    assert judgements.write(path, [one, ONE]) == 2
    assert list(judgements.read(path)) == [one, ONE]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: line | {"person": "yes"}, "person: Input should be a valid boolean"),
        (lambda line: line | {"rater": " "}, "rater is empty"),
        (lambda line: line | {"rater": "a\nb: http://x/"}, "has a tab, a line end or a control"),
        (lambda line: line | {"mood": "good"}, "mood: Unexpected keyword argument"),
        (lambda line: line | {"when": "yesterday"}, "when 'yesterday' is not a time"),
        (lambda line: line | {"seconds": -1}, "seconds -1.0 is negative or not a number"),
        (lambda line: {"item": "a"}, "rater: Field required"),
    ],
)
def test_a_bad_line_is_named_with_its_number(
    tmp_path: Path, change: Callable[[dict[str, object]], object], said: str
) -> None:
    path = tmp_path / "j.jsonl"
    judgements.write(path, [FULL])
    line = json.loads(path.read_bytes())
    path.write_bytes(path.read_bytes() + json.dumps(change(line)).encode() + b"\n")
    with pytest.raises(DataError) as caught:
        list(judgements.read(path))
    assert caught.value.line == 2
    assert said in str(caught.value)


def test_the_newest_of_a_rater_on_an_item_and_question_counts() -> None:
    early, late = replace(FULL, answer="no", when="2026-11-23T09:29:59Z"), FULL
    undated = replace(FULL, answer="no", when="")
    elsewhere = replace(FULL, when="2026-11-23T11:00:00+02:00", answer="no")  # nine in UTC
    assert judgements.keep_newest([late, early, undated, elsewhere]) == [late]
    assert judgements.keep_newest([undated, early]) == [early]
    assert judgements.keep_newest([ONE, replace(ONE, answer="")]) == [replace(ONE, answer="")]
    same = replace(late, answer="no")
    assert judgements.keep_newest([late, same]) == [same]


EXAMPLES = {"i": ("Ann", "Bea"), "j": ("Ann", "Bea")}


def candidate(rater: str, answer: str, *, item: str = "i", person: bool = True) -> Judgement:
    return Judgement(item=item, rater=rater, person=person, question="answer", answer=answer)


def test_several_files_are_counted_together(tmp_path: Path) -> None:
    lines, more = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    given = [
        candidate("ann", "Ann"),
        candidate("ann", "Bea"),  # thought better of it
        candidate("ben", "none"),
        candidate("cat", ""),  # skipped
        candidate("gpt", "Ann", person=False),
        candidate("eve", "Bea"),
        Judgement(item="i", rater="ann", person=True, question="person", answer="yes"),
    ]
    judgements.write(lines, given)
    corpus = tmp_path / "corpus.jsonl"
    jsonl.write(
        corpus, [replace(EXAMPLE, id=name, candidates=own) for name, own in EXAMPLES.items()]
    )
    judgements.write(more, [candidate("dan", "Bea"), candidate("dan", "none", item="j")])
    found = judgements.gather_answers(corpus, [lines, more], adjudicator="eve")
    votes, decided = map(judgements.read_votes, (found.raters, found.decided))
    ballots = count_votes(votes, EXAMPLES, decided)
    assert ballots == {"i": Ballot((0, 2), 1, decision=1), "j": Ballot((0, 0), 1)}
    assert found.models == 1
    assert found.facts() == {"Raters": "4 (answers of each: 2, 2, 1, 1)", "Adjudicated": "1 item"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"item": "k"}, "the corpus has no item 'k'"),
        ({"question": "valid"}, "'i' has no question 'valid', only person, answer, natural"),
        ({"answer": "Cy"}, "'Cy' is not an answer to the question answer about 'i'"),
        ({"reason": "boundary"}, "'Ann' with the reason 'boundary' is not an answer"),
    ],
)
def test_lines_that_are_no_answers_are_refused(
    tmp_path: Path, wrong: dict[str, str], message: str
) -> None:
    corpus, lines = tmp_path / "corpus.jsonl", tmp_path / "a.jsonl"
    jsonl.write(corpus, [replace(EXAMPLE, id="i", candidates=EXAMPLES["i"])])
    judgements.write(lines, [candidate("ann", "Bea"), replace(candidate("ann", "Ann"), **wrong)])
    with pytest.raises(DataError, match=message) as caught:
        judgements.gather_answers(corpus, [lines])
    assert (caught.value.path, caught.value.line) == (str(lines), 2)


def test_too_few_raters_are_not_low_agreement() -> None:
    assert annotate.find_fault(Ballot((2, 0), 0), 4) == "unfinished"
    assert annotate.find_fault(Ballot((3, 1), 0), 4) == "low_agreement"
    assert annotate.find_fault(Ballot((2, 2), 0), 4) == "no_majority"
    assert annotate.find_fault(Ballot((0, 0), 4), 4) == "no_answer"
    assert annotate.find_fault(Ballot((1, 1), 0, decision=0), 4) is None
    assert annotate.find_fault(Ballot((1, 1), 0, decision=2), 4) == "no_answer"
