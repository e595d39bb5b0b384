"""`corefmill stats`: what corpora are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from corefmill.cli.command import Argument
from corefmill.cli.plain_options import Json, Lang, Markdown, Quiet, Theirs
from corefmill.cli.printing import markdown, print_json, progress, table


def stats(
    paths: Annotated[
        list[Path],
        Argument(metavar="FILE|DIR...", help="Files, folders of them, or corpora."),
    ],
    form: Theirs = None,
    lang: Lang = "en",
    as_markdown: Markdown = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count documents, mentions, clusters, lengths, distances, labels, by split and in all.

    Splits are known by the names of files and folders. Event mentions have ambiguity and diversity
    as the WEC paper defines them.

    Examples:
        corefmill stats out/wikicrem-en
        corefmill stats litbank/conll --markdown
        corefmill stats WEC-Eng_dev.json --json
    """
    from corefmill.corpora.formats import registry
    from corefmill.corpora.statistics import by_split

    found = by_split(paths, registry.named(form) if form else None, lang, progress)
    if as_json:
        print_json(found)
        return
    for number, (schema, columns) in enumerate(found.items()):
        if number:
            print()
        names = list(dict.fromkeys(name for column in columns.values() for name in column))
        rows = [(name, *(_cell(column.get(name)) for column in columns.values())) for name in names]
        head = (schema.partition("/")[0], *columns)
        show = markdown if as_markdown else table
        print(show(head, rows, len(columns)))


def _cell(value: float | int | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"
