"""A model whose answers the test writes down: for each candidate a score, by its string."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from corefmill.coref_model.evaluation.masked import Placed
from corefmill.coref_model.evaluation.rows import ScoredSplit
from corefmill.coref_model.masked.answers import CandidateScores
from corefmill.corpora.records import MaskedExample
from tests.coref_model.masked import passages


class Written:
    """Answers with the scores written down; what is not stands at -10."""

    def __init__(self, scores: Mapping[str, float], cut: Sequence[str] = ()) -> None:
        self.scores = scores
        self.cut = cut
        self.asked: list[MaskedExample] = []

    settings = None

    def __call__(self, examples: Iterable[MaskedExample]) -> Iterator[CandidateScores]:
        batch = list(examples)  # a model reads ahead
        self.asked += batch
        for example in batch:
            values = tuple(self.scores.get(name, -10.0) for name in example.candidates)
            yield CandidateScores(values, cut=example.id in self.cut)

    answers = __call__  # as of a predictor


def example(
    text: str, candidates: Sequence[str], label: int | None, name: str = "1", target: str = "she"
) -> MaskedExample:
    """An example whose target is the first of that string in the text."""
    return passages.example(text, target, *candidates, label=label, name=name)


def placed(*examples: MaskedExample, file: str = "test.txt") -> list[Placed]:
    """The examples, each as if it stood on a line of one file."""
    return [(Path(file), number, one) for number, one in enumerate(examples, 1)]


def split(corpus: str) -> ScoredSplit:
    """The split `test` of a corpus."""
    return ScoredSplit(corpus, "test", 0)
