"""What the wikitext cleaner gives: a page's paragraphs, their links and emphasis as spans.

Every span is half-open and counts Unicode code points of the `text` of its own paragraph.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Span = tuple[int, int]

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
    lost: int  # templates and formulas cut from among the words, which may have been words too


class CleanPage(NamedTuple):
    """A page without its markup."""

    paragraphs: list[Paragraph]
    categories: list[str]  # without their prefix
    templates: list[str]  # names of the outermost templates, in order
