"""Where a link leads, and what it shows when it has an empty label."""

import re
from html import unescape
from urllib.parse import unquote

from corefmill.builders.wiki.markup.marks import strip_marks
from corefmill.builders.wiki.markup.records import Link
from corefmill.builders.wiki.markup.settings import MarkupSettings, normalise_prefix

_QUALIFIER = re.compile(r" *\([^()]*\)\Z|,[^,]*\Z")


def without_qualifier(target: str) -> str:
    """What [[target|]] is short for: the title without namespace, bracket or comma part."""
    return _QUALIFIER.sub("", target.rpartition(":")[2])


def make_link(start: int, end: int, target: str, settings: MarkupSettings) -> Link | None:
    """The link of [start, end), or None if it leads to no article."""
    if "\n" in target:
        return None
    if "&" in target:
        target = unescape(target)
    if "%" in target:
        target = unquote(target)
    title, has_section, section = strip_marks(target).partition("#")
    title = " ".join(title.replace("_", " ").split()).removeprefix(":").lstrip()
    prefix, colon, _ = title.partition(":")
    if colon and normalise_prefix(prefix) in settings.prefixes:
        return None
    section = " ".join(section.replace("_", " ").split())
    if not title and not section:
        return None
    return Link(start, end, title, section if has_section else None)
