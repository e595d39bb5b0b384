"""`build ontonotes-it`: the command, a preset of `build translate`."""

from __future__ import annotations

from typing import Annotated

from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.command import Option
from corefmill.cli.options import INPUT, CommandLine, WorkOptions
from corefmill.cli.translate import Languages, Method, TranslateInput, TranslateWay, run
from corefmill.cli.translator_options import TranslatorOptions


def ontonotes_it(
    *,
    given: TranslateInput,
    nlp_it: Annotated[
        str | None,
        Option(
            "--nlp-it",
            "--nlp-to",
            help="Pipeline that parses the Italian.",
            default="Stanza's model if it is here, else ours, else spaCy's largest installed",
            panel=INPUT,
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

    Examples:
        build ontonotes-it
        build ontonotes-it --source conll-2012/v4/data --workers 8
        build ontonotes-it --source ontogum.train.conll --translator apertium --mode paper
        build ontonotes-it --translator argos --model en_it.argosmodel --without subject-deletion
    """
    languages = Languages(to_lang="it", method=Method.placeholders, nlp_to=nlp_it)
    run("ontonotes-it", languages, given, translator, way, work, cluster, line)
