"""`corefmill corpora`: which corpora there are, which are here, and where to get the others."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corefmill.cli import completing
from corefmill.cli.plain_options import Json
from corefmill.cli.printing import print_json, table
from corefmill.corpora import disk

if TYPE_CHECKING:
    from corefmill.corpora.catalogue import DataDir

EXAMPLES = """Examples:

    corefmill corpora --data-dir data

    corefmill corpora wec-eng
"""


def corpora(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Explain this one.",
            show_default="list all",
            autocompletion=completing.corpora,
        ),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="Folder in which corpora lie.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the known corpora and those that builders made, and say which are here."""
    from corefmill.corpora.catalogue import DataDir, entries

    here = DataDir(data_dir) if data_dir else None
    if name:
        _explain(name, here, as_json)
        return
    found = {one.name: here.find(one) if here else {} for one in entries().values()}
    built = here.built() if here else []
    if as_json:
        listed = [{**asdict(one), "here": _as_json(found[one.name])} for one in entries().values()]
        made = [
            {
                "path": disk.shown(path),
                "name": made.name,
                "schema": made.schema,
                "splits": made.splits,
            }
            for path, made in built
        ]
        print_json({"corpora": listed, "built": made})
        return
    rows = [
        (one.name, one.kind, one.lang, one.format, one.licence, ", ".join(found[one.name]) or "-")
        for one in entries().values()
    ]
    print(table(("Corpus", "kind", "lang", "format", "licence", "here"), rows))
    if built:
        print()
        rows_built = [
            (
                str(path),
                made.schema.partition("/")[0],
                made.lang,
                ", ".join(f"{split} {count:,}" for split, count in made.splits.items()),
            )
            for path, made in built
        ]
        print(table(("Built", "records", "lang", "splits"), rows_built))
    if not here:
        print("\n--data-dir DIR says which are in a folder; `corefmill corpora NAME` explains one.")


def _explain(name: str, here: DataDir | None, as_json: bool) -> None:
    from corefmill.corpora.catalogue import entry

    one = entry(name)
    found = here.find(one) if here else {}
    if as_json:
        print_json({**asdict(one), "here": _as_json(found)})
        return
    print(one.title)
    rows = [
        ("kind", one.kind),
        ("format", one.format),
        ("language", one.lang),
        ("licence", one.licence),
        ("cite", one.citation),
        ("page", one.url),
        ("to get it", one.get),
    ]
    for way in one.files:
        known = (f"{split}: {' or '.join(paths)}" for split, paths in way.items())
        rows.append(("known by", "; ".join(known)))
    for split, paths in found.items():
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        rows.append((f"here, {split}", f"{paths[0]}{more}"))
    if here and not found:
        rows.append(("here", f"no, not in {here.top}"))
    print("\n".join(f"  {what:<16}{said}" for what, said in rows))


def _as_json(found: dict[str, list[Path]]) -> dict[str, list[str]]:
    return {split: [disk.shown(path) for path in paths] for split, paths in found.items()}
