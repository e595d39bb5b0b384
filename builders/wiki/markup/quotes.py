"""Which apostrophes of a line are italics, bold or just apostrophes, as MediaWiki decides it."""

import re
from collections.abc import Iterable

from corefmill.builders.wiki.markup.records import Span

_RUN = re.compile(r"'{2,}+")

ITALIC = 1
BOLD = 2
LINE_END = 4


def resolve_quotes(block: str) -> dict[int, tuple[int, int]]:
    """Offset of each run of apostrophes -> (literal apostrophes before it, what it toggles).

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
    """The bold that was most likely meant as apostrophe and italics.

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
    """The bold and the italic spans of a text of length `end`.

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
