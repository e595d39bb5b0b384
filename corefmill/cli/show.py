"""`corefmill show`: records of a corpus in the terminal, or all of it as a page."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import (
    DataDir,
    Json,
    MaybeLang,
    Overwrite,
    Quiet,
    Theirs,
    seed_option,
)
from corefmill.cli.printing import print_json, print_result, progress
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.writing import make_way, refuse_taken

if TYPE_CHECKING:
    from corefmill.show.corpus import RecordFilter, ShownCorpus


FIRST, ON_PAGE = 10, 200
"""Records that are shown, in the terminal and on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """Selection of records, and the output."""

    split: Annotated[str | None, Option(help="Only records of this split.", default="all")] = None
    ids: Annotated[
        list[str] | None, Option("--id", help="Only the record of this id. Repeatable.")
    ] = None
    cluster: Annotated[
        str | None,
        Option(
            help="Only records with this cluster: an event's id or title, a candidate, or the words"
            " of a document's mention."
        ),
    ] = None
    source: Annotated[
        str | None,
        Option(
            metavar="TITLE",
            help="Only records from articles or documents whose name contains this.",
        ),
    ] = None
    search: Annotated[
        str | None, Option(metavar="TEXT", help="Only records in whose text this stands.")
    ] = None
    reason: Annotated[
        str | None,
        Option(
            help="Show records that the build left out for this reason, instead of the"
            " corpus. It must have been built with --keep-rejects."
        ),
    ] = None
    limit: Annotated[
        int | None,
        Option(
            min=1,
            help="Show at most this many records.",
            default=f"{FIRST}, on a page {ON_PAGE}",
        ),
    ] = None
    seed: Annotated[
        int | None,
        seed_option(
            "Draw the records at random, by this seed.",
            default="the first ones, on a page a draw by 0",
        ),
    ] = None
    form: Theirs = None
    lang: MaybeLang = None
    data_dir: DataDir = Path("data")
    html: Annotated[
        Path | None,
        Option(metavar="OUT.html", help="Write a page for a browser: records, filters, counts."),
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def show(
    name: Annotated[
        str,
        Argument(
            metavar="CORPUS|FILE",
            help="A corpus by folder or name, a file, a folder.",
        ),
    ],
    *,
    options: ShowOptions,
) -> None:
    """Show a corpus: its records with their mentions in brackets, or all of it as a page.

    A record is shown if it meets all filters; upper and lower case are the same to them. With
    --json the result is a list of these records. A page needs no other file and no network.

    Examples:
        corefmill show out/wikicrem-en
        corefmill show out/wec-en --cluster "2002 Vesk floods" --limit 5
        corefmill show out/wikicrem-en --reason doubtful --seed 1
        corefmill show dev.conll --search Napoleon --json
        corefmill show out/ontonotes-it --html ontonotes-it.html
    """
    from corefmill.corpora.formats.registry import get_format
    from corefmill.show.corpus import RecordFilter, open_corpus

    if options.html:
        refuse_taken(options.html, overwrite=options.overwrite)
    elif options.overwrite:
        raise UsageError("--overwrite goes with --html")
    wanted = RecordFilter(
        split=options.split,
        ids=tuple(options.ids or ()),
        cluster=options.cluster,
        source=options.source,
        search=options.search,
    )
    form = get_format(options.form) if options.form else None
    corpus = open_corpus(name, form, options.lang, options.data_dir)
    wanted.check(corpus)
    if options.reason is not None:
        if options.html:
            raise UsageError("--reason does not go with --html: a page has the records of a corpus")
        wanted.check_rejects()
    if options.html:
        _page(corpus, wanted, options, options.html)
    elif options.reason is not None:
        _rejects(corpus, wanted, options, options.reason)
    else:
        _records(corpus, wanted, options)


def _page(corpus: ShownCorpus, wanted: RecordFilter, options: ShowOptions, out: Path) -> None:
    from corefmill.show.page import write

    limit = options.limit or ON_PAGE
    make_way(out, overwrite=options.overwrite)
    made = write(
        out,
        corpus,
        wanted,
        limit=limit,
        seed=options.seed or 0,
        watch=progress,
    )
    said = f"{out}: {made.shown:,} of {made.records:,} records, {made.bytes:,} bytes"
    result = {"out": str(out), **made._asdict()}
    print_result(result, said, as_json=options.as_json, quiet=options.quiet)


def _records(corpus: ShownCorpus, wanted: RecordFilter, options: ShowOptions) -> None:
    from corefmill.corpora.files import jsonl
    from corefmill.show.corpus import choose
    from corefmill.show.views import LONGEST

    kept = (one for one in _watch(corpus.records(), options) if wanted.keeps(one))
    found = choose(kept, options.limit or FIRST, options.seed)
    if options.as_json:
        print_json([jsonl.as_json(placed.record) for placed in found])
        return
    _print((placed.view(LONGEST) for placed in found), options)


def _rejects(corpus: ShownCorpus, wanted: RecordFilter, options: ShowOptions, reason: str) -> None:
    from corefmill.show.corpus import choose, read_rejects
    from corefmill.show.views import LONGEST, view_reject

    stream = read_rejects(corpus.built_folder(), reason)
    kept = (one for one in _watch(stream, options) if wanted.keeps_rejected(one[1]))
    found = choose(kept, options.limit or FIRST, options.seed)
    if options.as_json:
        print_json([{"reason": said, "record": record} for said, record in found])
        return
    views = (view_reject(said, record, corpus.schema, LONGEST) for said, record in found)
    _print(views, options)


def _watch(items: Iterable[Any], options: ShowOptions) -> Iterable[Any]:
    """Add a progress bar if all records are read before the first is printed."""
    return items if options.seed is None else progress(items)


def _print(views: Iterable[Any], options: ShowOptions) -> None:
    from corefmill.corpora.files.terminal import write_styled
    from corefmill.show.marks import Painter, has_colours

    painter = Painter(colours=has_colours(sys.stdout))
    count = 0
    for view in views:
        count += 1
        for line in painter.lines(view):
            write_styled(f"{line}\n")
    if options.quiet:
        return
    if not count:
        print("No record is like that.")
    elif count == (options.limit or FIRST) and options.seed is None:
        print(f"The first {count:,}; --limit N shows more, --seed N draws them at random.")
