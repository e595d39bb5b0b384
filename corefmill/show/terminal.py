"""Draws views for a terminal: mentions in brackets with their cluster's number, in its colour."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TextIO

from corefmill.corpora.printable import printable
from corefmill.show.marks import Bracket, MarkedPassage, Sort, bracketed
from corefmill.show.views import RecordView, Row

_COLOURS = ("32", "33", "34", "35", "36", "31", "92", "93", "94", "95", "96", "91")
"""By cluster, again and again: those of the sixteen that both light and dark terminals show."""

_BOLD, _DIM, _REVERSED = "1", "2", "7"


def coloured(stream: TextIO) -> bool:
    """Whether colours are wanted: on a terminal that has them, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Painter:
    """Makes lines of views; `colours` says whether with escape sequences.

    Whatever comes from a corpus is printable before a colour is put around it, so that the
    sequences are ours alone.
    """

    def __init__(self, *, colours: bool) -> None:
        self._colours = colours

    def lines(self, view: RecordView) -> Iterator[str]:
        """A head, the passages, the clusters and facts; an empty line ends them."""
        head = (f"{view.reason}:" if view.reason else "", view.id, view.split, view.source)
        yield self._painted("  ".join(printable(one) for one in head if one), _BOLD)
        for row in view.rows:
            yield from self._row(row)
        if view.left_out:
            yield self._aside(f"… {view.left_out:,} more sentences; --full shows them")
        clusters = "  ".join(
            self._painted(f"{one.number} {printable(one.name)}", _colour(one.number))
            + (f" ({printable(one.note)})" if one.note else "")
            for one in view.clusters
        )
        facts = "; ".join(f"{printable(name)} {printable(value)}" for name, value in view.facts)
        if clusters:
            yield f"  {clusters}"
        if facts:
            yield self._aside(facts)
        yield ""

    def passage(self, passage: MarkedPassage) -> str:
        """The text with its brackets: `[1 Ann]`, `[1* she]` where the masked name is, `[1+ …]`
        where a bracket goes on that others cross, `[1 ]` for a word that is not written."""
        pieces: list[str] = []
        open_ones: list[str] = []
        for one in bracketed(passage):
            if isinstance(one, str):
                text = printable(one).replace("\n", "\n    ")
                pieces.append(self._painted(text, ";".join(open_ones[-1:])) if text else "")
                continue
            colour = _colour(one.mark.cluster)
            if one.mark.sort is Sort.TARGET:
                colour += f";{_REVERSED}"
            if one.opens:
                open_ones.append(colour)
                pieces.append(self._painted(f"[{label(one)} ", colour))
            else:
                open_ones.pop()
                pieces.append(self._painted("]", colour))
        return "".join(pieces)

    def _row(self, row: Row) -> Iterator[str]:
        speaker = f"{printable(row.speaker)}: " if row.speaker else ""
        if row.source is not None:
            yield f"  {self._painted(f'{row.source.lang:>3}', _DIM)} {self._cut(row.source)}"
            yield f"  {self._painted(f'{row.text.lang:>3}', _DIM)} {speaker}{self._cut(row.text)}"
        else:
            yield f"  {speaker}{self._cut(row.text)}"
        if row.unrefined:
            yield self._aside(f"    before the rules: {printable(row.unrefined)}")
        for change in row.changes:
            said = f"{change.before or '∅'} → {change.after or '∅'}"
            yield self._aside(f"    {printable(change.rule)}: {printable(said)}")
        if row.weight is not None:
            yield self._aside(f"    weight {row.weight:.2f}")

    def _cut(self, passage: MarkedPassage) -> str:
        before = (
            self._painted(f"({passage.before:,} characters) … ", _DIM) if passage.before else ""
        )
        after = self._painted(f" … ({passage.after:,} characters)", _DIM) if passage.after else ""
        more = f" ({passage.unmarked:,} mentions more)" if passage.unmarked else ""
        return f"{before}{self.passage(passage)}{after}{self._painted(more, _DIM)}"

    def _aside(self, text: str) -> str:
        return f"  {self._painted(text, _DIM)}"

    def _painted(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colours and text and code else text


def label(bracket: Bracket) -> str:
    """What stands at an opening bracket: the cluster's number, or ? where there is none."""
    mark = bracket.mark
    number = str(mark.cluster) if mark.cluster else "?"
    star = "*" if mark.sort is Sort.TARGET else ""
    return f"{number}{star}{'' if bracket.outer else '+'}"


def _colour(cluster: int) -> str:
    return _COLOURS[(cluster - 1) % len(_COLOURS)] if cluster else _BOLD
