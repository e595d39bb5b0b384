"""The stages of the pronoun-problem builder: from articles to problems, one unit at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from corefmill.builders.knowref import paper, table
from corefmill.builders.knowref.filters import FILTERS, STRUCTURE, no_clause
from corefmill.builders.knowref.options import KnowrefOptions
from corefmill.builders.knowref.problem import Problem
from corefmill.builders.knowref.record import FoundProblem, record
from corefmill.builders.knowref.sentences import ProblemSpans, RawSentence, sentences
from corefmill.builders.nlp import Analysis, Backend, load
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.spread import spread
from corefmill.builders.persons.view import Usage
from corefmill.builders.runner.stages import Context, Out, Stage


def setup(read: Stage, options: KnowrefOptions) -> Sequence[Stage]:
    """The stages for one worker process; loads the pipeline."""
    pipeline = load(options.nlp, options.lang)
    miner = paper.Miner if options.mode == "paper" else Miner
    return [read, miner(options, pipeline)]


class Miner:
    """Turns articles into problems; a sentence that a filter stops is counted under its name."""

    def __init__(self, options: KnowrefOptions, pipeline: Backend) -> None:
        self._options = options
        self._pipeline = pipeline
        self._table = table.load(options.lang)
        self._words = names_table.load(options.lang)
        self._genders = Genders(options.lang, self._words)
        kept = {name: stops for name, stops in FILTERS.items() if name in options.filters}
        self._filters = {**STRUCTURE, **kept}

    def __call__(self, articles: Iterator[Any], context: Context) -> Iterator[Out]:
        """Yields to the channel `examples`."""
        found = list(sentences(articles, self._table, self._words, context))
        for problem in self._problems(found):
            fault = next((name for name, stops in self._filters.items() if stops(problem)), None)
            if fault is not None:
                context.reject(fault, _rejected(problem))
                continue
            yield Out(
                "examples",
                record(
                    _found(problem),
                    self._options.lang,
                    self._table,
                    swap=self._options.swap,
                    seed=context.seed,
                ),
            )

    def _problems(self, found: list[RawSentence]) -> Iterator[Problem]:
        """Each sentence parsed, with the names that its article's sentences have together."""
        analyses = self._pipeline.full(sentence.text for sentence in found)
        pairs = zip(found, analyses, strict=True)
        for _, same in groupby(pairs, key=lambda pair: id(pair[0].article)):
            read: list[tuple[RawSentence, Analysis]] = list(same)
            own = [analysis for _, analysis in read]
            usage = Usage(read[0][0].article, own)
            for (sentence, analysis), names in zip(read, spread(own, self._words), strict=True):
                yield _placed(
                    Problem(
                        sentence=sentence,
                        read=analysis,
                        names=tuple(names),
                        usage=usage,
                        table=self._table,
                        words=self._words,
                        genders=self._genders,
                    )
                )


def _placed(problem: Problem) -> Problem:
    """The problem at the last of its connectives that joins clauses, by the parse."""
    place = problem.place
    for span in (place.connective, *place.earlier):
        moved = replace(problem.sentence, place=ProblemSpans(span, place.pronoun))
        if not no_clause(tried := replace(problem, sentence=moved)):
            return tried
    return problem


def _found(problem: Problem) -> FoundProblem:
    first, second = problem.candidates
    return FoundProblem(
        article=problem.sentence.article,
        paragraph=problem.sentence.paragraph.index,
        start=problem.sentence.start,
        text=problem.text,
        candidates=(first, second),
        mentions=tuple(
            ((first, second).index(name.text), name.start, name.end)
            for name in problem.names
            if name.text in (first, second)
        ),
        connective=problem.place.connective,
        pronoun=problem.place.pronoun,
        tokens=problem.read.tokens,
        gender=problem.gender,
    )


def _rejected(problem: Problem) -> dict[str, Any]:
    return {
        "title": problem.sentence.article.title,
        "text": problem.text,
        "candidates": list(problem.candidates),
        "pronoun": list(problem.place.pronoun),
    }
