"""The stages of the pronoun-problem builder: from articles to problems, one unit at a time.

Clean mode's are here, paper mode's in `paper`. A stage that needs the pipeline gathers the whole
unit, since pipelines are fast in batches only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from corefmill.builders.knowref import mined, paper, table
from corefmill.builders.knowref.filters import FILTERS, STRUCTURE, no_clause, not_the_pronoun
from corefmill.builders.knowref.mined import MinedProblem
from corefmill.builders.knowref.options import KnowrefOptions
from corefmill.builders.knowref.problem import Problem, ProblemFilter
from corefmill.builders.knowref.record import FoundProblem, records
from corefmill.builders.knowref.sentences import ProblemSpans, RawSentence, parses, sentences
from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import Analysis, Backend, load
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.spread import spread, with_surnames
from corefmill.builders.run.stages import Context, Stage


class StagesSetup:
    """Gives the stages to one worker process.

    A worker that is this process takes the pipeline that was loaded for the plan; other processes
    load their own, and the first one lets go of its.
    """

    def __init__(
        self, read: Stage, options: KnowrefOptions, pipeline: Backend | None = None
    ) -> None:
        self._read = read
        self._options = options
        self._pipeline = pipeline

    def __call__(self) -> Sequence[Stage]:
        """The stages, by a pipeline of their own."""
        pipeline, self._pipeline = self._pipeline, None
        if pipeline is None:
            pipeline = load(self._options.pipeline, self._options.lang)
        return [self._read, *stages(self._options, pipeline)]

    def __reduce__(self) -> tuple[type[StagesSetup], tuple[Stage, KnowrefOptions]]:
        self._pipeline = None
        return StagesSetup, (self._read, self._options)


def stages(options: KnowrefOptions, pipeline: Backend) -> Sequence[Stage]:
    """From articles to records in the channel `examples`."""
    own, persons = table.load(options.lang), names_table.load(options.lang)
    genders = Genders(options.lang, persons)
    every, structure = FILTERS, STRUCTURE
    if options.mined:
        every, structure = mined.MINED_FILTERS, mined.STRUCTURE
    kept = {name: stops for name, stops in every.items() if name in options.filters}
    known = "gender_unknown" in kept
    finds: Sequence[Stage] = [
        partial(sentences, own, genders, known=known, mined=options.mined),
        partial(parses, pipeline),
        partial(problems, own, genders, mined=options.mined),
        partial(filters, {**structure, **kept}),
    ]
    if options.mode == "paper":
        finds = paper.stages(own, pipeline)
    return [*finds, partial(records, options.lang, own)]


def problems(
    table: KnowrefWords,
    genders: Genders,
    found: Iterator[tuple[RawSentence, Analysis]],
    context: Context,
    *,
    mined: bool = False,
) -> Iterator[Problem]:
    """Each sentence with the names that its article's sentences have together, at its first
    pronoun, and (unless `mined`) the last of its connectives that joins clauses."""
    for _, same in groupby(found, key=lambda pair: id(pair[0].article)):
        read = list(same)
        analyses = with_surnames([analysis for _, analysis in read])
        usage = read[0][0].usage.reading(analyses)
        named = spread(analyses, genders.words)
        for (sentence, _), analysis, names in zip(read, analyses, named, strict=True):
            problem = (MinedProblem if mined else Problem)(
                sentence=sentence,
                read=analysis,
                names=tuple(names),
                usage=usage,
                persons=sentence.persons,
                table=table,
                words=genders.words,
                genders=genders,
            )
            yield problem if mined else _at_clause(problem)


def _at_clause(problem: Problem) -> Problem:
    """Move to the first pronoun by the parse, and the last connective of clauses before it."""
    found = (_at_place(problem, place) for place in (problem.spans, *problem.spans.later))
    asked = next((tried for tried in found if not not_the_pronoun(tried)), None)
    if asked is None:
        return problem
    tries = (_at_place(problem, place) for place in (asked.spans, *asked.spans.earlier))
    return next((tried for tried in tries if not no_clause(tried)), asked)


def _at_place(problem: Problem, place: ProblemSpans) -> Problem:
    return replace(problem, sentence=replace(problem.sentence, spans=place))


def filters(
    kept: Mapping[str, ProblemFilter], found: Iterator[Problem], context: Context
) -> Iterator[FoundProblem]:
    """Apply the filters."""
    for problem in found:
        fault = next((name for name, stops in kept.items() if stops(problem)), None)
        if fault is None:
            yield _make_found(problem)
        else:
            context.reject(
                fault,
                {
                    "title": problem.sentence.article.title,
                    "text": problem.text,
                    "candidates": list(problem.candidates),
                    "pronoun": list(problem.spans.pronoun),
                },
            )


def _make_found(problem: Problem) -> FoundProblem:
    first, second = problem.candidates
    sentence = problem.sentence
    return FoundProblem(
        article=sentence.article,
        paragraph=sentence.paragraph.index,
        start=sentence.start,
        text=problem.text,
        candidates=(first, second),
        mentions=tuple(
            ((first, second).index(name.text), name.start, name.end)
            for name in problem.names
            if name.text in (first, second)
        ),
        connective=problem.spans.connective,
        pronoun=problem.spans.pronoun,
        tokens=problem.read.tokens,
        gender=problem.gender,
        inflected=problem.inflected,
        pattern=problem.spans.pattern,
        sentences=sentence.sentences,
        place=sentence.paragraph.place(sentence.start, sentence.start + len(problem.text)),
        label=problem.label if isinstance(problem, MinedProblem) else None,
    )
