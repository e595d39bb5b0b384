"""`corefmill annotate table`: answers in tables of any design become judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corefmill.cli.plain_options import Json, Overwrite, Quiet
from corefmill.cli.printing import print_result
from corefmill.corpora.atomic import make_way

EXAMPLES = """Examples:

    corefmill annotate table benchmarks/readings/answers.toml --out out/readings

    corefmill annotate report --models out/readings/wec-blind.jsonl
"""


def table(
    description: Annotated[
        Path, typer.Argument(metavar="FILE.toml", help="Which columns are what, CSV by CSV.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="A folder for the judgements, a file for each CSV.")
    ],
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Turn CSV files of answers into judgements, as a description beside them says.

    benchmarks/readings/answers.toml of the repository is one, with every key explained.
    """
    from corefmill.annotate import answer_tables, judgements

    found = dict(answer_tables.read(description))
    targets = {out / f"{Path(name).stem}.jsonl": said for name, said in found.items()}
    make_way(*targets, overwrite=overwrite)
    counts = {path.name: judgements.write(path, said) for path, said in targets.items()}
    said = f"{sum(counts.values()):,} judgements of {len(counts)} files are in {out}."
    result = {"out": str(out), "judgements": counts}
    print_result(result, said, as_json=as_json, quiet=quiet)
