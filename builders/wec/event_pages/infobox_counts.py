"""`--list-infoboxes`: which infoboxes a dump has, so that a language's table can be written.

Counted are the templates above the first heading that are called as infoboxes, stand in the table,
or are laid out as infoboxes are: three named fields or more, each on a line of its own. That finds
them where no word in their names does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.infoboxes import InfoboxTable, load, shipped
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
    """As the dump writes it first."""
    pages: int = 0
    examples: list[str] = field(default_factory=list)
    """The titles of its first pages in the dump."""
    says: str = ""
    """What the table says: the event type, "out: " and the reason, or nothing."""

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
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
    """The infoboxes of a dump's articles, most frequent first, then by name.

    `chunks` are those of `DumpSource`. `table` is the language's that ships, if there is one.
    Takes memory for the names alone. Raises what reading the dump raises.
    """
    if table is None and lang in shipped():
        table = load(lang)
    found: dict[str, InfoboxCount] = {}
    aliases = read_articles(chunks, lang, partial(_count, found, table), reject)
    table = table and table.with_redirects(aliases)
    rows: dict[str, InfoboxCount] = {}
    for name, target in with_targets(found, aliases):
        row = rows.setdefault(target, InfoboxCount(found[name].name))
        row.pages += found[name].pages
        row.examples = (row.examples + found[name].examples)[:EXAMPLES]
        if table is not None:
            row.says = row.says or table.says(target) or table.says(name)
    return sorted(rows.values(), key=lambda row: (-row.pages, row.name))


def cells(rows: Iterable[InfoboxCount]) -> list[Sequence[str]]:
    """The rows of a plain table under `HEAD`."""
    return [(f"{row.pages:,}", row.name, row.says, ", ".join(row.examples)) for row in rows]


def read_articles(
    chunks: Iterable[Chunk],
    lang: str,
    take: Callable[[str, str, Sequence[str]], None],
    reject: Callable[[str, str], None] | None,
) -> dict[str, str]:
    """Gives `take` each article of a dump: its title, its text, and the names that a template may
    have before its own. Returns what the redirects among the templates lead to.
    """
    redirects: list[tuple[str, str]] = []
    prefixes = templates.prefix_names(())
    for chunk in chunks:
        site = chunk.site.for_language(lang)
        prefixes = templates.prefix_names(site.namespaces[TEMPLATE])
        for page in pages(chunk, lang, reject):
            if page.ns == TEMPLATE and page.redirect is not None:
                redirects.append((page.title, page.redirect))
            elif page.ns == 0 and page.redirect is None:
                take(page.title, page.text, prefixes)
    return templates.aliases(redirects, prefixes)


def with_targets(names: Iterable[str], aliases: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each template with the one that it leads to, which is itself if it is no redirect.

    A template's own name goes first, so that its spelling and pages lead its row.
    """
    for name in sorted(names, key=lambda name: name in aliases):
        *_, target = templates.chain(name, aliases)
        yield name, target


def _count(
    found: dict[str, InfoboxCount],
    table: InfoboxTable | None,
    title: str,
    text: str,
    prefixes: Sequence[str],
) -> None:
    lead = templates.lead(text)
    counted: set[str] = set()
    for template in outer_infoboxes(lead, prefixes, table):
        name = template.name
        if name in counted:
            continue
        counted.add(name)
        row = found.get(name)
        if row is None:
            row = found[name] = InfoboxCount(written_name(lead, template))
        row.pages += 1
        if len(row.examples) < EXAMPLES:
            row.examples.append(title)


def outer_infoboxes(
    lead: str, prefixes: Sequence[str], table: InfoboxTable | None = None
) -> Iterator[templates.TemplateCall]:
    """The infoboxes above a page's first heading that stand in no other template."""
    outside = 0
    for template in templates.find(lead, bool, prefixes):
        if template.start < outside:
            continue
        outside = template.end
        if (table is not None and table.is_infobox(template.name)) or _looks_so(lead, template):
            yield template


def written_name(text: str, template: templates.TemplateCall) -> str:
    """The name in its first spelling, with blanks for underscores."""
    match = _NAME.match(text, template.start + 2)
    name = " ".join(match[0].replace("_", " ").split()) if match else ""
    return name or template.name


def _looks_so(text: str, template: templates.TemplateCall) -> bool:
    fields = _FIELD.finditer(text, template.start, template.end)
    return sum(1 for _ in zip(range(_FEWEST_FIELDS), fields, strict=False)) == _FEWEST_FIELDS
