"""What a link shows and where it leads."""

import re
from html import unescape
from urllib.parse import unquote

from builders.wiki.markup.marks import ALL, strip_marks
from builders.wiki.markup.records import Link
from builders.wiki.markup.settings import MarkupSettings, normalise_prefix

_UNUSUAL = re.compile(rf"[#:&_%\n{ALL}]|  |^ | \Z")
_PIPE_TRICK = re.compile(r"\s*\([^()]*\)\Z|,[^,]*\Z")
_URL = ("http://", "https://", "//", "ftp://", "mailto:")


def shown(target: str, label: str | None) -> str:
    """The words of [[target|label]]; with an empty label, the title without its qualifier."""
    if label:
        return label
    if label is not None:
        return _PIPE_TRICK.sub("", target.rpartition(":")[2])
    if target.startswith(_URL):  # an external link with a bracket too many
        return target.partition(" ")[2]
    return target.removeprefix(":")


def make_link(start: int, end: int, target: str, settings: MarkupSettings) -> Link | None:
    """The link of [start, end), or None if it leads to no article."""
    if not _UNUSUAL.search(target):
        return Link(start, end, target, None) if target else None
    if "&" in target:
        target = unescape(target)
    if "%" in target:
        target = unquote(target)
    target = strip_marks(target)
    if "\n" in target or target.startswith(_URL):
        return None
    title, has_section, section = target.partition("#")
    title = " ".join(title.replace("_", " ").split())
    if title[:1] == ":":
        return None
    prefix, colon, _ = title.partition(":")
    if colon and normalise_prefix(prefix) in settings.prefixes:
        return None
    section = " ".join(section.replace("_", " ").split())
    if not title and not section:
        return None
    return Link(start, end, title, section if has_section else None)
