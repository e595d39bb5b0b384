"""First pass over a dump: collects pages that may be events, redirects, and names of templates.

Each chunk of the dump gives at most one record to each of the first two channels, and one to the
third for each page that may be an event:

redirects   `ns` (0 or 10), `title`, `target`, `section` of pages that only point to another, as
            columns; names of templates are squeezed
templates   `names`: squeezed, of all templates that an article of the chunk has above its first
            heading
candidates  `id`, `title` and `text`, the wikitext up to the first heading, of articles asked for
            by one of these templates or by their title; the whole text of those in which a
            pattern is found; `first`, their first paragraph; `prefixes`, the names of the
            templates' namespace

The text of other pages is not kept: it would cost a third of the dump's size. The second pass reads
the dump again for the links.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from corefmill.builders.run.job import Job
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.event_notes import first_paragraph
from corefmill.builders.wiki.articles import DumpSource, markup_settings
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.builders.wiki.dump.page_scanner import MIB
from corefmill.builders.wiki.dump.pages import Page, normalise_title, pages
from corefmill.builders.wiki.dump.siteinfo import TEMPLATE, SiteInfo
from corefmill.builders.wiki.markup.render import SOFT_HYPHEN

UNIT = 8 * MIB
"""XML that goes into a unit: each shard waits for the disk."""

_LINK = re.compile(r"\[\[([^][|\n]*+)")
_TEMPLATE = re.compile(r"\{\{([^|{}]{1,200}+)")
_squeezed = lru_cache(1 << 16)(templates.squeeze)


@dataclass(frozen=True, slots=True)
class CandidateRules:
    """Which articles may be events: those with a template of one of the squeezed `names` above
    their first heading, those in whose wikitext `pattern` finds something, those of `titles`."""

    names: frozenset[str] = frozenset()
    pattern: str | None = None
    titles: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """What a fingerprint is made of."""
        titles = hashlib.blake2b("\n".join(sorted(self.titles)).encode(), digest_size=16)
        return {
            "names": sorted(self.names),
            "pattern": self.pattern,
            "titles": [len(self.titles), titles.hexdigest()],
        }

    def text_of(self, page: Page, lead: str, names: frozenset[str]) -> str | None:
        """What of a page must be looked at to tell whether it is an event, None for nothing."""
        if self.pattern is not None and re.search(self.pattern, page.text):
            return page.text
        return lead if page.title in self.titles or not self.names.isdisjoint(names) else None


def first_pass(
    dump: DumpSource,
    *,
    lang: str,
    rules: CandidateRules,
    out_dir: Path,
    earlier: CandidateRules | None = None,
) -> Job:
    """The pass over a dump, in units of its own size.

    With `earlier` it gives candidates alone, without those that these rules gave before.
    """
    return Job(
        name="wec-first-pass" if earlier is None else "wec-late-candidates",
        source=dump.cut_at(UNIT),
        setup=partial(_setup, lang, rules, earlier),
        out_dir=out_dir,
        channels=("redirects", "templates", "candidates"),
        options={
            "lang": lang,
            **rules.as_json(),
            "earlier": None if earlier is None else earlier.as_json(),
        },
    )


def _setup(lang: str, rules: CandidateRules, earlier: CandidateRules | None) -> Sequence[Stage]:
    return [FirstPass(lang, rules, earlier)]


@dataclass(frozen=True, slots=True)
class FirstPass:
    """The stage: chunks of a dump to the three channels.

    Counts `pages`, `articles` and `redirects`; rejects what the parser does.
    """

    lang: str
    rules: CandidateRules
    earlier: CandidateRules | None = None

    def __call__(self, dump: Iterator[Chunk], context: Context) -> Iterator[Out]:
        """Yields to all channels, with `earlier` to `candidates` alone."""
        for chunk in dump:
            site = chunk.site.for_language(self.lang)
            prefixes = templates.prefix_names(site.namespaces[TEMPLATE])
            seen: set[str] = set()
            redirects: dict[str, list[Any]] = {"ns": [], "title": [], "target": [], "section": []}
            for page in pages(chunk, self.lang, reject=context.reject):
                context.count("pages")
                if page.redirect is None and page.ns == 0:
                    context.count("articles")
                    names = _names(lead := templates.lead(page.text), prefixes)
                    seen |= names
                    text = self._text_of(page, lead, names)
                    if text is not None:
                        yield Out("candidates", _candidate(page, text, lead, site))
                elif page.redirect is not None and page.ns in (0, TEMPLATE):
                    values = _redirect(page, page.redirect, site, prefixes)
                    for column, value in zip(redirects.values(), values, strict=True):
                        column.append(value)
            if self.earlier is None and redirects["ns"]:
                context.count("redirects", len(redirects["ns"]))
                yield Out("redirects", redirects)
            if self.earlier is None and seen:
                yield Out("templates", {"names": sorted(seen)})

    def _text_of(self, page: Page, lead: str, names: frozenset[str]) -> str | None:
        if self.earlier is not None and self.earlier.text_of(page, lead, names) is not None:
            return None
        return self.rules.text_of(page, lead, names)


def _candidate(page: Page, text: str, lead: str, site: SiteInfo) -> dict[str, Any]:
    return {
        "id": page.page_id,
        "title": page.title,
        "text": text,
        "first": first_paragraph(lead, markup_settings(site)),
        "prefixes": list(site.namespaces[TEMPLATE]),
    }


def _names(lead: str, prefixes: tuple[str, ...]) -> frozenset[str]:
    """The squeezed names after each `{{`, whether anything of them is a template or not."""
    raw = set(_TEMPLATE.findall(lead))
    if "<!--" in lead:  # a comment may hide a part of a name
        raw.update(_TEMPLATE.findall(templates.without_comments(lead)))
    return frozenset(_squeezed(name, prefixes) for name in raw) - {""}


def _redirect(
    page: Page, target: str, site: SiteInfo, prefixes: tuple[str, ...]
) -> tuple[int, str, str, str]:
    """A page that points to another, as a row of its channel."""
    if page.ns == TEMPLATE:
        return page.ns, _squeezed(page.title, prefixes), _squeezed(target, prefixes), ""
    title, section = normalise_title(target, site)
    link = _LINK.search(page.text)
    if link and "#" in link[1]:  # the dump's own <redirect/> names no section
        section = normalise_title(link[1].replace(SOFT_HYPHEN, ""), site)[1]
    return page.ns, page.title, title, section
