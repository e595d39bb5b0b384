"""`build knowref`: from a dump, text, comments or subtitles to a corpus of pronoun problems."""

from __future__ import annotations

from functools import partial

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.assembly import Assembly, planned
from corefmill.builders.corpus.bounds import NO_BOUNDS, Bounds
from corefmill.builders.corpus.corpus import DEFAULT_FILTERS, BuildRequest, Corpus
from corefmill.builders.corpus.filters import described, idle_warnings
from corefmill.builders.knowref import table
from corefmill.builders.knowref.assemble import KnowrefContents, MinedContents
from corefmill.builders.knowref.filters import FILTERS
from corefmill.builders.knowref.mined import MINED_FILTERS
from corefmill.builders.knowref.options import ON_CORPUS, KnowrefOptions
from corefmill.builders.knowref.stages import StagesSetup
from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import load
from corefmill.builders.persons import table as names_table
from corefmill.builders.run.job import Job
from corefmill.builders.sources.inputs import Input

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


def plan(
    options: KnowrefOptions,
    given: Input,
    request: BuildRequest,
    *,
    validation: int | None,
    bounds: Bounds = NO_BOUNDS,
) -> tuple[Job, Assembly]:
    """What to run, and what to make of it.

    Raises `UsageError` if the pipeline does not load or the language has no table, before any
    work is done.
    """
    words = table.load(options.lang)
    pipeline = load(options.nlp, options.lang)
    idle = names_table.idle(options.filters, {**FILTERS, **MINED_FILTERS}, options.lang)
    facts = {
        "Labels": _LABELS[options.mined],
        "Language": options.lang,
        "Mode": options.mode,
        "Method": _METHODS[options.mined],
        "Parsed by": pipeline.version,
        "Names": _names(words) if options.swap else "the text's own",
        "Seed": str(request.seed),
    }
    if options.mode == "clean":
        facts |= described(options.filters, idle)
    facts |= bounds.described
    corpus = Corpus(
        name=f"{'pronouns' if options.mined else 'knowref'}-{options.lang}",
        title=_TITLES[options.mined].format(options.lang),
        lang=options.lang,
        mode=options.mode,
        out=request.out,
        seed=request.seed,
        licence=given.licence,
        attribution=given.attribution,
        texts=given.name,
        filters=DEFAULT_FILTERS
        if options == options.make(options.lang, options.mode, options.nlp)
        else "",
        command=request.command,
        pipeline=pipeline.version,
        facts=facts,
        limits=_limits(words, options.mode, mined=options.mined),
        warnings=idle_warnings(idle, options.lang),
    )
    contents = MinedContents if options.mined else KnowrefContents
    choose = partial(
        contents.chosen,
        filters=tuple(name for name in ON_CORPUS if name in options.filters),
        validation=validation,
        bounds=bounds,
    )
    return planned(
        corpus,
        request,
        builder="knowref",
        source=given.source,
        setup=StagesSetup(given.reader, options, pipeline),
        channels=(masked.CHANNEL,),
        options={
            **options.as_json(),
            **bounds.as_json(),
            "validation": validation,
            "pipeline": pipeline.identity,
        },
        schema=masked.SCHEMA,
        choose=choose,
        data_files=masked.data_files(contents.forms(options.mode)),
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


def _limits(words: KnowrefWords, mode: str, *, mined: bool = False) -> tuple[str, ...]:
    """What the card says that the corpus does not have."""
    dropped = (_DROPPED,) if words.drops_subjects else ()
    more = (*(_MINED_LIMITS if mined else ()), *(_PAPER_LIMITS if mode == "paper" else ()))
    return (*_LIMITS, *dropped, *more)


def _names(words: KnowrefWords) -> str:
    """Where the names of a corpus whose persons are renamed come from."""
    said = "drawn anew, of the pronoun's gender"
    if not words.swapped_cases:
        return said
    cases = ", ".join(sorted(words.swapped_cases))
    return f"{said}; the text's own where one of them is in another case than {cases}"
