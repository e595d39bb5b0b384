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

from corefmill.builders.corpus.card import describe_losses
from corefmill.builders.corpus.split import GROUP, hash_text
from corefmill.builders.run.stages import HashSample, make_random
from corefmill.corpora import card_parts
from corefmill.corpora.card_parts import plain, table
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.records import MASK, MaskedExample
from corefmill.corpora.words import count_words

SHARES_PICTURE = "shares.png"
_SHOWN = 10


class NameShares:
    """Counts how many examples each name has, in 16 bytes an example: hashes, without the names."""

    def __init__(self) -> None:
        self._hashes, self._owners = array("Q"), array("q")

    def add(self, name: str, number: int) -> None:
        """Add the name of the example with this number."""
        self._hashes.append(hash_text(name))
        self._owners.append(number)

    @cached_property
    def _name_counts(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The first place of each name, and the name's number of examples, most frequent first;
        valid once all names are added."""
        _, first, sizes = np.unique(np.array(self._hashes), return_index=True, return_counts=True)
        order = np.lexsort((first, -sizes))
        return first[order], sizes[order]

    @property
    def most(self) -> list[tuple[int, int]]:
        """The most frequent names, each as (number of its first example, number of examples)."""
        firsts, sizes = (counted[:_SHOWN].tolist() for counted in self._name_counts)
        return [(self._owners[first], size) for first, size in zip(firsts, sizes, strict=True)]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Numbers of examples by name, the most frequent name first."""
        return self._name_counts[1]

    @property
    def total(self) -> int:
        """Number of examples with a name."""
        return len(self._hashes)


class Shares:
    """Counts examples by source and by answer, for the card's section Shares."""

    def __init__(self) -> None:
        self._examples = 0
        self._titles: dict[int, str] = {}
        self._answers: dict[int, str] = {}
        self.sources, self.answers = NameShares(), NameShares()

    def watch(self, example: MaskedExample) -> None:
        """Count the source and the answer of one example."""
        source = example.source
        self.sources.add(f"{source.page_id} {source.title}", self._examples)
        if example.answer is not None:
            self.answers.add(example.answer, self._examples)
        self._examples += 1

    def read_names(self, files: Sequence[Path]) -> None:
        """Read the most frequent names from the native files of all examples, in order."""
        wanted = {number for one in (self.sources, self.answers) for number, _ in one.most[:1]}
        for number, (place, line) in enumerate(
            chain.from_iterable(map(disk.read_raw_lines, files))
        ):
            if number in wanted:
                example = jsonl.loads(line, MaskedExample, number=place)
                self._titles[number] = example.source.title
                self._answers[number] = example.answer or ""

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the numbers of sources and answers, and of examples of the ten most frequent."""
        return {
            name: {
                "different": len(one.sizes),
                "examples_of_the_largest": sum(c for _, c in one.most),
            }
            for name, one in self._select_shares().items()
        }

    def section(self) -> Iterator[str]:
        """The card's lines, after `read_names`."""
        yield f"![Share of the largest sources and commonest answers]({SHARES_PICTURE})"
        rows = []
        for name, names in (("sources", self._titles), ("answers", self._answers)):
            if one := self._select_shares().get(name):
                [(number, count)] = one.most[:1]
                share = f"{count / one.total:.1%}"
                rows.append((name, len(one.sizes), plain(names.get(number, "")), count, share))
        yield ""
        yield from table(("", "different", "with most examples", "examples", "share"), rows)

    def _select_shares(self) -> Mapping[str, NameShares]:
        """Leave out the answers of a corpus without labels."""
        named = {"sources": self.sources, "answers": self.answers}
        return {name: one for name, one in named.items() if one.total}

    def picture(self, path: Path) -> None:
        """Draw the shares of the largest sources and commonest answers."""
        shown = self._select_shares()
        with card_parts.picture(path, columns=max(1, len(shown))) as panels:
            for axes, (name, one) in zip(panels, shown.items(), strict=False):
                different, share = len(one.sizes), np.cumsum(one.sizes) / one.total
                dot = "o" if different == 1 else None  # one point makes no line
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
"""Most bars of the picture."""


class ExampleTally(Protocol):
    """A builder's own counter over its examples, shown on the card and in the manifest."""

    @property
    def name(self) -> str:
        """The key of the counts in the manifest."""

    def watch(self, example: MaskedExample) -> None:
        """Count one example."""

    def counts(self) -> Mapping[str, Any]:
        """Return the counts for the manifest."""

    def section(self) -> Sequence[str]:
        """Return the card's lines, a heading first."""


@dataclass
class MaskedSurvey:
    """The card's figures on masked examples, gathered in one pass and constant memory."""

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
        """Count the examples while passing them on."""
        for example in examples:
            self.examples += 1
            if rule := example.meta.get("rule"):
                self.rules[rule] += 1
            self.candidates[len(example.candidates)] += 1
            self.sentences[len(example.sentences)] += 1
            self.lengths[count_tokens(example)] += 1
            self.shares.watch(example)
            if group := example.meta.get(GROUP):
                self.groups.append(hash_text(group))
            for tally in self.tallies:
                tally.watch(example)
            chance = make_random(self.seed, "sample", example.id).random()
            self.drawn.offer(chance, example.id, example)
            yield example

    @property
    def shared(self) -> dict[str, int]:
        """Number of examples with a shared sentence, and of their groups."""
        _, sizes = np.unique(np.array(self.groups, np.uint64), return_counts=True)
        large = sizes[sizes > 1]  # of some groups one example alone is left
        return {"examples": int(large.sum()), "groups": len(large)}

    @property
    def samples(self) -> list[MaskedExample]:
        """Examples drawn at random from the whole corpus, for the card."""
        return list(self.drawn.values())

    def counts(self) -> dict[str, Any]:
        """Return the figures for the manifest."""
        return {
            "examples": self.examples,
            "articles_with_examples": len(self.shares.sources.sizes),
            **({"rule": dict(sorted(self.rules.items()))} if self.rules else {}),
            "candidates": {str(n): count for n, count in sorted(self.candidates.items())},
            "sentences_per_passage": {str(n): c for n, c in sorted(self.sentences.items())},
            "tokens_per_passage": compute_quartiles(self.lengths),
            "sharing_a_sentence": self.shared,
            "shares": self.shares.counts(),
            **{tally.name: dict(tally.counts()) for tally in self.tallies},
        }


def count_tokens(example: MaskedExample) -> int:
    """Count the passage's tokens, or its words if the record has no tokens."""
    tokens = example.meta.get("tokens")
    return len(tokens) if tokens else count_words(example.text)


def compute_quartiles(lengths: Counter[int]) -> dict[str, int]:
    """Compute minimum, quartiles and maximum of a histogram (number of passages by length)."""
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
    """Format an example's passage in Markdown: [MASK] at the target, candidates' mentions in bold.

    Without a label the target's own words stand in brackets instead of [MASK].
    """
    start, end = example.target
    hidden = MASK if example.label is not None else f"[{example.text[start:end]}]"
    spans = [(s, e, f"**{plain(example.text[s:e])}**") for _, s, e in example.mentions]
    shown, position = "", 0
    for left, right, words in sorted([*spans, (start, end, f"`{hidden}`")]):
        shown += plain(example.text[position:left]) + words
        position = right
    return shown + plain(example.text[position:])


def draw_lengths(lengths: Counter[int], path: Path) -> None:
    """Draw the histogram of passage lengths in tokens, in bins of equal width, to a PNG file."""
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
        axes.set_ymargin(0.15)  # room for the words at the median's line
        card_parts.format_counts(axes.yaxis)
        median = compute_quartiles(lengths)["median"]
        card_parts.draw_line(axes, median, f"median {median}")
        if width > 1:
            axes.set_xlabel(f"tokens in the passage, {width} a bar")


def make_sections(
    survey: MaskedSurvey,
    *,
    splits: Mapping[str, int],
    rejects: Mapping[str, Mapping[str, int]],
) -> list[str]:
    """Lay out the card's lines between its facts and its limits; `rejects` are by stage."""
    lines = ["", "## Size", "", *table(("split", "examples"), splits.items())]
    lines += ["", "What was read, sentences, tokens and candidates are counted in manifest.json."]
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
    lines += describe_losses(rejects)
    lines += ["", "## Passages", "", f"![Tokens in a passage]({LENGTHS_PICTURE})"]
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
