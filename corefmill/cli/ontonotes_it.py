"""`build ontonotes-it`: the command, a preset of `build translate`."""

from __future__ import annotations

from typing import Annotated

import typer

from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.grouping import grouped
from corefmill.cli.options import INPUT, CommandLine, WorkOptions
from corefmill.cli.translate import Languages, Method, TranslateInput, TranslateWay, run
from corefmill.cli.translator_options import TranslatorOptions

EXAMPLES = """Examples:

    build ontonotes-it

    build ontonotes-it --source conll-2012/v4/data --workers 8

    build ontonotes-it --source ontogum.train.conll --translator apertium --mode paper

    build ontonotes-it --translator argos --model en_it.argosmodel --without subject-deletion
"""


@grouped
def ontonotes_it(
    *,
    given: TranslateInput,
    nlp_it: Annotated[
        str | None,
        typer.Option(
            "--nlp-it",
            "--nlp-to",
            help="Pipeline that parses the Italian.",
            show_default="Stanza's model if it is here, else ours, else spaCy's largest installed",
            rich_help_panel=INPUT,
        ),
    ] = None,
    translator: TranslatorOptions,
    way: TranslateWay,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """OntoNotes to Italian: mentions give way to placeholders, text is translated, rules refine it.

    After Minutolo et al. (2022); the same as `build translate --from en --to it`. A run that was
    stopped goes on where it was when the same command is given again.
    """
    languages = Languages(to_lang="it", method=Method.placeholders, nlp_to=nlp_it)
    run("ontonotes-it", languages, given, translator, way, work, cluster, line)
