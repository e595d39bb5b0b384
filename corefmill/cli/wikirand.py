"""`build wikirand`: the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.command import Option
from corefmill.cli.options import (
    CommandLine,
    InputOptions,
    Mode,
    WorkOptions,
)


def wikirand(
    *,
    like: Annotated[
        Path | None,
        Option(
            help="The corpus whose size and passage lengths are matched.",
            default="out/wikicrem-LANG",
        ),
    ] = None,
    source: InputOptions,
    mode: Annotated[
        Mode | None,
        Option(
            help="In paper mode, words are ASCII and the right one comes first.",
            default="the mode of --like",
        ),
    ] = None,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Masked random words: the control for masked names, of the same size and passage lengths.

    RandomWiki of section 6.1 of Kocijan et al. (2019): random passages, a random word masked, the
    wrong candidate a random word. Name the input that the corpus in --like was made from.

    Examples:
        build wikirand --lang en
        build wikirand --lang en --like out/novels --text novels/ --out out/novels-random
    """
    from corefmill.builders import nlp
    from corefmill.builders.wikirand import build as wikirand_build
    from corefmill.builders.wikirand.quotas import Quotas
    from corefmill.cli.builds import build, given

    lang = source.lang
    quotas = Quotas.of_corpus(like or Path("out") / f"wikicrem-{lang}", lang)
    job, assembly = wikirand_build.plan(
        lang,
        quotas.mode if mode is None else mode.value,
        source.nlp or nlp.choose(lang),
        quotas,
        given(source, work),
        work.request(f"wikirand-{lang}", line),
    )
    build(job, assembly, work, cluster)
