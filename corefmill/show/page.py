"""Write a corpus as one page for a browser, without any other file or host.

The page works without its script, which only adds the filters and highlights the mentions of a
cluster. Text from the corpus is escaped, and invisible characters (control codes, marks of
direction) are written as escapes, as in the terminal. A policy in the page's head forbids the
browser to run or load anything except the style and the script in the page.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from corefmill.builders.run.stages import HashSample, make_random
from corefmill.corpora import languages
from corefmill.corpora.files.terminal import printable
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import BY_SCHEMA, EventMention
from corefmill.corpora.statistics import Statistics, make_statistics
from corefmill.show.corpus import PlacedRecord, RecordFilter, ShownCorpus, count_rejects
from corefmill.show.marks import MarkedPassage, iter_brackets
from corefmill.show.views import LONGEST

MOST_BYTES = 4_000_000
"""Most bytes of the records on a page, so that the page has less than five million."""

_OF_A_CLUSTER = 10
"""Most mentions of one event that are drawn."""
_COLOURS = 12
_NAMES = 40
"""Most names of clusters by which the page's filter finds a record."""

Watch = Callable[[Iterable[Any]], Iterable[Any]]


class WrittenPage(NamedTuple):
    """The size of a page: all records and those shown, all rejected ones, and its bytes."""

    records: int
    shown: int
    rejected: int
    bytes: int


def write(
    out: Path,
    corpus: ShownCorpus,
    wanted: RecordFilter,
    *,
    limit: int,
    seed: int,
    watch: Watch = iter,
) -> WrittenPage:
    """Write the page, whole or not at all.

    At most `limit` records are drawn at random with `seed`. Long texts are cut, and records that
    would make the page too large are left out. Rejects of the build are counted by reason.
    """
    # The counts include all matching records, split by split; the draw keeps few of them.
    figures: dict[str, Statistics] = {"all": make_statistics(corpus.schema)}
    seen = 0

    def count_records() -> Iterator[PlacedRecord]:
        """Yield the wanted records, and add each to the figures of its split."""
        nonlocal seen
        for placed in watch(corpus.records()):
            if wanted.keeps(placed):
                seen += 1
                for name in dict.fromkeys((placed.split or "all", "all")):
                    figures.setdefault(name, make_statistics(corpus.schema)).add(placed.record)
                yield placed

    drawn = _draw_records(count_records(), limit, seed)
    splits = [name for name in figures if name != "all"]
    columns = {name: figures[name].figures() for name in splits * (len(splits) > 1) + ["all"]}
    # Records become HTML as long as there is room; the script's filters use `facets`.
    article = _load_templates().get_template("record.html.jinja")
    facets: list[dict[str, Any]] = []
    groups: list[tuple[str, list[Markup]]] = []
    room = MOST_BYTES
    for heading, records in groupby(drawn, _name_group):
        groups.append((heading, []))
        for view in (one.view(LONGEST) for one in records):
            made = article.render(view=view, number=len(facets), marked=render_marks)
            if (size := len(made.encode())) <= room:
                room -= size
                groups[-1][1].append(Markup(made))
                facets.append(
                    {
                        "split": view.split,
                        "source": view.source,
                        "rules": view.rules,
                        "clusters": [one.name for one in view.clusters[:_NAMES]],
                    }
                )
    counts = count_rejects(corpus.folder) if corpus.folder else {}
    reasons = []
    for name, count in counts.items():
        # A reason is a long word without blanks, in which lines may break.
        shown = str(escape(printable(name))).replace("_", "_<wbr>").replace(".", ".<wbr>")
        reasons.append((Markup(shown), count))
    style, script = _read_part("page.css"), _read_part("page.js")
    text = (
        _load_templates()
        .get_template("page.html.jinja")
        .render(
            corpus=corpus,
            kind=BY_SCHEMA[corpus.schema].plural,
            language=languages.language_name(corpus.lang),
            warnings=corpus.manifest.warnings if corpus.manifest else [],
            facts=_list_facts(corpus.manifest) if corpus.manifest else [],
            records=seen,
            shown=len(facets),
            too_large=len(drawn) - len(facets),
            columns=columns,
            reasons=reasons,
            rejected=sum(counts.values()),
            figure=_format_figure,
            style=Markup(style),
            script=Markup(script),
            style_sum=_hash_element(style),
            script_sum=_hash_element(script),
            chosen=wanted.description,
            groups=groups,
            limit=limit,
            seed=seed,
            facets=facets,
        )
    )
    content = text.encode()
    with replacing(out) as file:
        file.write(content)
    return WrittenPage(seen, len(facets), sum(counts.values()), len(content))


def render_marks(passage: MarkedPassage) -> Markup:
    """Render a text as HTML, each mention a `mark` with its cluster's number.

    The elements nest; without tags the HTML is the printable text.
    """
    pieces: list[str] = []
    for one in iter_brackets(passage):
        if isinstance(one, str):
            pieces.append(escape(printable(one)))
        elif one.opens:
            cluster, sort = one.mark.cluster, "target" if one.mark.target else "mention"
            colour = f"k{(cluster - 1) % _COLOURS}" if cluster else "k"
            more = "" if one.outer else " on"
            pieces.append(f'<mark class="{sort} {colour}{more}" data-c="{cluster or "?"}">')
        else:
            pieces.append("</mark>")
    return Markup("".join(pieces))


def _name_group(placed: PlacedRecord) -> str:
    """Name the heading above a record: the event of a mention, "" for other records."""
    record = placed.record
    if not isinstance(record, EventMention):
        return ""
    return f"{record.cluster_title or record.cluster} ({record.cluster})"


def _draw_records(records: Iterable[PlacedRecord], limit: int, seed: int) -> list[PlacedRecord]:
    """Draw records at random, whole clusters of event mentions; return them in order."""
    lowest = HashSample[int, tuple[int, PlacedRecord]](limit)
    sizes: Counter[str] = Counter()
    for number, placed in enumerate(records):
        key: int | str = number
        if isinstance(placed.record, EventMention):
            key = placed.record.cluster
            sizes[key] += 1
            if sizes[key] > _OF_A_CLUSTER:
                continue
        lowest.offer(make_random(seed, "show", key).random(), number, (number, placed))
    found = sorted(lowest.values(), key=lambda pair: pair[0])
    return sorted((placed for _, placed in found), key=_name_group)


def _list_facts(manifest: Manifest) -> list[tuple[str, str]]:
    """List the facts of a manifest for the head of the page: mode, versions, licence."""
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


def _format_figure(value: float | None) -> str:
    """Format a figure of the table of counts."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


@cache
def _read_part(name: str) -> str:
    """Read one of the files of page_parts/."""
    return files("corefmill.show").joinpath("page_parts", name).read_text("utf-8")


def _hash_element(text: str) -> str:
    """Hash the text of a style or script for the page's content policy."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _load_templates() -> Environment:
    """Load the templates of the page and of a record, with escaping of text."""
    names = ("page.html.jinja", "record.html.jinja")
    return Environment(
        loader=DictLoader({name: _read_part(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        # Text that is not our HTML loses its control codes.
        finalize=lambda value: printable(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
