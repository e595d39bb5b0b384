"""`build wec --list-infoboxes`: the infoboxes of a dump, and a table of those of events."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corefmill.builders.wec.options import WecRequest
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.cli.printing import print_json
from corefmill.cli.printing import table as show
from corefmill.corpora.errors import DataError, UsageError


def list_infoboxes(options: WecRequest) -> None:
    """Print which infoboxes the dump has, or write a table of those that are named."""
    from corefmill.builders.corpus.builder import find_input
    from corefmill.builders.run.run import until_broken
    from corefmill.builders.wec.build import dump_of
    from corefmill.builders.wec.event_pages import infobox_counts
    from corefmill.builders.wec.facts import infoboxes
    from corefmill.corpora.atomic import make_way, write_whole

    (source,) = options.each()
    lang = source.lang
    named = [one.rpartition("=") for one in options.event_infobox]
    if any(not (name and event_type) for name, _, event_type in named):
        raise UsageError(
            "--event-infobox is NAME=TYPE",
            remedy="for example 'Infobox flood=Flood'",
        )
    if named and options.out is not None:
        make_way(options.out, overwrite=options.overwrite)
    # Nothing but the table may stand in what is printed.
    found = find_input(replace(source, quiet=options.silent or bool(named)), ShippedSample.world)
    tables = options.tables()
    own = infoboxes.load_file(Path(tables[lang]), lang) if lang in tables else None
    broke_off: list[DataError] = []
    chunks = until_broken(dump_of(found).chunks(), broke_off)
    rows = infobox_counts.list_infoboxes(chunks, lang, own)
    if named:
        table = infobox_counts.write_table(rows, {name: kind for name, _, kind in named})
        if options.out is None:
            print(table, end="")
        else:
            write_whole(options.out, table)
    elif options.as_json:
        failure = str(broke_off[0]) if broke_off else None
        print_json([row.as_json() for row in rows], failure=failure)
    else:
        print(show(infobox_counts.HEAD, infobox_counts.cells(rows)))
    if broke_off:  # the table is of what came before
        raise broke_off[0]
