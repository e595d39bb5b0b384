"""`corefmill convert`: a file or folder from one format into another."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from corefmill.cli.plain_options import Json, Lang, Overwrite, Theirs, Writer
from corefmill.cli.tables import table
from corefmill.corpora import convert as conversion
from corefmill.corpora import disk
from corefmill.corpora.errors import UsageError
from corefmill.corpora.formats.registry import FORMATS, named

EXAMPLES = """Examples:

    corefmill convert --list

    corefmill convert gap-validation.tsv gap.jsonl

    corefmill convert litbank/conll litbank.jsonl --from conll2012

    corefmill convert out/wikicrem-en wikicrem-txt --to five-line
"""


def convert(
    source: Annotated[
        Path | None, typer.Argument(metavar="IN", help="A file, a folder of them, or a corpus.")
    ] = None,
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUT", help="The file to write, or a folder with a file for each of IN."
        ),
    ] = None,
    reader: Theirs = None,
    writer: Writer = None,
    lang: Lang = "en",
    show: Annotated[bool, typer.Option("--list", help="List the formats, and do no more.")] = False,
    overwrite: Overwrite = False,
    compare: Annotated[
        bool,
        typer.Option(help="Read OUT again and say what the format could not carry."),
    ] = True,
    leave_out: Annotated[
        bool,
        typer.Option("--leave-out", help="Leave out the records that the format cannot carry."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Convert between the formats of the field.

    Any format goes to any other of the same kind of record. Masked examples and event mentions
    become documents too. OUT is written whole or not at all.
    """
    if show:
        _list(as_json)
        return
    if source is None or target is None:
        raise UsageError("convert takes IN and OUT", remedy="--list shows the formats")
    work = conversion.plan(
        source, target, named(reader) if reader else None, named(writer) if writer else None
    )
    if work.left_out:
        print(
            f"convert: left out, of no known format: {', '.join(map(str, work.left_out))}",
            file=sys.stderr,
        )
    done = conversion.run(
        work, lang, overwrite=overwrite, compare=compare, leave_out=leave_out, watch=_watched
    )
    if done.left_out:
        print(
            f"convert: left out {_count(done.left_out)} that {work.writer.name} cannot carry; the"
            f" first: {done.why}",
            file=sys.stderr,
        )
    if done.lost:
        said = ", ".join(f"{name} ({count:,})" for name, count in done.lost.most_common())
        print(
            f"convert: {work.writer.name} did not carry, of {_count(done.records)}: {said}",
            file=sys.stderr,
        )
    if as_json:
        print(
            json.dumps(
                {
                    "out": str(target),
                    "from": sorted({piece.form.name for piece in work.pieces}),
                    "to": work.writer.name,
                    "records": done.records,
                    "files": done.files,
                    "lost": dict(done.lost),
                    "records_left_out": done.left_out,
                    "files_left_out": [disk.shown(path) for path in work.left_out],
                },
                ensure_ascii=False,
            )
        )
    else:
        files = f" in {done.files:,} files" if done.files > 1 else ""
        print(f"{target}: {_count(done.records)}{files} as {work.writer.name}")


def _count(records: int) -> str:
    return f"{records:,} record{'s' * (records != 1)}"


def _watched(records: Iterable[Any]) -> Iterable[Any]:
    return tqdm(records, unit=" records", delay=2, disable=None, leave=False)


def _list(as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                [
                    {
                        "name": form.name,
                        "schema": form.schema,
                        "reads": True,
                        "writes": form.write is not None,
                        "suffix": form.suffix,
                        "summary": form.summary,
                    }
                    for form in FORMATS.values()
                ],
                ensure_ascii=False,
            )
        )
        return
    rows = [
        (
            form.name,
            form.schema.partition("/")[0],
            "yes",
            "yes" if form.write else "no",
            form.summary,
        )
        for form in sorted(FORMATS.values(), key=lambda form: form.schema)
    ]
    print(table(("Format", "record", "reads", "writes", "what it is"), rows))
