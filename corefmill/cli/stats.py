"""`corefmill stats`: what corpora are made of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from corefmill.cli import tables
from corefmill.cli.plain_options import Json, Lang, Theirs
from corefmill.corpora import discover
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.splits import below, split_of
from corefmill.corpora.statistics import Figures, Statistics, statistics_of

EXAMPLES = """Examples:

    corefmill stats out/wikicrem-en

    corefmill stats litbank/conll --markdown

    corefmill stats WEC-Eng_dev.json --json
"""


def stats(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|DIR...", help="Files, folders of them, or corpora."),
    ],
    form: Theirs = None,
    lang: Lang = "en",
    markdown: Annotated[bool, typer.Option("--markdown", help="A table in Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Count documents, mentions, clusters, lengths, distances, labels, by split and in all.

    Splits are known by the names of files and folders. Event mentions have ambiguity and diversity
    as the WEC paper defines them.
    """
    found = _count(paths, registry.named(form) if form else None, lang)
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
        return
    for number, (schema, columns) in enumerate(found.items()):
        if number:
            print()
        names = list(dict.fromkeys(name for column in columns.values() for name in column))
        rows = [(name, *(_cell(column.get(name)) for column in columns.values())) for name in names]
        head = (schema.partition("/")[0], *columns)
        show = tables.markdown if markdown else tables.table
        print(show(head, rows, len(columns)))


def _count(paths: Sequence[Path], form: Format | None, lang: str) -> dict[str, dict[str, Figures]]:
    """Figures by schema and column: each split where there are several, and all."""
    made: dict[str, dict[str, Statistics]] = {}
    for path, own in discover.named(paths, form).items():
        columns = made.setdefault(own.schema, {})
        names = ("all", split) if (split := split_of(below(path, paths))) else ("all",)
        for name in names:
            columns.setdefault(name, statistics_of(own.schema))
        for _, record in tqdm(
            own.read(path, lang), unit=" records", delay=2, disable=None, leave=False
        ):
            for name in names:
                columns[name].add(record)
    order = ["train", "validation", "test", "all"]
    return {
        schema: {
            name: columns[name].figures()
            for name in sorted(columns, key=order.index)
            if len(columns) > 2 or name == "all"
        }
        for schema, columns in made.items()
    }


def _cell(value: float | int | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"
