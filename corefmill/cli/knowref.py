"""`build knowref`: the command."""

from __future__ import annotations

from typing import Annotated

from corefmill.builders.knowref.options import FILTERS, KnowrefOptions
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.cli.cluster_options import ClusterOptions
from corefmill.cli.command import Option
from corefmill.cli.options import (
    BoundOptions,
    CommandLine,
    Mode,
    Rules,
    SourceOptions,
    SplitOptions,
    WorkOptions,
)
from corefmill.cli.plain_options import without_option


def knowref(
    *,
    source: SourceOptions,
    mode: Rules = Mode.clean,
    without: Annotated[list[str] | None, without_option(FILTERS)] = None,
    keep_names: Annotated[
        bool,
        Option("--keep-names", help="Leave the persons their own names."),
    ] = False,
    mined: Annotated[
        bool,
        Option(
            "--mined",
            help="Take pronouns before which stand a man and a woman: their gender is the label.",
        ),
    ] = False,
    size: SplitOptions,
    bound: BoundOptions,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Pronoun problems: sentences with two persons and a pronoun that may be either.

    After KnowRef-60K (Emami et al. 2020). The persons get names of the pronoun's gender, and the
    answers are left to people: `corefmill annotate`. Clean mode takes pairs of sentences, too, with
    the pronoun at the head of the second. With --mined gender tells whom a pronoun means, both
    persons get names of that gender, and every problem has its label. --keep-rejects keeps the text
    of what held a pronoun and a connective. A run that was stopped goes on where it was when the
    same command is given again.

    Examples:
        build knowref --lang en
        build knowref --lang en --text novels/ --out out/problems
        build knowref --lang en --reddit 'RC_2019-*.zst' --workers 8
        build knowref --lang en --text novels/ --mined
        build knowref --lang en --dump latest --mode paper
        corefmill annotate export out/knowref-en --out tasks.csv
    """
    from corefmill.builders import nlp
    from corefmill.builders.knowref import build as knowref_build
    from corefmill.cli.builds import build, given

    lang = source.lang
    pipeline = source.nlp or nlp.choose(lang)
    name = "pronouns" if mined else "knowref"
    request = work.request(f"{name}-{lang}", line, size.limit)
    names = tuple(sorted(set(without or ())))
    options = KnowrefOptions.make(
        lang, mode.value, pipeline, names, swap=not keep_names, mined=mined
    )
    found = given(source, work, sample=ShippedSample.tales)
    job, assembly = knowref_build.plan(
        options, found, request, validation=size.validation, bounds=bound.bounds()
    )
    build(job, assembly, work, cluster)
