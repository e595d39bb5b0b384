"""Tasks for people: which candidate is meant? Written as CSV, read back with what they answered.

1. A row is one rater's answer to one problem: `item` (the record's id), `rater` (1 to k), `passage`
   with the word to resolve in [ ], `option_a` and `option_b` and so on, `answer`.
2. The options stand in an order of their own for each rater, so that nobody learns from the
   position. Each rater gets the problems in another order, too.
3. `answer` is a letter of an option, its words, or x for a problem that has no answer; upper and
   lower case are one. An empty answer is none.
4. Reading needs `item`, `rater`, `answer` and the options; further columns, and an order of rows or
   columns of their own, are no harm.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase

from corefmill.builders.run.stages import seeded
from corefmill.corpora.files import sheets
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample
from corefmill.corpora.scoring import agreement

NONE = "x"
"""The answer to a problem that has none."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One rater's answer to one item: the candidate's words, None for no answer."""

    item: str
    rater: str
    candidate: str | None


def options(count: int) -> tuple[str, ...]:
    """The columns of so many options."""
    return tuple(f"option_{letter}" for letter in ascii_lowercase[:count])


def write(path: Path, examples: Sequence[MaskedExample], *, raters: int, seed: int) -> int:
    """Writes the tasks and returns the number of rows; raises `DataError` for too many candidates.

    Rows are sorted by rater, so that the file is easily cut into one for each.
    """
    most = max((len(example.candidates) for example in examples), default=2)
    if most >= ascii_lowercase.index(NONE):
        raise DataError(f"an example has {most} candidates, which letters cannot name", path=path)

    def rows() -> Iterator[Sequence[object]]:
        yield "item", "rater", "passage", *options(most), "answer"
        for rater in range(1, raters + 1):
            for example in sorted(examples, key=lambda e: seeded(seed, rater, e.id).random()):
                shown = list(example.candidates)
                seeded(seed, "options", rater, example.id).shuffle(shown)
                shown += [""] * (most - len(shown))
                yield example.id, rater, marked(example), *shown, ""

    sheets.write(path, rows())
    return raters * len(examples)


def drawn(examples: Sequence[MaskedExample], count: int, seed: int) -> list[MaskedExample]:
    """So many of the examples, drawn by their ids, in their own order."""
    by_ticket = sorted(examples, key=lambda e: seeded(seed, "drawn", e.id).random())
    chosen = {example.id for example in by_ticket[:count]}
    return [example for example in examples if example.id in chosen]


def marked(example: MaskedExample) -> str:
    """The passage on one line, its target in [ ]."""
    return " ".join(example.marked_text.split())


def read(path: Path) -> Iterator[tuple[int, Vote]]:
    """Streams the answers with their lines, those left empty not among them.

    Raises `DataError` where a column is missing or an answer is none of the row's.
    """
    rows = sheets.read(path)
    _, head = next(rows, (1, []))
    columns = _columns(head, path)
    for line, row in rows:
        if any(row) and (vote := _vote(row, columns, path, line)) is not None:
            yield line, vote


def _columns(head: Sequence[str], path: Path) -> dict[str, int]:
    columns = {name.strip().lower(): index for index, name in enumerate(head)}
    for name in ("item", "rater", "option_a", "option_b", "answer"):
        if name not in columns:
            raise DataError(
                f"no column {name!r}",
                path=path,
                line=1,
                remedy="it must be a file that `corefmill annotate export` wrote, with commas",
            )
    return columns


def _vote(row: Sequence[str], columns: Mapping[str, int], path: Path, line: int) -> Vote | None:
    if len(row) <= max(columns.values()):
        raise DataError(f"only {len(row)} fields", path=path, line=line)
    item, rater = row[columns["item"]], row[columns["rater"]].strip()
    answer = row[columns["answer"]].strip().lower()
    shown = {
        letter: row[columns[f"option_{letter}"]]
        for letter in ascii_lowercase
        if f"option_{letter}" in columns and row[columns[f"option_{letter}"]]
    }
    if not answer:
        return None
    if answer == NONE:
        return Vote(item, rater, None)
    for letter, words in shown.items():
        if answer in (letter, words.strip().lower()):
            return Vote(item, rater, words)
    raise DataError(
        f"the answer {answer[:40]!r} is none of {', '.join(shown)} and {NONE}", path=path, line=line
    )


@dataclass(frozen=True, slots=True)
class Ballot:
    """What the raters said of one item: how many for each candidate, and for none.

    `decision` is what somebody decided who saw that they disagree: the index of a candidate, or of
    none behind the last; None where nobody did.
    """

    votes: tuple[int, ...]
    none: int
    decision: int | None = None

    @property
    def raters(self) -> int:
        """How many answered."""
        return sum(self.votes) + self.none

    @property
    def label(self) -> int | None:
        """The candidate decided on or with the most votes; None where two have as many, or "none"
        has."""
        if self.decision is not None:
            return self.decision if self.decision < len(self.votes) else None
        best = max(self.votes)
        if best <= self.none or self.votes.count(best) > 1:
            return None
        return self.votes.index(best)

    @property
    def strength(self) -> int:
        """How many raters are of the most frequent opinion."""
        return max(*self.votes, self.none)


PlacedVote = tuple[Path, int | None, Vote]
"""A vote with the file and, where it is known, the line that it is from."""


def placed(files: Iterable[Path]) -> Iterator[PlacedVote]:
    """The votes of CSV files, as `read` has them."""
    return ((path, line, vote) for path in files for line, vote in read(path))


def ballots(
    votes: Iterable[PlacedVote],
    examples: Mapping[str, tuple[str, ...]],
    decided: Iterable[PlacedVote] = (),
) -> dict[str, Ballot]:
    """The ballots by item, of the candidates that `examples` has for each id.

    Of the votes that have `decided` an item the last counts. Raises `DataError` for an item or
    candidate that is not there, and for a second vote of one rater.
    """
    counted: dict[str, Counter[str | None]] = {}
    seen: dict[tuple[str, str], tuple[Path, int | None]] = {}
    for path, line, vote in votes:
        _check(path, line, vote, examples)
        key = (vote.item, vote.rater)
        if key in seen:
            first, number = seen[key]
            raise DataError(
                f"rater {vote.rater} answered {vote.item} already, at {first.name}:{number}",
                path=path,
                line=line,
            )
        seen[key] = (path, line)
        counted.setdefault(vote.item, Counter())[vote.candidate] += 1
    decisions: dict[str, int] = {}
    for path, line, vote in decided:
        _check(path, line, vote, examples)
        own = examples[vote.item]
        decisions[vote.item] = len(own) if vote.candidate is None else own.index(vote.candidate)
    found = {item: counted.get(item, Counter()) for item in (*counted, *decisions)}
    return {
        item: Ballot(
            tuple(own[candidate] for candidate in examples[item]),
            own[None],
            decisions.get(item),
        )
        for item, own in found.items()
    }


def _check(
    path: Path, line: int | None, vote: Vote, examples: Mapping[str, tuple[str, ...]]
) -> None:
    if vote.item not in examples:
        raise DataError(
            f"no item {vote.item[:60]!r} in the corpus",
            path=path,
            line=line,
            remedy="were the tasks exported from this very corpus?",
        )
    if vote.candidate is not None and vote.candidate not in examples[vote.item]:
        raise DataError(
            f"{vote.candidate[:40]!r} is no candidate of {vote.item}", path=path, line=line
        )


def alpha(found: Iterable[Ballot]) -> float | None:
    """Krippendorff's alpha for nominal answers; None where there is nothing to disagree on.

    Candidates count by their index in the record, and "none" as an answer of its own; items with
    fewer than two answers do not count.
    """
    # "None" is the last answer whatever the number of candidates.
    ballots = list(found)
    most = max((len(ballot.votes) for ballot in ballots), default=0)
    counts = [(*ballot.votes, *[0] * (most - len(ballot.votes)), ballot.none) for ballot in ballots]
    value = float(agreement.alpha(counts)) if counts else math.nan
    return None if math.isnan(value) else value
