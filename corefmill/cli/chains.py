"""`build chains`: the command."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.command import Option
from corefmill.cli.options import CommandLine, InputOptions, SplitOptions, WorkOptions


def chains(
    *,
    source: InputOptions,
    least: Annotated[
        float,
        Option(
            min=0,
            max=1,
            help="Least confidence of a link: a sentence with a less sure one is in doubt,"
            " and ends the passage.",
        ),
    ] = 0.85,
    size: SplitOptions,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Silver coreference: passages of any text in which it is not in doubt who is who.

    Names and gendered pronouns of persons become chains by rules, each link with a confidence; a
    sentence in which one of them is in doubt ends the passage. A run that was stopped goes on where
    it was when the same command is given again.

    Examples:
        build chains --lang en
        build chains --lang de --text novels/ --out out/silver
        build chains --lang en --dump latest --workers 8
        build chains --lang it --text novels/ --least 0.95
        train coref --corpus chains --lang en --encoder tiny
    """
    from corefmill.builders import nlp
    from corefmill.builders.chains import build as chains_build
    from corefmill.builders.chains.stages import ChainsOptions
    from corefmill.builders.wiki.known_persons import first_pass
    from corefmill.cli.builds import build, given

    lang = source.lang
    options = ChainsOptions(lang, source.nlp or nlp.choose(lang), least)
    request = work.request(f"chains-{lang}", line, size.limit)
    found = given(source, work)
    job, assembly = chains_build.plan(options, found, request, validation=size.validation)
    first = partial(first_pass, options.nlp, lang, found.source, request.out, None)
    build(job, assembly, work, cluster, first)
