"""`build wikicrem`: the command."""

from __future__ import annotations

from typing import Annotated

from corefmill.builders.wikicrem.options import FILTERS, WikicremOptions
from corefmill.cli.options import (
    BoundOptions,
    ClusterOptions,
    CommandLine,
    InputOptions,
    Mode,
    Rules,
    SplitOptions,
    WorkOptions,
    grouped,
)
from corefmill.cli.plain_options import without_option

EXAMPLES = """Examples:

    build wikicrem --lang en

    build wikicrem --lang en --dump latest --workers 8

    build wikicrem --lang en --text novels/ --out out/novels

    build wikicrem --lang de --nlp de_core_news_lg --dump 'dewiki-*.xml.bz2'

    build wikicrem --lang en --mode paper --json
"""


@grouped
def wikicrem(
    *,
    source: InputOptions,
    mode: Rules = Mode.clean,
    without: Annotated[list[str] | None, without_option(FILTERS)] = None,
    size: SplitOptions,
    bound: BoundOptions,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Masked names: passages where a person's name recurs, one occurrence to be guessed.

    After WikiCREM (Kocijan et al. 2019). A run that was stopped goes on where it was when the same
    command is given again.
    """
    from corefmill.builders import nlp
    from corefmill.builders.wikicrem import build as wikicrem_build
    from corefmill.cli.builds import build, given

    lang = source.lang
    options = WikicremOptions.make(
        lang, mode.value, source.nlp or nlp.choose(lang), tuple(sorted(set(without or ())))
    )
    request = work.request(f"wikicrem-{lang}", line, size.limit)
    job, assembly = wikicrem_build.plan(
        options,
        given(source, work, cluster),
        request,
        validation=size.validation,
        bounds=bound.bounds(),
    )
    build(job, assembly, work, cluster)
