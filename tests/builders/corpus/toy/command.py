"""`build toy`: the command; that of a real builder lies in corefmill/cli."""

from __future__ import annotations

from typing import Annotated

import typer

from corefmill.cli.grouping import grouped
from corefmill.cli.options import (
    WORK,
    ClusterOptions,
    CommandLine,
    InputOptions,
    WorkOptions,
)

EXAMPLES = """Examples:

    build toy --text novels/
"""


@grouped
def toy(
    *,
    source: InputOptions,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Stop at this many examples.", rich_help_panel=WORK),
    ] = None,
    work: WorkOptions,
    cluster: ClusterOptions,
    line: CommandLine,
) -> None:
    """Masked repeats: a capitalised word that comes again in its paragraph."""
    from corefmill.cli.builds import build, given
    from tests.builders.corpus.toy.build import plan

    request = work.request("toy-en", line, limit)
    job, assembly = plan(given(source, work), request)
    build(job, assembly, work, cluster)
