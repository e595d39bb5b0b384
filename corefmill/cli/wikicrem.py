"""`build wikicrem`: the command."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from corefmill.builders.wikicrem.options import (
    FILTERS,
    MOST_SENTENCES,
    SENTENCES,
    WikicremOptions,
)
from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.command import Option
from corefmill.cli.options import (
    INPUT,
    BoundOptions,
    CommandLine,
    InputOptions,
    Mode,
    Rules,
    SplitOptions,
    WorkOptions,
)
from corefmill.cli.plain_options import without_option
from corefmill.corpora.errors import UsageError


def wikicrem(
    *,
    source: InputOptions,
    mode: Rules = Mode.clean,
    without: Annotated[list[str] | None, without_option(FILTERS)] = None,
    sentences: Annotated[
        int | None,
        Option(
            min=1,
            max=MOST_SENTENCES,
            help="Clean mode: how many sentences a passage has at most; the name stood in the"
            f" masked one or the one before it.  [default: {SENTENCES}]",
        ),
    ] = None,
    least: Annotated[
        float | None,
        Option(
            min=0,
            max=1,
            help="Clean mode: least confidence that a reader takes a pronoun there for the answer;"
            " more gives fewer and better examples.  [default: the language's own]",
        ),
    ] = None,
    persons: Annotated[
        Path | None,
        Option(
            help="With --nlp wiki: titles of articles that are persons, one a line, such as"
            " Wikidata's humans; besides those that the dump tells.",
            panel=INPUT,
        ),
    ] = None,
    size: SplitOptions,
    bound: BoundOptions,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Masked names: passages where a person's name recurs, one occurrence to be guessed.

    After WikiCREM (Kocijan et al. 2019). A run that was stopped goes on where it was when the same
    command is given again.

    Examples:
        build wikicrem --lang en
        build wikicrem --lang en --dump latest --workers 8
        build wikicrem --lang en --text novels/ --out out/novels
        build wikicrem --lang en --text novels/ --least 0.75
        build wikicrem --lang de --nlp de_core_news_lg --dump 'dewiki-*.xml.bz2'
        build wikicrem --lang ro --nlp wiki --dump 'rowiki-*.xml.bz2'
        build wikicrem --lang en --mode paper --json
    """
    from corefmill.builders import nlp
    from corefmill.builders.wiki.known_persons import first_pass
    from corefmill.builders.wikicrem import build as wikicrem_build
    from corefmill.cli.builds import build, given

    lang = source.lang
    if persons is not None and source.nlp != nlp.WIKI:
        raise UsageError(
            "--persons has titles for the names of --nlp wiki", remedy="give both, or leave it out"
        )
    options = WikicremOptions.make(
        lang,
        mode.value,
        source.nlp or nlp.choose(lang),
        tuple(sorted(set(without or ()))),
        sentences,
        least,
    )
    request = work.request(f"wikicrem-{lang}", line, size.limit)
    found = given(source, work)
    job, assembly = wikicrem_build.plan(
        options,
        found,
        request,
        validation=size.validation,
        bounds=bound.bounds(),
        persons=persons,
    )
    first = partial(first_pass, options.nlp, lang, found.source, request.out, persons)
    build(job, assembly, work, cluster, first)
