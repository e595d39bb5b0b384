"""The data card of a masked-name corpus: README.md and its picture of passage lengths."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from builders.stages import seeded
from builders.wikicrem.gender import FORMS, Genders, male_and_female
from corpora.atomic import replacing
from corpora.records import MaskedExample

_SAMPLES = 20
_PICTURE = "lengths.png"


@dataclass
class Survey:
    """What a card tells of the examples, gathered in one pass in flat memory."""

    genders: Genders
    seed: int
    examples: int = 0
    rules: Counter[str] = field(default_factory=Counter)
    candidates: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    gender: Counter[str] = field(default_factory=Counter)
    articles: set[int] = field(default_factory=set)
    drawn: list[tuple[float, str, MaskedExample]] = field(default_factory=list)

    def watch(self, examples: Iterable[MaskedExample]) -> Iterator[MaskedExample]:
        """Passes the examples on, and counts them."""
        for example in examples:
            self.examples += 1
            self.rules[example.meta.get("rule", "")] += 1
            self.candidates[len(example.candidates)] += 1
            self.lengths[len(example.meta.get("tokens") or example.text.split())] += 1
            self.articles.add(example.source.page_id)
            if example.answer is not None:
                self.gender[self.genders.of(example.answer)] += 1
            ticket = seeded(self.seed, "sample", example.id).random()
            entry = (-ticket, example.id, example)
            if len(self.drawn) < _SAMPLES:
                heapq.heappush(self.drawn, entry)
            else:
                heapq.heappushpop(self.drawn, entry)
            yield example

    @property
    def samples(self) -> list[MaskedExample]:
        """Examples drawn at random from the whole corpus, in the order of the draw."""
        return [example for _, _, example in sorted(self.drawn, key=lambda e: e[:2], reverse=True)]

    def counts(self) -> dict[str, Any]:
        """The survey's figures for the manifest."""
        return {
            "examples": self.examples,
            "articles_with_examples": len(self.articles),
            "rule": dict(sorted(self.rules.items())),
            "candidates": {str(n): count for n, count in sorted(self.candidates.items())},
            "answer_gender": {form: self.gender[form] for form in sorted(self.gender)},
            "tokens_per_passage": _quartiles(self.lengths),
        }


def _quartiles(lengths: Counter[int]) -> dict[str, int]:
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


def marked(example: MaskedExample) -> str:
    """The passage with [MASK], its candidates' mentions in bold."""
    start, end = example.target
    spans = [(s, e, f"**{example.text[s:e]}**") for _, s, e in example.mentions]
    shown, position = "", 0
    for left, right, words in sorted([*spans, (start, end, "`[MASK]`")]):
        shown += example.text[position:left] + words
        position = right
    return shown + example.text[position:]


def picture(lengths: Counter[int], path: Path) -> None:
    """Draws the histogram of passage lengths in tokens."""
    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.add_subplot()
    axes.bar(list(lengths), list(lengths.values()), width=1.0, color="#3b6ea5")
    axes.set_xlabel("tokens in the passage")
    axes.set_ylabel("examples")
    with replacing(path) as out:
        # No date, no version: the same corpus gives the same bytes.
        figure.savefig(out, format="png", dpi=100, metadata={"Software": None})


def write(
    out: Path,
    survey: Survey,
    *,
    title: str,
    facts: Mapping[str, str],
    splits: Mapping[str, int],
    counts: Mapping[str, int],
    rejects: Mapping[str, int],
    limits: Iterable[str],
    warnings: Iterable[str],
    command: str,
) -> None:
    """Writes README.md and the picture into the corpus directory."""
    picture(survey.lengths, out / _PICTURE)
    male, female = male_and_female(survey.gender)
    lines = [f"# {title}", ""]
    lines += [f"**Warning:** {warning}\n" for warning in warnings]
    lines += _table(("", ""), facts.items())
    lines += ["", "## Size", "", *_table(("split", "examples"), splits.items())]
    lines += ["", *_table(("read", "number"), counts.items())]
    lines += ["", "## What was left out", ""]
    most_first = sorted(rejects, key=lambda reason: (-rejects[reason], reason))
    lines += _table(("reason", "drafts"), [(reason, rejects[reason]) for reason in most_first])
    lines += ["", "## Passages", "", f"![Tokens in a passage]({_PICTURE})", ""]
    lines += _table(("tokens", ""), _quartiles(survey.lengths).items())
    lines += ["", *_table(("rule of the paper", "examples"), sorted(survey.rules.items()))]
    lines += ["", *_table(("candidates", "examples"), sorted(survey.candidates.items()))]
    lines += [
        "",
        "## Gender of the right candidate",
        "",
        "As gender-guesser has it for the first word of the name, in the country of the language.",
        "",
        *_table(("gender", "examples"), [(form, survey.gender[form]) for form in FORMS]),
        "",
        f"Male or mostly male {male:,}, female or mostly female {female:,}"
        + (f"; female / male = {female / male:.2f} (the paper: 0.53)." if male else "."),
        "",
        f"## {len(survey.samples)} examples drawn at random",
        "",
    ]
    for example in survey.samples:
        names = ", ".join(
            f"**{name}**" if name == example.answer else name for name in example.candidates
        )
        lines += [f"- {marked(example)}  ", f"  Candidates: {names}. *{example.source.title}*"]
    lines += ["", "## Known limits", "", *(f"- {limit}" for limit in limits)]
    lines += ["", "## Build it again", "", "```", command, "```", ""]
    with replacing(out / "README.md") as file:
        file.write("\n".join(lines).encode())


def _table(head: tuple[str, str], rows: Iterable[tuple[object, object]]) -> list[str]:
    def cell(value: object) -> str:
        return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")

    return [
        f"| {head[0]} | {head[1]} |",
        "|---|---|",
        *(f"| {cell(left)} | {cell(right)} |" for left, right in rows),
    ]
