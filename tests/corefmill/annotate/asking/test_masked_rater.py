"""A scorer of candidates as a rater; what it scores with is tested in tests/coref_model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corefmill.annotate.asking import masked_rater
from corefmill.coref_model.masked.answers import CandidateScores
from corefmill.corpora.errors import UsageError
from corefmill.corpora.records import MaskedExample
from tests.corefmill.annotate.asking.model import asked, corpus, event
from tests.corefmill.annotate.asking.test_run import problem


class Scorer:
    """Prefers Eve, but cannot decide about the second problem."""

    def answers(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        for example in examples:
            yield CandidateScores((-2.0, -2.0 if example.id == "p1" else -1.0))


def test_the_best_candidate_is_the_vote_and_a_tie_is_none(tmp_path: Path) -> None:
    path = corpus(tmp_path, map(problem, range(3)))
    scorer: Any = Scorer()
    made = masked_rater.run(scorer, "model m, a masked-LM scorer", path, asked(path))
    assert [(vote.item, vote.question, vote.answer) for vote in made.votes] == [
        ("p0", "answer", "Eve0"),
        ("p2", "answer", "Eve2"),
    ]
    assert {(vote.rater, vote.person) for vote in made.votes} == {
        ("model m, a masked-LM scorer", False)
    }
    assert (made.questions, dict(made.without_vote)) == (3, {"tie": [("p1", "answer")]})
    drawn = masked_rater.run(scorer, "m", path, asked(path, limit=1))
    assert drawn.questions == 1


def test_votes_of_two_runs_are_the_same_whenever_they_were_made(tmp_path: Path) -> None:
    path = corpus(tmp_path, map(problem, range(3)))
    scorer: Any = Scorer()
    made = masked_rater.run(scorer, "m", path, asked(path))
    assert [(vote.when, vote.seconds) for vote in made.votes] == [("", None)] * 2


def test_it_answers_one_question_only(tmp_path: Path) -> None:
    path = corpus(tmp_path, [event(1)])
    scorer: Any = Scorer()
    with pytest.raises(UsageError, match="answers which candidate is meant"):
        masked_rater.run(scorer, "m", path, asked(path))
