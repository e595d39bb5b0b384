"""A masked-LM scorer as a rater: which candidate it takes for the masked name or the pronoun."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corefmill.annotate.asking.run import ItemQuestion, RaterOutcome
from corefmill.annotate.judgements import Judgement
from corefmill.corpora import find
from corefmill.corpora.errors import UsageError
from corefmill.corpora.records import MaskedExample

if TYPE_CHECKING:
    from corefmill.coref_model.prediction.predictor import Predictor

QUESTION = "answer"
"""The one question that a scorer of candidates can answer."""
TIE = "tie"


def run(model: Predictor, name: str, corpus: Path, asked: Sequence[ItemQuestion]) -> RaterOutcome:
    """The candidate that scores highest as the vote on each item; of a tie there is none.

    A vote has no time, since a scorer gives the same at any: two runs write the same bytes.
    Only questions called "answer" may be asked. Raises `DataError` where the model is no scorer of
    candidates, and `UsageError` where there is no such question.
    """
    places = {one.item.id: one.place for one in asked if one.question.name == QUESTION}
    if not places:
        raise UsageError(
            "a masked-LM scorer answers which candidate is meant, and that is not asked here",
            remedy="give masked names or pronoun problems, and no other --question than answer",
        )
    found = find.at(corpus)
    examples = [
        record
        for split in found.splits
        for record in find.records(found, split)
        if isinstance(record, MaskedExample) and record.id in places
    ]
    made = RaterOutcome(questions=len(examples), flagged=0, asked=len(examples))
    for example, scores in zip(examples, model.answers(examples), strict=True):
        if scores.choice is None:
            made.without_vote[TIE].append((example.id, QUESTION))
            continue
        vote = Judgement(
            item=example.id,
            rater=name,
            person=False,
            question=QUESTION,
            answer=example.candidates[scores.choice],
        )
        made.votes.append(vote)
    return made
