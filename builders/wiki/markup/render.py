"""Fourth pass: one block of wikitext to clean text, its links and emphasis as spans."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import unescape
from typing import NamedTuple
from unicodedata import category

from corefmill.builders.wiki.markup.links import make_link, without_qualifier
from corefmill.builders.wiki.markup.marks import CUT, LOST
from corefmill.builders.wiki.markup.quotes import (
    BOLD,
    ITALIC,
    LINE_END,
    emphasis,
    resolve_quotes,
)
from corefmill.builders.wiki.markup.records import Link, Span
from corefmill.builders.wiki.markup.settings import MarkupSettings
from corefmill.builders.wiki.markup.spans import without
from corefmill.builders.wiki.markup.squeeze import count_lost, shift, spans_to_remove
from corefmill.builders.wiki.markup.tokens import (
    ENTITY,
    LINK,
    LINK_CLOSE,
    LINK_OPEN,
    NEWLINE,
    QUOTES,
    TAG,
    URL_OPEN,
)


class Rendered(NamedTuple):
    """What `Paragraph` says of these fields."""

    text: str
    links: list[Link]
    bold: list[Span]
    italic: list[Span]
    lost: int


_EMPHASIS = {"i": ITALIC, "em": ITALIC, "b": BOLD, "strong": BOLD}
_SPACES = re.compile(" {2,}+")
_STRAY = re.compile(r"\[\[++|\]\]++|\{\{++|\}\}++|'''++")


def render(block: str, settings: MarkupSettings) -> Rendered:
    """The text and spans of a block that the earlier passes have gone through.

    Links do not nest: of two that would, the inner one counts. Unpaired brackets go.
    """
    block = block.strip()
    if "\xa0" in block or "\t" in block:
        block = block.replace("\xa0", " ").replace("\t", " ")
    if "  " in block:
        block = _SPACES.sub(" ", block)
    text, links, events, seldom = _read(block, settings)
    verbatim = seldom is not None and seldom.verbatim
    bold, italic = emphasis(events, len(text)) if events else ([], [])
    rendered = Rendered(text, links, bold, italic, 0)
    is_smooth = _is_smooth(text, verbatim)
    if not is_smooth:
        rendered = _smoothed(rendered, verbatim)
        if not _is_smooth(rendered.text, verbatim):
            # What went has brought two brackets together. Nothing but spaces can go now.
            rendered = _smoothed(rendered, verbatim)
    if links and (not is_smooth or (seldom is not None and seldom.has_made_links)):
        rendered = rendered._replace(links=_trimmed(rendered))
    return rendered


def _read(
    block: str, settings: MarkupSettings
) -> tuple[str, list[Link], list[tuple[int, int]], _SeldomTokens | None]:
    """The text of a block with its links, and where emphasis changes in it, and how.

    Nine of ten tokens are common links or quotes and read here, for speed; the last value has read
    the others, if there were any.
    """
    quotes = resolve_quotes(block) if "''" in block else {}
    pieces: list[str] = []
    length = 0  # of the pieces so far
    position = 0  # in the block
    links: list[Link] = []
    events: list[tuple[int, int]] = []
    seldom: _SeldomTokens | None = None
    for match in settings.tokens.finditer(block):
        start, end = match.span()
        if start > position:
            pieces.append(block[position:start])
            length += start - position
        position = end
        kind = match.lastindex
        if kind == LINK:
            target, label, trail = match.group(1, 2, 3)
            piece = (label or target) + trail
            links.append(Link(length, length + len(piece), target, None))
            if seldom is not None:
                seldom.opened = None
        elif kind == QUOTES:
            literal, toggled = quotes[start]
            piece = "'" * literal
            events.append((length + literal, toggled))
        else:
            if seldom is None:
                seldom = _SeldomTokens(block, settings, links, events)
            piece = seldom.read(match, length)
        if piece:
            pieces.append(piece)
            length += len(piece)
    pieces.append(block[position:])
    return "".join(pieces), links, events, seldom


class _SeldomTokens:
    """Reads the tokens of a block that are neither common links nor quotes.

    What it finds goes to the `links` and `events` of the block.
    """

    def __init__(
        self,
        block: str,
        settings: MarkupSettings,
        links: list[Link],
        events: list[tuple[int, int]],
    ) -> None:
        self._block = block
        self._settings = settings
        self._links = links
        self._events = events
        self._urls = 0  # external links that wait for their bracket
        # Of a link its end in the block and in the text, and its target if a pipe came.
        self.opened: tuple[int, int, str | None] | None = None
        self.has_made_links = False
        self.verbatim = False  # some brackets of the text are meant as such

    def read(self, match: re.Match[str], length: int) -> str:
        """What a token shows, where the text before it has that length."""
        kind = match.lastindex
        if kind == ENTITY:
            shown = _character(match[0])
            self.verbatim = self.verbatim or shown in _BRACKETS
            return shown
        if kind == TAG:
            return self._tag(match[10].lower(), length)
        if kind == LINK_OPEN:
            self.opened = (match.end(), length, match[4])
        elif kind == LINK_CLOSE:
            return self._link_close(match, length)
        elif kind == URL_OPEN:
            self._urls += 1
            return CUT if self._block[match.end() : match.end() + 1] == "]" else ""
        elif kind == NEWLINE:
            if self._events:
                self._events.append((length, LINE_END))
            return " "
        elif not self._urls:
            return "]"
        else:
            self._urls -= 1
        return ""

    def _tag(self, name: str, length: int) -> str:
        if name == "br":
            return " "
        style = _EMPHASIS.get(name.lstrip("/"))
        if style is not None:
            self._events.append((length, style))
        return ""

    def _link_close(self, match: re.Match[str], length: int) -> str:
        """What the end of an unusual link shows, with its trail."""
        if self.opened is None:
            self._urls = max(self._urls - 1, 0)
            return ""
        opened_end, text_start, target = self.opened
        self.opened = None
        shown = match[7]
        if target is None:
            target = self._block[opened_end : match.start()]
        elif match.start() == opened_end:
            shown = without_qualifier(target) + shown
        link = make_link(text_start, length + len(shown), target, self._settings)
        if link:
            self._links.append(link)
            self.has_made_links = True
        return shown


def _trimmed(rendered: Rendered) -> list[Link]:
    """The links without spaces at the ends of their anchors; those of no words left out."""
    trimmed: list[Link] = []
    for start, end, target, section in rendered.links:
        anchor = rendered.text[start:end]
        start += len(anchor) - len(anchor.lstrip(" "))
        end -= len(anchor) - len(anchor.rstrip(" "))
        if start < end:
            trimmed.append(Link(start, end, target, section))
    return trimmed


def _is_smooth(text: str, verbatim: bool) -> bool:
    if CUT in text or LOST in text or "  " in text:
        return False
    if text[:1] == " " or text[-1:] == " ":
        return False
    if verbatim:
        return True
    if ("[" in text or "]" in text) and ("[[" in text or "]]" in text):
        return False
    if ("{" in text or "}" in text) and ("{{" in text or "}}" in text):
        return False
    return "'''" not in text


def _smoothed(rendered: Rendered, verbatim: bool) -> Rendered:
    """The same without marks and without what the cuts left behind, its spans moved along."""
    text, links, bold, italic, lost = rendered
    if not verbatim:  # unpaired markup; a space each, so that no new one comes together
        lost += len(_STRAY.findall(text))
        text = _STRAY.sub(lambda match: " " * len(match[0]), text)
    lost += count_lost(text)
    removed = spans_to_remove(text)
    if removed:
        text = without(text, removed)
        shifted = shift(removed)
        links = [Link(shifted(a), shifted(b), title, section) for a, b, title, section in links]
        bold = _shifted_spans(bold, shifted)
        italic = _shifted_spans(italic, shifted)
    return Rendered(text, links, bold, italic, lost)


def _shifted_spans(spans: list[Span], shifted: Callable[[int], int]) -> list[Span]:
    moved = [(shifted(start), shifted(end)) for start, end in spans]
    return [(start, end) for start, end in moved if start < end]


_BRACKETS = frozenset("[]{}'")
SOFT_HYPHEN = "\xad"  # it only says where a line may break


@lru_cache(maxsize=4096)
def _character(entity: str) -> str:
    """What an entity shows: any space as a plain one, an unknown name as it is written."""
    shown = unescape(entity)
    if shown == SOFT_HYPHEN:
        return ""
    is_space = shown.isspace() or category(shown[:1] or " ") == "Cc"
    return " " if is_space else shown
