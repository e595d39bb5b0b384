"""Count the infoboxes of a dump (`--list-infoboxes`).

Templates above the first heading count if their name is an infobox's, if they are in the table, or
if they have an infobox's layout: three named fields or more, each on a line of its own. The layout
finds infoboxes that no word of their name shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.infoboxes import InfoboxTable, load, shipped_languages
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.pages import pages
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE

EXAMPLES = 3
HEAD = ("pages", "template", "in the table", "for instance")
"""Columns of `cells`."""

_FIELD = re.compile(r"\n[ \t]*\|[^=|{}\[\]\n]{1,60}=")
_FEWEST_FIELDS = 3
_NAME = re.compile(r"[^|{}<]{1,200}")


@dataclass(slots=True)
class InfoboxCount:
    """A template of a dump; redirects to it are counted with it."""

    name: str
    """The name in its first spelling in the dump."""
    pages: int = 0
    examples: list[str] = field(default_factory=list)
    """The titles of the first pages with the template."""
    says: str = ""
    """The table's entry: the event type, "out: " and the reason, or nothing."""

    def as_json(self) -> dict[str, Any]:
        """Return the row as an object for `--json`."""
        return {
            "template": self.name,
            "pages": self.pages,
            "in_table": self.says,
            "examples": self.examples,
        }


def list_infoboxes(
    chunks: Iterable[Chunk],
    lang: str,
    table: InfoboxTable | None = None,
    reject: Callable[[str, str], None] | None = None,
) -> list[InfoboxCount]:
    """Count the infoboxes of a dump's articles, most frequent first, then by name.

    `chunks` are those of `DumpSource`. `table` is the language's table in corefmill, if any.
    Memory holds the names alone. Raises the errors of reading the dump.
    """
    if table is None and lang in shipped_languages():
        table = load(lang)
    # First all names are counted as they stand, since a redirect may come behind its uses.
    found: dict[str, InfoboxCount] = {}
    aliases: dict[str, str] = {}  # template redirects, squeezed
    prefixes = templates.prefix_names(())
    for chunk in chunks:
        prefixes = templates.prefix_names(chunk.site.for_language(lang).namespaces[TEMPLATE])
        for page in pages(chunk, lang, reject):
            if page.ns == TEMPLATE and page.redirect is not None:
                name = templates.squeeze(page.title, prefixes)
                target = templates.squeeze(page.redirect, prefixes)
                if name and target and name != target:
                    aliases[name] = target
            elif page.ns == 0 and page.redirect is None:
                _count(found, table, page.title, page.text, prefixes)
    # Then a name is counted as the template to which it redirects at last.
    table = table and table.with_redirects(aliases)
    merged: dict[str, InfoboxCount] = {}
    # A template's own name goes first, so that its spelling and pages lead its row.
    for name in sorted(found, key=lambda name: name in aliases):
        *_, target = templates.chain(name, aliases)
        row = merged.setdefault(target, InfoboxCount(found[name].name))
        row.pages += found[name].pages
        row.examples = (row.examples + found[name].examples)[:EXAMPLES]
        if table is not None:
            row.says = row.says or table.says(target) or table.says(name)
    return sorted(merged.values(), key=lambda row: (-row.pages, row.name))


def cells(rows: Iterable[InfoboxCount]) -> list[Sequence[str]]:
    """Format the counts as rows of a plain table under `HEAD`."""
    return [(f"{row.pages:,}", row.name, row.says, ", ".join(row.examples)) for row in rows]


def _count(
    counts: dict[str, InfoboxCount],
    table: InfoboxTable | None,
    title: str,
    text: str,
    prefixes: Sequence[str],
) -> None:
    """Count each infobox of a page once, and keep the page as an example of it."""
    lead = templates.lead(text)
    counted: set[str] = set()
    for template in _outer_infoboxes(lead, prefixes, table):
        name = template.name
        if name in counted:
            continue
        counted.add(name)
        row = counts.get(name)
        if row is None:  # its name in its first spelling, with blanks for underscores
            match = _NAME.match(lead, template.start + 2)
            written = " ".join(match[0].replace("_", " ").split()) if match else ""
            row = counts[name] = InfoboxCount(written or name)
        row.pages += 1
        if len(row.examples) < EXAMPLES:
            row.examples.append(title)


def _outer_infoboxes(
    lead: str, prefixes: Sequence[str], table: InfoboxTable | None = None
) -> Iterator[templates.TemplateCall]:
    """Find the infoboxes above a page's first heading, outside of all other templates."""
    outside = 0
    for template in templates.find(lead, bool, prefixes):
        if template.start < outside:
            continue
        outside = template.end
        fields = islice(_FIELD.finditer(lead, template.start, template.end), _FEWEST_FIELDS)
        if (table is not None and table.is_infobox(template.name)) or (
            len(list(fields)) == _FEWEST_FIELDS
        ):
            yield template
