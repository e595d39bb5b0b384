"""How much of a masked corpus a few sources and answers are: the most frequent of both, as tables
and a picture."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from corefmill.builders.corpus.split import hashed
from corefmill.corpora import card_parts
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.records import MaskedExample

PICTURE = "shares.png"
_SHOWN = 10


class NameShares:
    """How often each name stands among the examples: 16 bytes for each of these, and no name."""

    def __init__(self) -> None:
        self._hashes, self._owners = array("Q"), array("q")

    def add(self, name: str, number: int) -> None:
        """The name that the example of this number has."""
        self._hashes.append(hashed(name))
        self._owners.append(number)

    @cached_property
    def _counted(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Each name's first place and how many it has, the most frequent first; asked once all
        names are here."""
        _, first, sizes = np.unique(np.array(self._hashes), return_index=True, return_counts=True)
        order = np.lexsort((first, -sizes))
        return first[order], sizes[order]

    @property
    def most(self) -> list[tuple[int, int]]:
        """Of the most frequent names the number of the first example, and how many there are."""
        firsts, sizes = (counted[:_SHOWN].tolist() for counted in self._counted)
        return [(self._owners[first], size) for first, size in zip(firsts, sizes, strict=True)]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many examples each name has, the most frequent first."""
        return self._counted[1]

    @property
    def total(self) -> int:
        """Examples that have a name."""
        return len(self._hashes)


class Shares:
    """The sources and answers of examples that come one after the other."""

    def __init__(self) -> None:
        self._examples = 0
        self._titles: dict[int, str] = {}
        self._answers: dict[int, str] = {}
        self.sources, self.answers = NameShares(), NameShares()

    def watch(self, example: MaskedExample) -> None:
        """Counts one example."""
        source = example.source
        self.sources.add(f"{source.page_id} {source.title}", self._examples)
        if example.answer is not None:
            self.answers.add(example.answer, self._examples)
        self._examples += 1

    def read_names(self, files: Sequence[Path]) -> None:
        """Takes the names of the most frequent from the native files of all examples, in order."""
        wanted = {number for one in (self.sources, self.answers) for number, _ in one.most}
        for number, (place, line) in enumerate(
            chain.from_iterable(map(disk.read_raw_lines, files))
        ):
            if number in wanted:
                example = jsonl.loads(line, MaskedExample, number=place)
                self._titles[number] = example.source.title
                self._answers[number] = example.answer or ""

    def counts(self) -> dict[str, dict[str, int]]:
        """For the manifest: how many there are, and how many examples the first ten have."""
        return {
            name: {
                "different": len(one.sizes),
                "examples_of_the_largest": sum(c for _, c in one.most),
            }
            for name, one in self._shown().items()
        }

    def section(self) -> Iterator[str]:
        """The card's lines, after `read_names`."""
        yield "## Shares"
        yield from ("", f"![Share of the largest sources and commonest answers]({PICTURE})")
        for name, names in (("sources", self._titles), ("answers", self._answers)):
            one = self._shown().get(name)
            if one is None:
                continue
            rows = [
                (plain(names.get(number, "")), count, f"{count / one.total:.1%}")
                for number, count in one.most
            ]
            yield from ("", f"{len(one.sizes):,} {name}; those with most examples:", "")
            yield from table((name, "examples", "share"), rows)

    def _shown(self) -> Mapping[str, NameShares]:
        named = {"sources": self.sources, "answers": self.answers}
        return {name: one for name, one in named.items() if one.total}

    def picture(self, path: Path) -> None:
        """Draws what share of the examples the largest sources, and the commonest answers, have."""
        shown = self._shown()
        with card_parts.picture(path, columns=max(1, len(shown))) as panels:
            for axes, (name, one) in zip(panels, shown.items(), strict=False):
                different, share = len(one.sizes), np.cumsum(one.sizes) / one.total
                dot = "o" if different == 1 else None  # of which no line can be drawn
                axes.plot(np.arange(1, different + 1), 100 * share, marker=dot)
                card_parts.set_title(axes, name.capitalize(), f"{one.total:,} examples")
                axes.set_xscale("log")
                card_parts.format_counts(axes.xaxis)
                axes.set_xlim(0.9, max(10, different))
                axes.set_ylim(0, 102)
                axes.set_xlabel(f"{different:,} {name}, those with most first")
                if different > _SHOWN:
                    first = 100 * share[_SHOWN - 1]
                    card_parts.draw_dot(axes, _SHOWN, first, f"first {_SHOWN}: {first:.0f} %")
            panels[0].set_ylabel("share of the examples (%)")
