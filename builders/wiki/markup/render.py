"""Fourth pass: one block of wikitext to clean text, its links and emphasis as spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache
from html import unescape
from itertools import accumulate
from typing import NamedTuple
from unicodedata import category

from corefmill.builders.wiki.markup.records import CUT, CUTS, LOST, Link, Span, without
from corefmill.builders.wiki.markup.settings import (
    ENTITY,
    LINK,
    LINK_CLOSE,
    LINK_OPEN,
    NEWLINE,
    QUOTES,
    TAG,
    UNKNOWN_TAG,
    URL_OPEN,
    MarkupSettings,
    make_link,
    without_qualifier,
)

# Which apostrophes of a line are italics, bold or just apostrophes, as MediaWiki decides it.


_RUN = re.compile(r"'{2,}+")

ITALIC = 1
BOLD = 2
LINE_END = 4


def resolve_quotes(block: str) -> dict[int, tuple[int, int]]:
    """Map each run of apostrophes, by offset, to its literal apostrophes and its toggles.

    Line by line, since no emphasis outlives its line. Two apostrophes toggle italics, three bold,
    five both; what a run has beyond that is literal. A line that leaves both open loses one bold:
    its run becomes an apostrophe and italics (l'''amore'').
    """
    found: dict[int, tuple[int, int]] = {}
    line_start = 0
    while line_start < len(block):
        line_end = block.find("\n", line_start)
        if line_end < 0:
            line_end = len(block)
        runs = [match.span() for match in _RUN.finditer(block, line_start, line_end)]
        italics = bolds = 0
        for start, end in runs:
            width = end - start
            if width == 2:
                found[start] = (0, ITALIC)
                italics += 1
            elif width < 5:
                found[start] = (width - 3, BOLD)
                bolds += 1
            else:
                # More than one spare apostrophe is a typing error: one is shown.
                found[start] = (min(width - 5, 1), ITALIC | BOLD)
                italics += 1
                bolds += 1
        if italics % 2 and bolds % 2:
            weakest = _weakest_bold(block, line_start, runs)
            if weakest is not None:
                literal, _ = found[weakest]
                found[weakest] = (literal + 1, ITALIC)
        line_start = line_end + 1
    return found


def _weakest_bold(block: str, line_start: int, runs: list[tuple[int, int]]) -> int | None:
    """Find the bold most likely meant as apostrophe and italics.

    The first one after a one-letter word; failing that, the first after a longer word; failing
    that, the first after a space.
    """
    after_word: int | None = None
    after_space: int | None = None
    previous_end = line_start
    for start, end in runs:
        before = block[max(previous_end, start - 2) : start]
        previous_end = end
        if end - start == 4:
            before = (before + "'")[-2:]
        elif end - start != 3:
            continue
        if before[-1:] == " ":
            if after_space is None:
                after_space = start
        elif before[:-1] == " ":
            return start
        elif after_word is None:
            after_word = start
    return after_space if after_word is None else after_word


def emphasis(changes: Iterable[tuple[int, int]], end: int) -> tuple[list[Span], list[Span]]:
    """Compute the bold and the italic spans of a text of length `end`.

    `changes` are offsets with ITALIC, BOLD or both, each of which begins or ends that style, or
    with LINE_END, which ends both.
    """
    spans: dict[int, list[Span]] = {ITALIC: [], BOLD: []}
    starts = {ITALIC: -1, BOLD: -1}
    for offset, change in (*changes, (end, LINE_END)):
        for style, start in starts.items():
            if start >= 0 and change & (style | LINE_END):
                if start < offset:
                    spans[style].append((start, offset))
                starts[style] = -1
            elif change & style:
                starts[style] = offset
    return spans[BOLD], spans[ITALIC]


# Last pass: finds what the cuts left behind, such as "( )", " ," and double spaces.


_SPOT = re.compile(rf"[{CUTS}]++|  ++")
_REST = re.compile(rf"[ ,;:{CUTS}]*+")


def spans_to_remove(text: str) -> list[Span]:
    """Find the marks of cuts, and the spaces and punctuation to remove with them.

    The spans are disjoint and in order. A mark goes with the spaces and lesser punctuation around
    it: within brackets with the empty pair ("( )"), beside a bracket or at the beginning alone, and
    elsewhere all but the first mark of punctuation and the last space stay out.
    """
    removed: list[Span] = []
    first = done = len(text) - len(text.lstrip(" "))
    if done:
        removed.append((0, done))
    for match in _SPOT.finditer(text):
        start, end = match.span()
        if end <= done:
            continue
        start = max(start, done)
        # Spaces without a mark: all but the first go.
        if text[start] == " " and text[end : end + 1] not in CUTS:
            removed.append((start + 1, end))
            done = end
            continue
        # The marks with all spaces and lesser punctuation around them.
        while start > done and text[start - 1] in " ,;:":
            start -= 1
        rest = _REST.match(text, end)
        assert rest is not None
        end = rest.end()
        # What stands on either side decides: "( )" goes whole, "(, 1931)" loses its comma, and in
        # "the king, , died" one comma stays.
        before = text[start - 1] if start > max(first, done) else ""
        after = text[end : end + 1]
        if before and before in "([" and after and after in ")]":
            start, end = _around_brackets(text, start, end, done)
            removed.append((start, end))
        elif start <= first or before in ("(", "[") or after in (")", "]"):
            removed.append((start, end))
        else:
            _keep_one_of_each(text, start, end, removed)
        done = end
    # Spaces at the end, if no cut has reached them.
    kept = len(text.rstrip(" "))
    if kept < len(text) and done <= kept:
        removed.append((kept, len(text)))
    return removed


def _around_brackets(text: str, start: int, end: int, floor: int) -> Span:
    """Widen the span to the empty brackets around it, and to one space beside them."""
    while start > floor and text[start - 1] in "([" and text[end : end + 1] in (")", "]"):
        start -= 1
        end += 1
    if start > floor and text[start - 1] == " ":
        start -= 1
    elif text[end : end + 1] == " ":
        end += 1
    return start, end


def _keep_one_of_each(text: str, start: int, end: int, removed: list[Span]) -> None:
    """Keep the first punctuation of [start, end) and the last space after it, remove the rest."""
    after = text[end : end + 1]
    mark = next((i for i in range(start, end) if text[i] in ",;:"), -1)
    if after and after in ".!?":
        mark = -1
    space = text.rfind(" ", max(mark + 1, start), end)
    if after == "" or after in ".!?":
        space = -1
    for keep in (mark, space):
        if keep >= 0:
            if keep > start:
                removed.append((start, keep))
            start = keep + 1
    if end > start:
        removed.append((start, end))


def shift(removed: list[Span]) -> Callable[[int], int]:
    """Make the function from an offset in a text to the one without the `removed` spans."""
    starts = [start for start, _ in removed]
    gone = [0, *accumulate(end - start for start, end in removed)]

    def move(offset: int) -> int:
        number = bisect_right(starts, offset)
        if number and offset < removed[number - 1][1]:
            return starts[number - 1] - gone[number - 1]
        return offset - gone[number]

    return move


class Rendered(NamedTuple):
    """These fields of a `Paragraph`."""

    text: str
    links: list[Link]
    bold: list[Span]
    italic: list[Span]
    lost: list[int]


_EMPHASIS = {"i": ITALIC, "em": ITALIC, "b": BOLD, "strong": BOLD}
_SPACES = re.compile(" {2,}+")
_CLOSING_TAG = re.compile(r"</([A-Za-z][\w:-]*+)\s*+>")
_STRAY = re.compile(r"\[\[++|\]\]++|\{\{++|\}\}++|'''++")


def render(block: str, settings: MarkupSettings) -> Rendered:
    """Render text and spans of a block from the earlier passes.

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
    rendered = Rendered(text, links, bold, italic, [])
    is_smooth = _is_smooth(text, verbatim)
    if not is_smooth:
        rendered = _smooth(rendered, verbatim)
        if not _is_smooth(rendered.text, verbatim):
            # What went has brought two brackets together. Nothing but spaces can go now.
            rendered = _smooth(rendered, verbatim)
    if links and (not is_smooth or (seldom is not None and seldom.has_made_links)):
        rendered = rendered._replace(links=_trim_links(rendered))
    return rendered


def _read(
    block: str, settings: MarkupSettings
) -> tuple[str, list[Link], list[tuple[int, int]], _SeldomTokens | None]:
    """Read the tokens of a block: return its text, its links, and its changes of emphasis.

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
    """Reads the tokens of a block besides common links and quotes.

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
        self._closed: set[str] | None = None  # the names of all closing tags in the block
        self.verbatim = False  # some brackets of the text are meant as such

    def read(self, match: re.Match[str], length: int) -> str:
        """Return the text of a token; `length` is that of the text before it."""
        kind = match.lastindex
        if kind == ENTITY:
            shown = _character(match[0])
            # One apostrophe is no markup; several are, which come one entity after the other.
            meant = shown != "'" or self._block.startswith("&", match.end())
            self.verbatim = self.verbatim or (meant and shown in _BRACKETS)
            return shown
        if kind == TAG:
            name = match[10].lower().strip("/\\., \t\n")
            if name == "br":
                return " "
            if (style := _EMPHASIS.get(name)) is not None:
                self._events.append((length, style))
            return ""
        if kind == LINK_OPEN:
            self.opened = (match.end(), length, match[4])
        elif kind == LINK_CLOSE:
            return self._link_close(match, length)
        elif kind == URL_OPEN:
            self._urls += 1
            return CUT if self._block[match.end() : match.end() + 1] == "]" else ""
        elif kind == UNKNOWN_TAG:
            return "" if self._is_tag(match) else match[0]
        elif kind == NEWLINE:
            if self._events:
                self._events.append((length, LINE_END))
            return " "
        elif not self._urls:
            return "]"
        else:
            self._urls -= 1
        return ""

    def _is_tag(self, match: re.Match[str]) -> bool:
        """Tell an unknown tag from "x<y and y>z": it closes something, or is closed."""
        if match[0].startswith("</") or match[0].endswith("/>"):
            return True
        if self._closed is None:
            self._closed = {name.lower() for name in _CLOSING_TAG.findall(self._block)}
        return match[13].lower() in self._closed

    def _link_close(self, match: re.Match[str], length: int) -> str:
        """Return the text of an unusual link's end, with its trail."""
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


def _trim_links(rendered: Rendered) -> list[Link]:
    """Trim the spaces at the ends of links' anchors; drop links without words."""
    trimmed: list[Link] = []
    for start, end, target, section in rendered.links:
        anchor = rendered.text[start:end]
        start += len(anchor) - len(anchor.lstrip(" "))
        end -= len(anchor) - len(anchor.rstrip(" "))
        if start < end:
            trimmed.append(Link(start, end, target, section))
    return trimmed


def _is_smooth(text: str, verbatim: bool) -> bool:
    """Check whether a text has no marks of cuts, double spaces or stray markup."""
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


def _smooth(rendered: Rendered, verbatim: bool) -> Rendered:
    """Remove marks and the leftovers of cuts, and move the spans along."""
    text, links, bold, italic, lost = rendered
    if not verbatim:  # unpaired markup; a space each, so that no new one comes together
        lost = [*lost, *(match.start() for match in _STRAY.finditer(text))]
        text = _STRAY.sub(lambda match: " " * len(match[0]), text)
    lost = sorted([*lost, *(match.start() for match in re.finditer(LOST, text))])
    removed = spans_to_remove(text)
    if removed:
        text = without(text, removed)
        shifted = shift(removed)
        links = [Link(shifted(a), shifted(b), title, section) for a, b, title, section in links]
        bold = _shifted_spans(bold, shifted)
        italic = _shifted_spans(italic, shifted)
        lost = [*map(shifted, lost)]
    return Rendered(text, links, bold, italic, lost)


def _shifted_spans(spans: list[Span], shifted: Callable[[int], int]) -> list[Span]:
    moved = [(shifted(start), shifted(end)) for start, end in spans]
    return [(start, end) for start, end in moved if start < end]


_BRACKETS = frozenset("[]{}'")
SOFT_HYPHEN = "\xad"  # it only says where a line may break


@lru_cache(maxsize=4096)
def _character(entity: str) -> str:
    """Decode an entity: any space as a plain one, an unknown name as it is written."""
    shown = unescape(entity)
    if shown == SOFT_HYPHEN:
        return ""
    is_space = shown.isspace() or category(shown[:1] or " ") == "Cc"
    return " " if is_space else shown
