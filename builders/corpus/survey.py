"""Figures of masked examples for the card and the manifest, and a sample."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from corefmill.builders.corpus.card import most_first
from corefmill.builders.corpus.split import GROUP, hashed
from corefmill.builders.run.stages import HashSample, seeded
from corefmill.corpora import card_parts
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.records import MASK, MaskedExample

SHARES_PICTURE = "shares.png"
_SHOWN, _ON_CARD = 10, 5


class NameShares:
    """How often each name stands among the examples: 16 bytes for each of these, and no name."""

    def __init__(self) -> None:
        self._hashes, self._owners = array("Q"), array("q")

    def add(self, name: str, number: int) -> None:
        """Add the name of the example with this number."""
        self._hashes.append(hashed(name))
        self._owners.append(number)

    @cached_property
    def _name_counts(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Each name's first place and how many it has, the most frequent first; asked once all
        names are here."""
        _, first, sizes = np.unique(np.array(self._hashes), return_index=True, return_counts=True)
        order = np.lexsort((first, -sizes))
        return first[order], sizes[order]

    @property
    def most(self) -> list[tuple[int, int]]:
        """Of the most frequent names the number of the first example, and how many there are."""
        firsts, sizes = (counted[:_SHOWN].tolist() for counted in self._name_counts)
        return [(self._owners[first], size) for first, size in zip(firsts, sizes, strict=True)]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many examples each name has, the most frequent first."""
        return self._name_counts[1]

    @property
    def total(self) -> int:
        """Number of examples with a name."""
        return len(self._hashes)


class Shares:
    """Counts of sources and answers over a stream of examples."""

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
            for name, one in self._select_shares().items()
        }

    def section(self) -> Iterator[str]:
        """The card's lines, after `read_names`."""
        yield "## Shares"
        yield from ("", f"![Share of the largest sources and commonest answers]({SHARES_PICTURE})")
        for name, names in (("sources", self._titles), ("answers", self._answers)):
            one = self._select_shares().get(name)
            if one is None:
                continue
            rows = [
                (plain(names.get(number, "")), count, f"{count / one.total:.1%}")
                for number, count in one.most[:_ON_CARD]
            ]
            yield from ("", f"{len(one.sizes):,} {name}; those with most examples:", "")
            yield from table((name, "examples", "share"), rows)

    def _select_shares(self) -> Mapping[str, NameShares]:
        named = {"sources": self.sources, "answers": self.answers}
        return {name: one for name, one in named.items() if one.total}

    def picture(self, path: Path) -> None:
        """Draw the shares of the largest sources and commonest answers."""
        shown = self._select_shares()
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


_SAMPLES = 3
LENGTHS_PICTURE = "lengths.png"
_BINS = 40
"""Bars of the picture at most."""


class ExampleTally(Protocol):
    """A builder's own count over its examples."""

    @property
    def name(self) -> str:
        """The key of its counts in the manifest."""

    def watch(self, example: MaskedExample) -> None:
        """Counts one example."""

    def counts(self) -> Mapping[str, Any]:
        """For the manifest."""

    def section(self) -> Sequence[str]:
        """Lines of the card, a heading first."""


@dataclass
class MaskedSurvey:
    """A card's figures of the examples, gathered in one pass in flat memory."""

    tallies: Sequence[ExampleTally]
    seed: int
    examples: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    candidates: Counter[int] = field(default_factory=Counter)
    sentences: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    shares: Shares = field(default_factory=Shares)
    groups: array[int] = field(default_factory=lambda: array("Q"))
    drawn: HashSample[str, MaskedExample] = field(default_factory=lambda: HashSample(_SAMPLES))

    def watch(self, examples: Iterable[MaskedExample]) -> Iterator[MaskedExample]:
        """Passes the examples on, and counts them."""
        for example in examples:
            self.examples += 1
            if rule := example.meta.get("rule"):
                self.rules[rule] += 1
            self.candidates[len(example.candidates)] += 1
            self.sentences[len(example.sentences)] += 1
            self.lengths[length(example)] += 1
            self.shares.watch(example)
            if group := example.meta.get(GROUP):
                self.groups.append(hashed(group))
            for tally in self.tallies:
                tally.watch(example)
            self.drawn.offer(seeded(self.seed, "sample", example.id).random(), example.id, example)
            yield example

    @property
    def shared(self) -> dict[str, int]:
        """Number of examples with a shared sentence, and of their groups."""
        _, sizes = np.unique(np.array(self.groups, np.uint64), return_counts=True)
        large = sizes[sizes > 1]  # a choice among the examples may have left one of a group
        return {"examples": int(large.sum()), "groups": len(large)}

    @property
    def samples(self) -> list[MaskedExample]:
        """Examples drawn at random from the whole corpus, in the order of the draw."""
        return list(self.drawn.values())

    def counts(self) -> dict[str, Any]:
        """The survey's figures for the manifest."""
        return {
            "examples": self.examples,
            "articles_with_examples": len(self.shares.sources.sizes),
            **({"rule": dict(sorted(self.rules.items()))} if self.rules else {}),
            "candidates": {str(n): count for n, count in sorted(self.candidates.items())},
            "sentences_per_passage": {str(n): c for n, c in sorted(self.sentences.items())},
            "tokens_per_passage": quartiles(self.lengths),
            "sharing_a_sentence": self.shared,
            "shares": self.shares.counts(),
            **{tally.name: dict(tally.counts()) for tally in self.tallies},
        }


def length(example: MaskedExample) -> int:
    """The passage's length in tokens, or in words where it came without tokens."""
    return len(example.meta.get("tokens") or example.text.split())


def quartiles(lengths: Counter[int]) -> dict[str, int]:
    """Minimum, quartiles and maximum of a histogram."""
    if not lengths:
        return {}
    total, seen = sum(lengths.values()), 0
    marks = {"min": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "max": 1.0}
    found: dict[str, int] = {}
    for length, count in sorted(lengths.items()):
        seen += count
        for name, share in marks.items():
            if name not in found and seen >= max(1, share * total):
                found[name] = length
    return found


def format_passage(example: MaskedExample) -> str:
    """The passage with [MASK], or with the target where nobody knows the answer yet, its
    candidates' mentions in bold."""
    start, end = example.target
    hidden = MASK if example.label is not None else f"[{example.text[start:end]}]"
    spans = [(s, e, f"**{plain(example.text[s:e])}**") for _, s, e in example.mentions]
    shown, position = "", 0
    for left, right, words in sorted([*spans, (start, end, f"`{hidden}`")]):
        shown += plain(example.text[position:left]) + words
        position = right
    return shown + plain(example.text[position:])


def picture(lengths: Counter[int], path: Path) -> None:
    """Draws the histogram of passage lengths in tokens, in bins of equal width."""
    with card_parts.picture(path) as [axes]:
        total = sum(lengths.values())
        card_parts.set_title(axes, "Length of the passages", f"{total:,} examples")
        axes.set_xlabel("tokens in the passage")
        axes.set_ylabel("examples")
        if not lengths:
            return
        low, high = min(lengths), max(lengths)
        width = (high - low) // _BINS + 1
        edges = np.arange(low, high + width + 1, width) - 0.5
        values, counts = list(lengths), list(lengths.values())
        axes.hist(values, edges.tolist(), weights=counts, edgecolor="white", linewidth=0.5)
        axes.grid(visible=False, axis="x")
        axes.set_ymargin(0.15)  # a place for the median's words
        card_parts.format_counts(axes.yaxis)
        median = quartiles(lengths)["median"]
        card_parts.draw_line(axes, median, f"median {median}")
        if width > 1:
            axes.set_xlabel(f"tokens in the passage, {width} a bar")


def sections(
    survey: MaskedSurvey,
    *,
    splits: Mapping[str, int],
    read: Mapping[str, int],
    rejects: Mapping[str, int],
) -> list[str]:
    """The card's lines between its facts and its limits; `read` are the run's counters."""
    lines = ["", "## Size", "", *table(("split", "examples"), splits.items())]
    lines += ["", *table(("read", "number"), read.items())]
    lines += ["", "## What was left out", ""]
    lines += table(("reason", "drafts"), most_first(rejects))
    lines += ["", "## Passages", "", f"![Tokens in a passage]({LENGTHS_PICTURE})"]
    shared = survey.shared
    if shared["groups"]:
        lines += [
            "",
            f"{shared['examples']:,} of {survey.examples:,} examples share a sentence with another,"
            f" in {shared['groups']:,} groups; `meta.{GROUP}` has the id of the first of its group,"
            " and each group stands in one split.",
        ]
    else:
        lines += ["", "No two examples share a sentence."]
    lines += ["", "Sentences, tokens and candidates are counted in manifest.json."]
    lines += ["", *survey.shares.section()]
    for tally in survey.tallies:
        lines += ["", *tally.section()]
    lines += ["", f"## {len(survey.samples)} examples drawn at random", ""]
    for example in survey.samples:
        names = ", ".join(
            f"**{plain(name)}**" if name == example.answer else plain(name)
            for name in example.candidates
        )
        title = plain(example.source.title)
        lines += [f"- {format_passage(example)}  ", f"  Candidates: {names}. *{title}*"]
    return lines
