"""`build knowref`: from a dump, text, comments or subtitles to a corpus of pronoun problems.

The stages of clean mode are below, those of paper mode in `paper`. A stage that needs the pipeline
gathers the whole unit, since pipelines are fast in batches only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import groupby

from corefmill.builders.corpus.corpus import DEFAULT_FILTERS
from corefmill.builders.corpus.masked import JudgedBuilder
from corefmill.builders.corpus.options import describe_filters, idle_warnings
from corefmill.builders.knowref import mined, paper, table
from corefmill.builders.knowref.assemble import KnowrefContents, MinedContents
from corefmill.builders.knowref.filters import FILTERS, STRUCTURE, no_clause, not_the_pronoun
from corefmill.builders.knowref.options import ON_CORPUS, KnowrefOptions
from corefmill.builders.knowref.problem import Problem, ProblemFilter
from corefmill.builders.knowref.record import FoundProblem, make_records
from corefmill.builders.knowref.sentences import (
    ProblemSpans,
    RawSentence,
    find_sentences,
    parse_sentences,
)
from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import Analysis, Backend, load_pipeline
from corefmill.builders.persons import table as names_table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.spread import relabel_surnames, spread_names
from corefmill.builders.run.stages import Context, Setup, Stage
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.dump.locate import ShippedSample

_LIMITS = (
    "Names come from a recogniser and clauses from a parser, and are wrong where these are wrong.",
    "Whether a person is a man or a woman is told by the text's honorifics, given names and"
    " pronouns, and is wrong where these mislead.",
    "A person who is called by no name, but by a noun that the table does not list, is not seen.",
)
_DROPPED = (
    "The language leaves subjects unsaid: only pronouns that stand in the text are asked for, and"
    " these often mark a change of subject, so nothing is said of subjects left out."
)
_MINED_LIMITS = (
    "A label is right where the pronoun means one of the two persons at all; of some it means"
    " somebody named earlier in the text, whom the passage does not show.",
    "The text was written of a man and a woman: with both names of one gender a reader may find the"
    " pronoun ambiguous, or take it for the other.",
)
_PAPER_LIMITS = (
    "NLTK's splitter, its treebank sample, Stanford's tagger and CoreNLP are replaced by the"
    " pipeline; a sentence that made the published code fail is lost alone, not with its chunk.",
)


_TITLES = {False: "KnowRef, {}: pronoun problems", True: "Mined pronouns, {}"}
_METHODS = {
    False: "KnowRef-60K (Emami et al. 2020), section 5.2",
    True: "names swapped as in KnowRef (Emami et al. 2019), labels by the gender told before",
}
_LABELS = {
    False: "none: every label is null until people have answered (`corefmill annotate`)",
    True: "mined: the one of two persons before the pronoun who is of its gender",
}
"""By whether pronouns are mined."""


class Knowref(JudgedBuilder[KnowrefOptions]):
    """Pronoun problems: input, stages, splits and card."""

    name = "knowref"
    on_corpus = ON_CORPUS
    sample = ShippedSample.tales

    def __init__(self, options: KnowrefOptions, inputs: Sequence[Input] = ()) -> None:
        self.mined = options.mined
        self.title = _TITLES[self.mined]
        self.contents = MinedContents if self.mined else KnowrefContents
        super().__init__(options, inputs)
        self.words = table.load(self.lang)
        every = {**FILTERS, **mined.MINED_FILTERS}
        self.idle = names_table.list_idle_filters(self.options.filters, every, self.lang)

    @property
    def corpus_name(self) -> str:
        """The name of the corpus, by how its labels come."""
        return f"{'pronouns' if self.options.mined else 'knowref'}-{self.lang}"

    @cached_property
    def pipeline(self) -> Backend:
        """The pipeline for names and trees."""
        return load_pipeline(self.options.pipeline, self.lang)

    def stages(self) -> Setup:
        """Return the maker of a worker's stages."""
        return partial(setup, self.given.reader, self.options)

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        options = self.options
        names = "drawn anew, of the pronoun's gender"
        if self.words.swapped_cases:
            cases = ", ".join(sorted(self.words.swapped_cases))
            names += f"; the text's own where one of them is in another case than {cases}"
        facts = {
            "Labels": _LABELS[self.mined],
            "Language": self.lang,
            "Mode": self.mode,
            "Method": _METHODS[self.mined],
            "Parsed by": self.pipeline.version,
            "Names": names,
            "Seed": str(options.seed),
        }
        if self.mode == "clean":
            facts |= describe_filters(options.filters, self.idle)
        return facts

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method."""
        dropped = (_DROPPED,) if self.words.drops_subjects else ()
        mined = _MINED_LIMITS if self.mined else ()
        return (*_LIMITS, *dropped, *mined, *(_PAPER_LIMITS if self.mode == "paper" else ()))

    def warnings(self) -> Sequence[str]:
        """Name the filters without effect here."""
        return idle_warnings(self.idle, self.lang)

    def filter_setting(self) -> str:
        """Name the default setting of filters, "" if a filter is left out or pronouns are mined."""
        options = self.options
        plain = KnowrefOptions(lang=self.lang, mode=options.mode)
        own = (options.filters, options.mined)
        return DEFAULT_FILTERS if own == (plain.filters, False) else ""


def setup(read: Stage, options: KnowrefOptions) -> Sequence[Stage]:
    """Make the stages for one worker process, with its pipeline."""
    return [read, *stages(options, load_pipeline(options.pipeline, options.lang))]


def stages(options: KnowrefOptions, pipeline: Backend) -> Sequence[Stage]:
    """List the stages that make records of the channel `examples` from articles."""
    own, persons = table.load(options.lang), names_table.load(options.lang)
    genders = Genders(options.lang, persons)
    every, structure = FILTERS, STRUCTURE
    if options.mined:
        every, structure = mined.MINED_FILTERS, mined.STRUCTURE
    kept = {name: stops for name, stops in every.items() if name in options.filters}
    known = "gender_unknown" in kept
    finds: Sequence[Stage] = [
        partial(find_sentences, own, genders, known=known, mined=options.mined),
        partial(parse_sentences, pipeline),
        partial(make_problems, own, genders, mined=options.mined),
        partial(apply_filters, {**structure, **kept}),
    ]
    if options.mode == "paper":
        finds = paper.stages(own, pipeline)
    return [*finds, partial(make_records, options.lang, own)]


def make_problems(
    table: KnowrefWords,
    genders: Genders,
    sentences: Iterator[tuple[RawSentence, Analysis]],
    context: Context,
    *,
    mined: bool = False,
) -> Iterator[Problem]:
    """Join each sentence with the names found in all sentences of its article.

    Unless `mined`, the parse chooses the pronoun and the connective of the problem: the first true
    pronoun, and the last connective before it that joins clauses.
    """
    for _, same in groupby(sentences, key=lambda pair: id(pair[0].article)):
        read = list(same)
        analyses = relabel_surnames([analysis for _, analysis in read])
        usage = read[0][0].usage.take_analyses(analyses)
        named = spread_names(analyses, genders.words)
        for (sentence, _), analysis, names in zip(read, analyses, named, strict=True):
            problem = Problem(
                sentence=sentence,
                read=analysis,
                names=tuple(names),
                usage=usage,
                persons=sentence.persons,
                table=table,
                words=genders.words,
                mined=mined,
            )
            yield problem if mined else _move_to_clause(problem)


def _move_to_clause(problem: Problem) -> Problem:
    """Return the problem at the first true pronoun and the last connective of clauses before."""

    def move(places: Sequence[ProblemSpans]) -> Iterator[Problem]:
        return (replace(problem, sentence=replace(problem.sentence, spans=one)) for one in places)

    tries = move((problem.spans, *problem.spans.later))
    asked = next((tried for tried in tries if not not_the_pronoun(tried)), None)
    if asked is None:
        return problem
    tries = move((asked.spans, *asked.spans.earlier))
    return next((tried for tried in tries if not no_clause(tried)), asked)


def apply_filters(
    kept: Mapping[str, ProblemFilter], problems: Iterator[Problem], context: Context
) -> Iterator[FoundProblem]:
    """Reject the problems that a filter stops, and pass the others on."""
    for problem in problems:
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
