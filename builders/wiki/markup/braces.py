"""First pass: cut out comments, extension tags and templates, which hold most bytes of a page.

One scan from left to right with a stack of open braces. What an extension tag or a comment holds
is jumped over; braces inside it pair with nothing outside, as in MediaWiki.
"""

import re
from collections.abc import Mapping
from functools import cache

from corefmill.builders.wiki.markup.records import CUT, CUTS, LOST, PIPE
from corefmill.builders.wiki.markup.templates import Words, fill_template, find_words

# Longer ones are boxes, whatever their name. The limit also bounds the work on nested ones.
MAX_INLINE = 2000


# Notes and pictures, whose loss leaves the sentence whole ...
_BESIDE_TEXT = (
    *("ref", "references", "gallery", "timeline", "imagemap", "graph", "score", "mapframe", "rss"),
    *("templatestyles", "templatedata", "includeonly", "indicator", "inputbox", "categorytree"),
    "section(?=[^<>]*+/>)",  # its begin and end; what a whole one holds is text
)
# ... and those that stand for words in it.
_IN_TEXT = ("math", "ce", "chem", "hiero", "source", "syntaxhighlight", "pre", "maplink", "phonos")
OPAQUE = (*_BESIDE_TEXT, *_IN_TEXT, "nowiki")

_TOKEN = re.compile(rf"\{{\{{++|\}}\}}++|<(?:!--|(?i:({'|'.join(OPAQUE)}))(?=[\s/>]))")
_NAME = re.compile(r"[^|<{}]*+")
_LINE_REST = re.compile(r"[ \t]*+\n")

# What <nowiki> holds goes through the later passes as entities, which are decoded last. Two
# characters are part of entities themselves; they are markup only where they begin a line.
_ESCAPES = {ord(char): f"&#{ord(char)};" for char in "[]{}'<>|=*:_!~"} | {ord("\n"): " "}
_BEGIN_LINES = ("", "#", ";")

# start, end, what takes its place, name if it is a template
_Cut = tuple[int, int, str, str]


def cut_braces(text: str, templates: Mapping[str, Words]) -> tuple[str, list[str]]:
    """Remove comments, extension tags and templates; return text and outermost template names.

    `templates` gives the words of those that show some.
    """
    cuts: list[_Cut] = []  # disjoint and in order: a template swallows the cuts inside it
    opens: list[tuple[int, int]] = []  # runs of `{` that wait for their `}`: offset, width
    closers = Closers(text)
    search = _TOKEN.search
    match = search(text)
    while match:
        start, end = match.span()
        head = text[start]
        if head == "{":
            opens.append((start, end - start))
        elif head == "}":
            if opens:
                _close(text, start, end, opens, cuts, templates)
        elif match.lastindex:
            name = match[1].lower()
            content_start, content_end, tag_end = closers.tag(name, end)
            if name == "nowiki" and tag_end:
                words = text[content_start:content_end].translate(_ESCAPES)
                if words[:1] in _BEGIN_LINES:
                    words = CUT + words
            elif name in _IN_TEXT or not tag_end or "<ref" in text[content_start:content_end]:
                words = LOST  # a note never closed is in the text, or has text in it
            else:
                words = _beside(text, start)
            cuts.append((start, tag_end or start, words, ""))
            end = tag_end or end
        else:
            end = closers.comment(end)
            words = _beside(text, start)
            if text[start - 1 : start] in ("", "\n"):
                line_rest = _LINE_REST.match(text, end)
                if line_rest:  # alone on its line, a comment takes the line with it
                    end, words = line_rest.end(), ""
            cuts.append((start, end, words, ""))
        match = search(text, end)
    if not cuts:
        return text, []
    text = _without(text, 0, len(text), cuts)
    if PIPE in text:
        text = text.replace(PIPE, "|")
    return text, [name for *_, name in cuts if name]


def _beside(text: str, start: int) -> str:
    """Return a mark for a cut that could leave a space too many or an empty bracket, else ""."""
    return CUT if text[start - 1 : start] in ("", " ", "(", "\n") else ""


def _without(text: str, start: int, end: int, cuts: list[_Cut]) -> str:
    """Replace the cuts in [start, end) of a text by their words."""
    pieces: list[str] = []
    for cut_start, cut_end, words, _ in cuts:
        pieces.append(text[start:cut_start])
        pieces.append(words)
        start = cut_end
    pieces.append(text[start:end])
    return "".join(pieces)


def _close(
    text: str,
    start: int,
    end: int,
    opens: list[tuple[int, int]],
    cuts: list[_Cut],
    templates: Mapping[str, Words],
) -> None:
    """Pair the run of `}` at [start, end) with open runs of `{`, by threes or by twos."""
    while end - start >= 2 and opens:
        open_start, width = opens.pop()
        braces = 3 if width >= 3 and end - start >= 3 else 2
        begin = open_start + width - braces
        start += braces
        first = len(cuts)
        while first and cuts[first - 1][0] >= begin:
            first -= 1
        if braces == 3:
            name, words = "", LOST
        else:
            name = _name(text, begin, start, cuts, first)
            words = _words(text, begin, start, cuts, first, name, templates)
        cuts[first:] = [(begin, start, words, name)]
        if width - braces >= 2:
            opens.append((open_start, width - braces))


def _name(text: str, begin: int, end: int, cuts: list[_Cut], first: int) -> str:
    """Read the name of the template at [begin, end), without comments in it."""
    match = _NAME.match(text, begin + 2, end - 2)
    assert match is not None
    name = match[0]
    if match.end() < end - 2 and text[match.end()] != "|":
        # A comment or a template within the name.
        limit = min(end - 2, begin + MAX_INLINE)
        inner = [cut for cut in cuts[first : first + 8] if cut[1] <= limit]
        name = _without(text, begin + 2, limit, inner).partition("|")[0]
        for mark in CUTS:
            name = name.replace(mark, "")
    return " ".join(name.replace("_", " ").split())


def _words(
    text: str,
    begin: int,
    end: int,
    cuts: list[_Cut],
    first: int,
    name: str,
    templates: Mapping[str, Words],
) -> str:
    """Return the words to show in place of the template at [begin, end)."""
    words = find_words(name, templates)
    if words is None:
        is_box = end - begin > MAX_INLINE or text.find("\n", begin, end) >= 0
        return CUT if is_box else LOST
    if not words:
        return CUT
    if end - begin > MAX_INLINE:
        return LOST
    shown = fill_template(words, _without(text, begin + 2, end - 2, cuts[first:]))
    if shown is None or (shown[:1].isdigit() and text[begin - 1 : begin].isdigit()):
        return LOST  # "3{{frac|1|2}}" would be 31/2
    return shown or CUT


class Closers:
    """Finds the ends of tags and comments; remembers missing ones, so nothing is sought twice."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing: set[str] = set()

    def comment(self, start: int) -> int:
        """Find the end of a comment with its inside from `start` on, else that of the text."""
        end = self._text.find("-->", start)
        return len(self._text) if end < 0 else end + 3

    def tag(self, name: str, attributes: int) -> tuple[int, int, int]:
        """Find start and end of the content, end of the whole; 0 for the last if never closed.

        The name of the tag, in lower case, ends at `attributes`.
        """
        text = self._text
        if ">" in self._missing or name in self._missing:
            return 0, 0, 0
        opened = text.find(">", attributes)
        if opened < 0:
            self._missing.add(">")
            return 0, 0, 0
        if text[opened - 1] == "/":
            return opened, opened, opened + 1
        close = _close_tag(name).search(text, opened + 1)
        if close is None:
            self._missing.add(name)
            return 0, 0, 0
        return opened + 1, close.start(), close.end()


@cache
def _close_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}\s*+>", re.IGNORECASE)
