"""Fourth pass: one block of wikitext to clean text, its links and emphasis as spans."""

import re
from collections.abc import Callable
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from builders.wiki.markup import tokens
from builders.wiki.markup.links import make_link, shown
from builders.wiki.markup.marks import CUT, LOST, PIPE
from builders.wiki.markup.quotes import BOLD, ITALIC, resolve_quotes
from builders.wiki.markup.records import Link, Span
from builders.wiki.markup.settings import MarkupSettings
from builders.wiki.markup.squeeze import count_lost, shift, spans_to_remove, without


class Rendered(NamedTuple):
    text: str
    links: list[Link]
    bold: list[Span]
    italic: list[Span]
    lost: int


_EMPHASIS = {"i": ITALIC, "em": ITALIC, "b": BOLD, "strong": BOLD}
_SPACES = re.compile(" {2,}+")
_STRAY = re.compile(r"\[\[++|\]\]++|\{\{++|\}\}++|'''++")


def render(block: str, settings: MarkupSettings) -> Rendered:
    if "\xa0" in block or "\t" in block:
        block = block.replace("\xa0", " ").replace("\t", " ")
    if "  " in block:
        block = _SPACES.sub(" ", block)
    quotes = resolve_quotes(block) if "''" in block else {}
    pieces: list[str] = []
    length = 0  # of the pieces so far
    position = 0  # in the block
    links: list[Link] = []
    emphasis = _Emphasis()
    opened: tuple[int, int, str | None] | None = None  # its end in the block, in the text; target
    urls = 0  # external links that wait for their bracket
    verbatim = False  # some brackets of the text are meant as such
    for match in settings.tokens.finditer(block):
        start, end = match.span()
        if start > position:
            pieces.append(block[position:start])
            length += start - position
        position = end
        kind = match.lastindex
        piece = ""
        if kind == tokens.LINK:
            target, label, trail = match.group(1, 2, 3)
            piece = shown(target, label) + trail
            link = make_link(length, length + len(piece), target, settings)
            if link:
                links.append(link)
            opened = None
        elif kind == tokens.QUOTES:
            literal, toggled = quotes[start]
            piece = "'" * literal
            emphasis.toggle(toggled, length + literal)
        elif kind == tokens.ENTITY:
            piece = _character(match[0])
            verbatim = verbatim or piece in _BRACKETS
        elif kind == tokens.LINK_OPEN:
            opened = (end, length, match[4])
        elif kind == tokens.LINK_CLOSE:
            if opened:
                opened_end, text_start, target = opened
                piece = match[6]
                if target is None:
                    target = block[opened_end:start]
                link = make_link(text_start, length + len(piece), target, settings)
                if link:
                    links.append(link)
                opened = None
            else:
                urls = max(urls - 1, 0)
        elif kind == tokens.TAG:
            name = match[9].lower()
            if name == "br":
                piece = " "
            elif name.lstrip("/") in _EMPHASIS:
                emphasis.set(_EMPHASIS[name.lstrip("/")], length, name[0] != "/")
        elif kind == tokens.URL_OPEN:
            urls += 1
            piece = CUT if block[end : end + 1] == "]" else ""
        elif kind == tokens.NEWLINE:
            emphasis.close(length)
            piece = " "
        elif urls:
            urls -= 1
        else:
            piece = "]"
        if piece:
            pieces.append(piece)
            length += len(piece)
    pieces.append(block[position:])
    text = "".join(pieces)
    emphasis.close(len(text))
    if _is_smooth(text, verbatim):
        return Rendered(text, links, emphasis.bold, emphasis.italic, 0)
    return _smoothed(text, links, emphasis, verbatim)


def _is_smooth(text: str, verbatim: bool) -> bool:
    return not (
        CUT in text
        or LOST in text
        or PIPE in text
        or "  " in text
        or text[:1] == " "
        or text[-1:] == " "
        or (not verbatim and ("{{" in text or "}}" in text or "[[" in text or "]]" in text))
        or (not verbatim and "'''" in text)
    )


def _smoothed(
    text: str, links: list[Link], emphasis: "_Emphasis", verbatim: bool
) -> Rendered:
    """The text without marks and without what the cuts left behind, its spans moved along."""
    if PIPE in text:
        text = text.replace(PIPE, "|")
    lost = 0
    if not verbatim:  # unpaired markup; a space each, so that no new one comes together
        lost = len(_STRAY.findall(text))
        text = _STRAY.sub(lambda match: " " * len(match[0]), text)
    lost += count_lost(text)
    removed = spans_to_remove(text)
    if removed:
        text = without(text, removed)
        shifted = shift(removed)
        links = [
            Link(start, end, link.target, link.section)
            for link in links
            if (start := shifted(link.start)) < (end := shifted(link.end))
        ]
        emphasis.bold = _shifted_spans(emphasis.bold, shifted)
        emphasis.italic = _shifted_spans(emphasis.italic, shifted)
    return Rendered(text, links, emphasis.bold, emphasis.italic, lost)


def _shifted_spans(spans: list[Span], shifted: Callable[[int], int]) -> list[Span]:
    moved = [(shifted(start), shifted(end)) for start, end in spans]
    return [(start, end) for start, end in moved if start < end]


class _Emphasis:
    """Where bold and italics begin and end, in offsets of the text."""

    __slots__ = ("_bold_start", "_italic_start", "bold", "italic")

    def __init__(self) -> None:
        self.bold: list[Span] = []
        self.italic: list[Span] = []
        self._bold_start = self._italic_start = -1

    def toggle(self, styles: int, offset: int) -> None:
        if styles & ITALIC:
            self.set(ITALIC, offset, self._italic_start < 0)
        if styles & BOLD:
            self.set(BOLD, offset, self._bold_start < 0)

    def set(self, style: int, offset: int, on: bool) -> None:
        if style == ITALIC:
            if not on and 0 <= self._italic_start < offset:
                self.italic.append((self._italic_start, offset))
            if not on or self._italic_start < 0:
                self._italic_start = offset if on else -1
        else:
            if not on and 0 <= self._bold_start < offset:
                self.bold.append((self._bold_start, offset))
            if not on or self._bold_start < 0:
                self._bold_start = offset if on else -1

    def close(self, offset: int) -> None:
        self.set(ITALIC, offset, False)
        self.set(BOLD, offset, False)


_BRACKETS = frozenset("[]{}'")
_SOFT_HYPHEN = "\xad"


@lru_cache(maxsize=4096)
def _character(entity: str) -> str:
    """What an entity shows: any space as a plain one, an unknown name as it is written."""
    shown = unescape(entity)
    if shown == _SOFT_HYPHEN:
        return ""
    return " " if shown.isspace() or not shown.isprintable() and len(shown) == 1 else shown
