"""`corefmill show`: show records of a corpus in the terminal, or as a page."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import DataDir, Json, MaybeLang, Overwrite, Quiet, Theirs, seed_option
from corefmill.cli.printing import print_json, print_result, progress
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.writing import make_way, refuse_taken

if TYPE_CHECKING:
    from corefmill.show.corpus import RecordFilter, ShownCorpus


FIRST, ON_PAGE = 10, 200
"""Default number of shown records, in the terminal and on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """Selection of records, and the output."""

    split: Annotated[str | None, Option(help="Show only records of this split.", default="all")] = (
        None
    )
    ids: Annotated[
        list[str] | None, Option("--id", help="Show only the record with this id. Repeatable.")
    ] = None
    cluster: Annotated[
        str | None,
        Option(
            help="Show only records with this cluster: the id or title of an event, a candidate, or"
            " the words of a mention in a document."
        ),
    ] = None
    source: Annotated[
        str | None,
        Option(
            metavar="TITLE",
            help="Show only records from articles or documents with TITLE in their name.",
        ),
    ] = None
    search: Annotated[
        str | None, Option(metavar="TEXT", help="Show only records with TEXT in their text.")
    ] = None
    reason: Annotated[
        str | None,
        Option(
            help="Show the records that the build rejected for this reason, instead of those of the"
            " corpus, which must have been built with --keep-rejects."
        ),
    ] = None
    limit: Annotated[
        int | None,
        Option(
            min=1, help="Show at most this many records.", default=f"{FIRST}, on a page {ON_PAGE}"
        ),
    ] = None
    seed: Annotated[
        int | None,
        seed_option(
            "Seed to draw the records at random, instead of the first ones.",
            default="the first records; on a page, a draw by 0",
        ),
    ] = None
    form: Theirs = None
    lang: MaybeLang = None
    data_dir: DataDir = Path("data")
    html: Annotated[
        Path | None,
        Option(
            metavar="OUT.html",
            help="File of a page for a browser, with the records, filters and counts.",
        ),
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def show(
    name: Annotated[
        str,
        Argument(
            metavar="CORPUS|FILE", help="Corpus to show, by folder or name; or a file or folder."
        ),
    ],
    *,
    options: ShowOptions,
) -> None:
    """Show records of a corpus, with mentions in brackets, or write a page for a browser.

    A record is shown if it meets all filters, which ignore case. With --json the result is a list
    of these records. A page needs no other file and no network.

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
        raise UsageError("--overwrite needs --html: nothing else is written")
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
            raise UsageError("--reason does not work with --html: a page shows no rejected records")
        wanted.check_rejects()
    if options.html:
        _write_page(corpus, wanted, options, options.html)
    elif options.reason is not None:
        _show_rejects(corpus, wanted, options, options.reason)
    else:
        _show_records(corpus, wanted, options)


def _write_page(corpus: ShownCorpus, wanted: RecordFilter, options: ShowOptions, out: Path) -> None:
    """Write the page of the wanted records, and print its size."""
    from corefmill.show.page import write

    limit = options.limit or ON_PAGE
    make_way(out, overwrite=options.overwrite)
    made = write(out, corpus, wanted, limit=limit, seed=options.seed or 0, watch=progress)
    said = f"{out}: {made.shown:,} of {made.records:,} records, {made.bytes:,} bytes"
    result = {"out": str(out), **made._asdict()}
    print_result(result, said, as_json=options.as_json, quiet=options.quiet)


def _show_records(corpus: ShownCorpus, wanted: RecordFilter, options: ShowOptions) -> None:
    """Print the first or drawn records that the filter keeps, as views or as JSON."""
    from corefmill.corpora.files import jsonl
    from corefmill.show.corpus import choose
    from corefmill.show.views import LONGEST

    kept = (one for one in _add_progress(corpus.records(), options) if wanted.keeps(one))
    found = choose(kept, options.limit or FIRST, options.seed)
    if options.as_json:
        print_json([jsonl.as_json(placed.record) for placed in found])
        return
    _print_views((placed.view(LONGEST) for placed in found), options)


def _show_rejects(
    corpus: ShownCorpus, wanted: RecordFilter, options: ShowOptions, reason: str
) -> None:
    """Print the first or drawn records that the build rejected for a reason."""
    from corefmill.show.corpus import choose, read_rejects
    from corefmill.show.views import LONGEST, view_reject

    stream = read_rejects(corpus.built_folder(), reason)
    kept = (one for one in _add_progress(stream, options) if wanted.keeps_rejected(one[1]))
    found = choose(kept, options.limit or FIRST, options.seed)
    if options.as_json:
        print_json([{"reason": said, "record": record} for said, record in found])
        return
    views = (view_reject(said, record, corpus.schema, LONGEST) for said, record in found)
    _print_views(views, options)


def _add_progress(items: Iterable[Any], options: ShowOptions) -> Iterable[Any]:
    """Add a progress bar to records if a draw reads all of them before one is printed."""
    return items if options.seed is None else progress(items)


def _print_views(views: Iterable[Any], options: ShowOptions) -> None:
    """Print the views of records, and a hint on how to see more."""
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
        print("No record meets all filters.")
    elif count == (options.limit or FIRST) and options.seed is None:
        print(f"The first {count:,}; --limit N shows more, --seed N draws them at random.")
