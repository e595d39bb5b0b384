"""Records of the wikitext cleaner: paragraphs with links and emphasis as spans.

Builders read plain text in the same form, each paragraph without links.

Every span is half-open and counts Unicode code points of the `text` of its own paragraph.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

# Control characters mark the cuts, inside the cleaner only. XML forbids all of them, so no dump
# holds any; `strip_marks` removes them from other sources.
LOST = "\x01"  # something that may have been words of the sentence
CUT = "\x02"  # something that was no part of the sentence: a note, a comment, a picture
PIPE = "\x03"  # a pipe that separates no arguments of a template
QUOTE_OPEN = "\x04"  # alone on its line
QUOTE_CLOSE = "\x05"  # alone on its line

CUTS = LOST + CUT
ALL = CUTS + PIPE + QUOTE_OPEN + QUOTE_CLOSE


def strip_marks(text: str) -> str:
    """Remove the marks from a text."""
    for mark in ALL:
        if mark in text:
            text = text.replace(mark, "")
    return text


Span = tuple[int, int]

_WORD = re.compile(r"\S+")

# prose    consecutive plain lines, joined by a space
# list     an item of a * # or ; list
# indent   a line led by a colon or a space, or wholly in italics (hatnotes, displayed examples)
# quote    text of a <blockquote> or <poem>
# heading  the words of a heading
Kind = Literal["prose", "list", "indent", "quote", "heading"]


class Link(NamedTuple):
    """A link to an article: `text[start:end]` is its anchor, trail included.

    `target` is the title as written, unescaped, underscores turned to spaces, stripped; the case
    of its first letter is left as it was. It is '' for a link to a section of the same page.
    """

    start: int
    end: int
    target: str
    section: str | None


@dataclass(slots=True)
class Paragraph:
    """One block of a page, in clean text."""

    text: str
    kind: Kind
    index: int  # position among the page's paragraphs
    section: str  # the nearest heading above, '' in the lead
    links: list[Link]
    bold: list[Span]
    italic: list[Span]
    lost: list[int]  # places of cut templates and formulas that may have been words, in order
    start: int = 0  # where it begins in the page's clean text, a paragraph a line; or in a file
    raw: str = ""  # of plain text what the file has there; its white space is single blanks in text

    def lacks_words(self, start: int = 0, end: int | None = None) -> bool:
        """Tell whether words of [start, end) of the text may be missing, for all builders.

        What was cut between two sentences may have belonged to either, so that one blank on either
        side counts as inside.
        """
        end = len(self.text) if end is None else end
        return any(start - 1 <= place <= end for place in self.lost)

    def place(self, start: int, end: int) -> Span:
        """Map [start, end) of the text to the page's clean text, or to the file.

        Neither end may be a blank.
        """
        if not self.raw:
            return self.start + start, self.start + end
        return self.start + self._raw_offset(start), self.start + self._raw_offset(end - 1) + 1

    def _raw_offset(self, offset: int) -> int:
        """Map an offset in the text to the raw text, with its white space."""
        if (shift := self.raw.find(self.text)) >= 0:
            return shift + offset
        left = offset - self.text.count(" ", 0, offset)
        for word in _WORD.finditer(self.raw):
            if left < word.end() - word.start():
                return word.start() + left
            left -= word.end() - word.start()
        raise ValueError(f"offset {offset} is outside the text of {len(self.text)}")


class CleanPage(NamedTuple):
    """A page without markup."""

    paragraphs: list[Paragraph]
    categories: list[str]  # without their prefix
    templates: list[str]  # names of the outermost templates, in order


def without(text: str, spans: Iterable[Span], filler: str = "") -> str:
    """Replace each of the disjoint, ordered `spans` by `filler`."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces.append(text[position:start])
        position = end
    pieces.append(text[position:])
    return filler.join(pieces)
