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

from corefmill.builders.corpus.card import save_picture
from corefmill.builders.corpus.split import hashed
from corefmill.corpora import jsonl, lines
from corefmill.corpora.records import MaskedExample
from corefmill.corpora.tables import plain, table

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
        for number, (place, line) in enumerate(chain.from_iterable(map(lines.raw, files))):
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
        from matplotlib.figure import Figure  # as long to import as all else

        shown = self._shown()
        figure = Figure(figsize=(6.4, 3.2), layout="constrained")
        panels = figure.subplots(1, max(1, len(shown)), sharey=True, squeeze=False)[0]
        for axes, (name, one) in zip(panels, shown.items(), strict=False):
            share = np.cumsum(one.sizes) / one.total
            axes.step(np.arange(1, len(share) + 1), share, where="post", color="#3b6ea5")
            axes.set_xscale("log")
            axes.set_ylim(0, 1)
            axes.set_xlabel(f"{name}, most frequent first")
        panels[0].set_ylabel("share of the examples")
        save_picture(figure, path)
