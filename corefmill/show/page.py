"""Write a corpus as one page for a browser, without any other file or host.

The page is whole without its script: that only adds the filters, and lights up the mentions of a
cluster. Whatever comes from the corpus is escaped text, and what cannot be seen in it (control
codes, marks of direction) is written as an escape, as in the terminal. A policy in the page's head
forbids the browser to run or load anything but the style and the script that are in it.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from corefmill.builders.run.stages import HashSample, seeded
from corefmill.corpora import languages
from corefmill.corpora.files.terminal import printable
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import BY_SCHEMA, EventMention
from corefmill.corpora.statistics import Figures, Statistics, statistics_of
from corefmill.show.corpus import (
    PlacedRecord,
    RecordFilter,
    ShownCorpus,
    count_rejects,
    has_rejects,
    read_rejects,
)
from corefmill.show.marks import MarkedPassage, RecordView, iter_brackets
from corefmill.show.views import LONGEST, view_reject

MOST_BYTES = 4_000_000
"""Bytes of the records on a page, so that the page has less than five million."""

_OF_A_CLUSTER = 10
"""Mentions of one event that are drawn: clusters come whole as far as that."""
_MOST_REASONS = 500
_COLOURS = 12
_NAMES = 40
"""Names of clusters that a record is found by."""

Watch = Callable[[Iterable[Any]], Iterable[Any]]


class WrittenPage(NamedTuple):
    """The size of a page: all records and those shown, and the same of rejected ones."""

    records: int
    shown: int
    rejected: int
    rejects_shown: int
    bytes: int


class PageGroup(NamedTuple):
    """Records below one heading, "" for none, as HTML."""

    heading: str
    size: int
    articles: Sequence[Markup]


def write(
    out: Path,
    corpus: ShownCorpus,
    wanted: RecordFilter,
    *,
    limit: int,
    seed: int,
    reason: str | None = None,
    watch: Watch = iter,
) -> WrittenPage:
    """Write the page, whole or not at all.

    At most `limit` records are drawn at random with `seed`, and as many rejected ones, of each
    reason an equal number, or of one `reason` alone. Long texts are cut, and records that would
    make the page too large are left out.
    """
    survey = _Survey(corpus.schema)
    kept = (one for one in watch(corpus.records()) if wanted.keeps(one))
    drawn = _draw_records(survey.watch(kept), limit, seed)
    counts = count_rejects(corpus.folder) if corpus.folder else {}
    rejected = list(_draw_rejects(corpus, wanted, counts, limit, seed, reason))
    room = _Room(MOST_BYTES)
    groups = [
        room.group(heading, (one.view(LONGEST) for one in records))
        for heading, records in groupby(drawn, _heading)
    ]
    left_out = [
        room.group(name, (view_reject(*one, corpus.schema, LONGEST) for one in records))
        for name, records in groupby(rejected, lambda pair: pair[0])
    ]
    style, script = _part("page.css"), _part("page.js")
    text = (
        _templates()
        .get_template("page.html.jinja")
        .render(
            corpus=corpus,
            kind=BY_SCHEMA[corpus.schema].plural,
            language=languages.language_name(corpus.lang),
            warnings=corpus.manifest.warnings if corpus.manifest else [],
            facts=_facts(corpus.manifest),
            survey=survey,
            columns=survey.figures(),
            reasons=counts,
            rejected=sum(counts.values()),
            rejects_kept=corpus.folder is not None and has_rejects(corpus.folder),
            breakable=_breakable,
            figure=_format_figure,
            style=Markup(style),
            script=Markup(script),
            style_sum=_hash(style),
            script_sum=_hash(script),
            chosen=wanted.description,
            groups=groups,
            left_out=left_out,
            limit=limit,
            seed=seed,
            room=room,
            facets=room.facets,
        )
    )
    content = text.encode()
    with replacing(out) as file:
        file.write(content)
    return WrittenPage(
        survey.records,
        sum(one.size for one in groups),
        sum(counts.values()),
        sum(one.size for one in left_out),
        len(content),
    )


class _Survey:
    """Counts the records of a page, while they pass."""

    def __init__(self, schema: str) -> None:
        self.records = 0
        self._schema = schema
        self._all: Statistics = statistics_of(schema)
        self._by_split: dict[str, Statistics] = {}

    def watch(self, records: Iterable[PlacedRecord]) -> Iterator[PlacedRecord]:
        """Pass the records on, and count them."""
        for placed in records:
            self.records += 1
            self._all.add(placed.record)
            if placed.split:
                split = self._by_split.setdefault(placed.split, statistics_of(self._schema))
                split.add(placed.record)
            yield placed

    def figures(self) -> dict[str, Figures]:
        """Return the figures of `corefmill stats`, by split and of all."""
        columns = self._by_split if len(self._by_split) > 1 else {}
        return {name: one.figures() for name, one in {**columns, "all": self._all}.items()}


def render_marks(passage: MarkedPassage) -> Markup:
    """Render a text as HTML, each mention a `mark` with its cluster's number.

    Without its tags it is the printable text, and the elements nest.
    """
    pieces: list[str] = []
    for one in iter_brackets(passage):
        if isinstance(one, str):
            pieces.append(escape(printable(one)))
        elif one.opens:
            cluster, sort = one.mark.cluster, one.mark.sort.value
            colour = f"k{(cluster - 1) % _COLOURS}" if cluster else "k"
            more = "" if one.outer else " on"
            pieces.append(f'<mark class="{sort} {colour}{more}" data-c="{cluster or "?"}">')
        else:
            pieces.append("</mark>")
    return Markup("".join(pieces))


class _Room:
    """Makes records into HTML as long as there is room; `facets` is what each is found by."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._article = _templates().get_template("record.html.jinja")
        self.facets: list[dict[str, Any]] = []
        self.left_out = 0

    def group(self, heading: str, views: Iterable[RecordView]) -> PageGroup:
        """Render the views as far as there is room."""
        articles: list[Markup] = []
        for view in views:
            made = self._article.render(view=view, number=len(self.facets), marked=render_marks)
            size = len(made.encode())
            if size > self._left:
                self.left_out += 1
                continue
            self._left -= size
            self.facets.append(
                {
                    "split": view.split,
                    "source": view.source,
                    "gender": view.gender,
                    "reason": view.reason,
                    "rules": view.rules,
                    "clusters": [one.name for one in view.clusters[:_NAMES]],
                }
            )
            articles.append(Markup(made))
        return PageGroup(heading, len(articles), articles)


def _heading(placed: PlacedRecord) -> str:
    record = placed.record
    if not isinstance(record, EventMention):
        return ""
    return f"{record.cluster_title or record.cluster} ({record.cluster})"


def _draw_records(records: Iterable[PlacedRecord], limit: int, seed: int) -> list[PlacedRecord]:
    """Draw records at random, of events whole clusters; return them in their order."""
    lowest = HashSample[int, tuple[int, PlacedRecord]](limit)
    sizes: Counter[str] = Counter()
    for number, placed in enumerate(records):
        key: int | str = number
        if isinstance(placed.record, EventMention):
            key = placed.record.cluster
            sizes[key] += 1
            if sizes[key] > _OF_A_CLUSTER:
                continue
        lowest.offer(seeded(seed, "show", key).random(), number, (number, placed))
    found = sorted(lowest.values(), key=lambda pair: pair[0])
    return sorted((placed for _, placed in found), key=_heading)


def _draw_rejects(
    corpus: ShownCorpus,
    wanted: RecordFilter,
    counts: dict[str, int],
    limit: int,
    seed: int,
    reason: str | None,
) -> Iterator[tuple[str, Any]]:
    """Draw an equal number of rejected records of each reason."""
    folder = corpus.folder
    if folder is None or not has_rejects(folder):
        if reason is not None:
            next(read_rejects(corpus.built_folder(), reason), None)  # raises what is missing
        return
    each = limit if reason is not None else max(1, limit // max(1, len(counts)))
    drawn: dict[str, HashSample[int, Any]] = {}
    for number, (name, record) in enumerate(read_rejects(folder, reason)):
        if record is None or not wanted.keeps_rejected(record):
            continue
        if name not in drawn and len(drawn) < _MOST_REASONS:
            drawn[name] = HashSample(each)
        if name in drawn:
            drawn[name].offer(seeded(seed, "show", number).random(), number, record)
    for name in sorted(drawn, key=lambda name: (-counts.get(name, 0), name)):
        yield from ((name, record) for record in drawn[name].values())


def _facts(manifest: Manifest | None) -> list[tuple[str, str]]:
    """List the short facts of a manifest."""
    if manifest is None:
        return []
    software = manifest.versions
    named = {
        "Mode": manifest.mode,
        "Made by": f"corefmill {software.get('corefmill', '')}",
        "Pipeline": software.get("pipeline", ""),
        "Seed": str(manifest.seed),
        "Licence": manifest.licence,
        "Source": manifest.attribution,
    }
    return [(name, value) for name, value in named.items() if value]


def _breakable(name: str) -> Markup:
    """Allow line breaks in a reason, a long word without blanks."""
    shown = str(escape(printable(name)))
    return Markup(shown.replace("_", "_<wbr>").replace(".", ".<wbr>"))


def _format_figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


@cache
def _part(name: str) -> str:
    """Read one of the files of page_parts/."""
    return files("corefmill.show").joinpath("page_parts", name).read_text("utf-8")


def _hash(text: str) -> str:
    """Hash an element's text for the content policy."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _templates() -> Environment:
    names = ("page.html.jinja", "record.html.jinja")
    return Environment(
        loader=DictLoader({name: _part(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        # A text that is no HTML of ours loses its control codes.
        finalize=lambda value: printable(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
