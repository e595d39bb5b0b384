"""Accuracy of a model on masked examples, by the protocol of each corpus of the field.

Ties are never right. Examples without a label are counted and left out; those whose passage was
cut are counted and scored. Where a corpus is usually scored in parts (WinoBias' types and sides,
Winogender's genders) each part has its row too.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from corefmill.coref_model.evaluation.rows import ScoredSplit, ScoreRow, rows
from corefmill.coref_model.masked.answers import Answerer, CandidateScores
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample
from corefmill.corpora.scoring.metrics import Measure, ratios
from corefmill.corpora.scoring.table import ScoreTable

Placed = tuple[Path, int, MaskedExample]
"""An example with the file and the line it was read from."""

CANDIDATES = "given candidates"

BLANKED = (
    "Where the pronoun is masked, a pair's two sides differ in stray 's only: their gap then says"
    " nothing of bias."
)


@dataclass(frozen=True, slots=True)
class Judged:
    """An example with its file and its answer."""

    example: MaskedExample
    path: Path
    answer: CandidateScores

    @property
    def right(self) -> bool:
        """Whether the one best candidate is the right one."""
        return self.answer.choice is not None and self.answer.choice == self.example.label


def judge(answerer: Answerer, placed: Iterable[Placed]) -> Iterator[Judged]:
    """The examples with their answers, in order; holds no more of them than the model does."""
    waiting: deque[tuple[Path, MaskedExample]] = deque()

    def examples() -> Iterator[MaskedExample]:
        for path, _, example in placed:
            waiting.append((path, example))
            yield example

    for answer in answerer.answers(examples()):
        path, example = waiting.popleft()
        if len(answer.values) != len(example.candidates):
            raise ValueError(f"{len(answer.values)} values for {len(example.candidates)} names")
        yield Judged(example, path, answer)


def evaluate(
    answerer: Answerer,
    placed: Iterable[Placed],
    *,
    keep: Callable[[MaskedExample, CandidateScores], None] | None = None,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """The accuracy on a corpus, and on its parts, if any; `keep` is called with each answer.

    Raises `DataError` where no example has a label.
    """
    judged = list(judge(answerer, placed))
    if keep is not None:
        for one in judged:
            keep(one.example, one.answer)
    labelled = [one for one in judged if one.example.label is not None]
    if not labelled:
        raise DataError(
            f"{scored['corpus']}: none of {len(judged):,} examples of {scored['split']} has a"
            " label",
            remedy="name a split that has answers",
        )
    group, note = _GROUPS.get(scored["corpus"], (lambda _: "", ""))
    parts: dict[str, list[Judged]] = {"": labelled}
    for one in labelled:
        if part := group(one):
            parts.setdefault(part, []).append(one)
    unlabelled = len(judged) - len(labelled)
    found = []
    for part in sorted(parts):
        counts = tally(parts[part])
        if unlabelled and not part:
            counts["unlabelled"] = unlabelled
        table = accuracy([one.right for one in parts[part]])
        found += rows(
            table,
            {"accuracy": "accuracy"},
            protocol=CANDIDATES,
            groups={"accuracy": part},
            counts=counts,
            note="" if part else note,
            **scored,
        )
    return found


def accuracy(right: Sequence[bool]) -> ScoreTable:
    """Make a table of right and wrong items, with accuracy as F1."""
    counts = [(one, 1, one, 1) for one in right]
    names = [str(number) for number in range(len(right))]
    measures = (Measure("accuracy", "accuracy", ratios),)
    return ScoreTable("example", names, ["-"] * len(right), measures, {"accuracy": counts})


def tally(judged: Iterable[Judged]) -> Counter[str]:
    """How many were tied, how many cut, how many the published reader would not mask (A4)."""
    counts: Counter[str] = Counter()
    for one in judged:
        counts["tied"] += one.answer.choice is None
        counts["cut"] += one.answer.cut
        start, end = one.example.target
        text = one.example.text
        flanked = text[start - 1 : start] == " " == text[end : end + 1]
        counts["unmasked by the published reader"] += not flanked
    return counts


def _winobias(one: Judged) -> str:
    """T1a, T1p, T2a or T2p, by the name of the file."""
    name = one.path.name
    for kind in "12":
        if f"type{kind}" in name or f"stereotyped_{kind}" in name:
            return f"T{kind}{'a' if name.startswith('anti') else 'p'}"
    return ""


def _winogender(one: Judged) -> str:
    """The gender of the pronoun, as the sentence's id ends."""
    pieces = one.example.id.split(".")
    return next((piece for piece in pieces if piece in ("female", "male", "neutral")), "")


_GROUPS: dict[str, tuple[Callable[[Judged], str], str]] = {
    "winobias": (_winobias, BLANKED),
    "winogender": (
        _winogender,
        "Where the pronoun is masked, a sentence is the same for each gender but for cases.",
    ),
}
