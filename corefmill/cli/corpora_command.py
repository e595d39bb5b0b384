"""`corefmill corpora`: which corpora there are, which are here, and where to get the others."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from corefmill.cli import completing
from corefmill.cli.command import Argument, Option
from corefmill.cli.plain_options import DataDir, Json, Quiet
from corefmill.cli.printing import print_json, print_result, table
from corefmill.corpora import disk

CorpusName = Annotated[
    str,
    Argument(
        metavar="NAME",
        help="A corpus of the catalogue.",
        complete=completing.catalogue,
    ),
]
DataDirOption = Annotated[Path | None, Option("--data-dir", help="Folder in which corpora lie.")]


def explain(name: CorpusName, data_dir: DataDirOption = None, as_json: Json = False) -> None:
    """Say what a corpus is, its licence, where to get it, and whether it is here."""
    from corefmill.corpora.catalogue import DataDir, entry

    here = DataDir(data_dir) if data_dir else None
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


def download(
    name: CorpusName,
    data_dir: DataDir = Path("data"),
    mirror: Annotated[
        str | None,
        Option(help="URL of a folder with the same files.", default="the publisher's address"),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fetch a corpus that may be had freely, each file checked by its SHA-256.

    What broke off is gone on with; what is there is not fetched again.

    Examples:
        corefmill corpora --data-dir data
        corefmill corpora wec-eng
        corefmill corpora download gap --data-dir data
    """
    from corefmill.builders.sources import corpus_files
    from corefmill.corpora.catalogue import entry

    total = sum(corpus_files.sizes(name).values())
    files = f"{len(corpus_files.sizes(name))} files, {total:,} bytes"
    if not (quiet or as_json):
        print(f"{entry(name).title}: {files}. Licence: {entry(name).licence}.", flush=True)
    folder = corpus_files.download(name, data_dir, base=mirror, quiet=quiet or as_json)
    result = {"name": name, "folder": disk.shown(folder), "bytes": total}
    said = f"They are in {folder}. Please cite {entry(name).citation}."
    print_result(result, said, as_json=as_json, quiet=quiet)


def list_all(data_dir: DataDirOption = None, as_json: Json = False) -> None:
    """List the known corpora and those that builders made, and say which are here.

    Examples:
        corefmill corpora --data-dir data
        corefmill corpora download gap --data-dir data
    """
    from corefmill.corpora.catalogue import DataDir, entries

    here = DataDir(data_dir) if data_dir else None
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


def _as_json(found: dict[str, list[Path]]) -> dict[str, list[str]]:
    return {split: [disk.shown(path) for path in paths] for split, paths in found.items()}
