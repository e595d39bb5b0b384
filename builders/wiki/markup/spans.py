"""Taking spans out of a text."""

from collections.abc import Iterable

from corefmill.builders.wiki.markup.records import Span


def without(text: str, spans: Iterable[Span], filler: str = "") -> str:
    """`text` with `filler` in place of each of the disjoint, ordered `spans`."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces.append(text[position:start])
        position = end
    pieces.append(text[position:])
    return filler.join(pieces)
