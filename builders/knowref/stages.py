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


def setup(read: Stage, options: KnowrefOptions) -> Sequence[Stage]:
    """Make the stages for one worker process, with its pipeline."""
    return [read, *stages(options, load(options.pipeline, options.lang))]


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
    """Join each sentence with the names found in all sentences of its article.

    Unless `mined`, the problem is put at its first pronoun by the parse, and at the last connective
    before that which joins clauses.
    """
    for _, same in groupby(found, key=lambda pair: id(pair[0].article)):
        read = list(same)
        analyses = with_surnames([analysis for _, analysis in read])
        usage = read[0][0].usage.reading(analyses)
        named = spread(analyses, genders.words)
        for (sentence, _), analysis, names in zip(read, analyses, named, strict=True):
            problem = Problem(
                sentence=sentence,
                read=analysis,
                names=tuple(names),
                usage=usage,
                persons=sentence.persons,
                table=table,
                words=genders.words,
                genders=genders,
                mined=mined,
            )
            yield problem if mined else _at_clause(problem)


def _at_clause(problem: Problem) -> Problem:
    """Move to the first pronoun by the parse, and the last connective of clauses before it."""

    def move(places: Sequence[ProblemSpans]) -> Iterator[Problem]:
        return (replace(problem, sentence=replace(problem.sentence, spans=one)) for one in places)

    tries = move((problem.spans, *problem.spans.later))
    asked = next((tried for tried in tries if not not_the_pronoun(tried)), None)
    if asked is None:
        return problem
    tries = move((asked.spans, *asked.spans.earlier))
    return next((tried for tried in tries if not no_clause(tried)), asked)


def filters(
    kept: Mapping[str, ProblemFilter], found: Iterator[Problem], context: Context
) -> Iterator[FoundProblem]:
    """Apply the filters."""
    for problem in found:
        sentence, spans = problem.sentence, problem.spans
        fault = next((name for name, stops in kept.items() if stops(problem)), None)
        if fault is not None:
            about = {
                "title": sentence.article.title,
                "text": problem.text,
                "candidates": list(problem.candidates),
                "pronoun": list(spans.pronoun),
            }
            context.reject(fault, about)
            continue
        first, second = problem.candidates
        yield FoundProblem(
            article=sentence.article,
            paragraph=sentence.paragraph.index,
            start=sentence.start,
            text=problem.text,
            candidates=(first, second),
            mentions=tuple(
                (problem.candidates.index(name.text), name.start, name.end)
                for name in problem.names
                if name.text in problem.candidates
            ),
            connective=spans.connective,
            pronoun=spans.pronoun,
            tokens=problem.read.tokens,
            gender=problem.gender,
            inflected=problem.inflected,
            pattern=spans.pattern,
            sentences=sentence.sentences,
            place=sentence.paragraph.place(sentence.start, sentence.start + len(problem.text)),
            label=problem.label,
        )
