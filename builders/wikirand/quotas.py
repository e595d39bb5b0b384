"""Count the passages of each size in a corpus, to draw as many for its control corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.builders.corpus.split import VALIDATION
from corefmill.builders.corpus.survey import count_tokens
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.records import MaskedExample

_SCHEMA = "masked-example/1"
_SPARE_TIMES, _SPARE_MORE = 4, 4
"""Passages that a unit keeps beyond its share, since units differ in the sizes that they have."""
_LEAST_REACH, _REACH = 3, 0.2


class Cell(NamedTuple):
    """A size of passages."""

    sentences: int
    tokens: int

    @property
    def reach(self) -> int:
        """The largest difference in tokens of a substitute for this size."""
        return max(_LEAST_REACH, int(_REACH * self.tokens))


@dataclass(frozen=True)
class Quotas:
    """The numbers of passages by size, `validation` of them for that split.

    `characters` is the length of the whole input's prose, None if unknown. `name`, `mode` and
    `pipeline` describe the corpus that was counted.
    """

    wanted: Mapping[Cell, int]
    validation: int
    name: str
    mode: str
    pipeline: str
    inputs: Any = None
    characters: int | None = None

    @classmethod
    def count_corpus(cls, directory: Path, lang: str) -> Quotas:
        """Count a corpus's examples by size; raises `DataError` or `UsageError`."""
        if not (directory / manifest.NAME).is_file():
            raise UsageError(
                "no corpus is here: the folder has no manifest.json",
                path=directory,
                remedy=f"name a corpus in --like, as `build wikicrem --lang {lang}` makes it",
            )
        made = manifest.read(directory)
        if made.schema != _SCHEMA or made.lang != lang:
            raise UsageError(
                f"a corpus of {made.schema} in {made.lang!r} cannot set the sizes for {lang!r}",
                path=directory,
                remedy=f"name in --like a corpus of {_SCHEMA} in the language of --lang",
            )
        wanted: Counter[Cell] = Counter()
        for split in made.splits:
            for record in manifest.records(directory, split):
                assert isinstance(record, MaskedExample)
                wanted[Cell(len(record.sentences), count_tokens(record))] += 1
        if wanted.total() != sum(made.splits.values()):
            raise DataError(
                f"the corpus has {wanted.total()} examples, and its manifest says"
                f" {sum(made.splits.values())}",
                path=directory,
                remedy="build or copy the corpus again",
            )
        return cls(
            wanted=dict(sorted(wanted.items())),
            validation=made.splits.get(VALIDATION, 0),
            name=made.name,
            mode=made.mode,
            pipeline=made.versions.get("pipeline", ""),
            inputs=made.build.get("parts", {}).get("inputs"),
            characters=made.counts.get("read", {}).get("characters"),
        )

    def for_inputs(self, inputs: Any) -> Quotas:
        """Drop `characters` unless the counted corpus has this input (see `describe_inputs`)."""
        return self if inputs and inputs == self.inputs else replace(self, characters=None)

    @cached_property
    def reachable(self) -> frozenset[Cell]:
        """Collect the wanted passage sizes, and sizes whose number of tokens is within reach."""
        return frozenset(
            Cell(cell.sentences, tokens)
            for cell in self.wanted
            for tokens in range(cell.tokens - cell.reach, cell.tokens + cell.reach + 1)
        )

    @property
    def most_sentences(self) -> int:
        """The most sentences of a passage wanted."""
        return max((cell.sentences for cell in self.wanted), default=1)

    @property
    def total(self) -> int:
        """All passages wanted."""
        return sum(self.wanted.values())

    def compute_room(self, cell: Cell, characters: int) -> int:
        """Compute how many passages of a size a unit with so much prose keeps.

        A unit keeps as many as the whole corpus wants and some more, as substitutes for other
        sizes. If the size of the whole input is known, its share is enough, and shards stay small.
        """
        if cell not in self.reachable:
            return 0
        share = min(1.0, characters / self.characters) if self.characters else 1.0
        return ceil(_SPARE_TIMES * share * self.wanted.get(cell, 0)) + _SPARE_MORE

    def as_json(self) -> dict[str, Any]:
        """Return the quotas as JSON, for the fingerprint of the build."""
        return {
            "like": self.name,
            "tokens_by": self.pipeline,
            "wanted": [[*cell, count] for cell, count in sorted(self.wanted.items())],
            "validation": self.validation,
            "characters": self.characters,
        }


def allocate(wanted: Mapping[Cell, int], supply: Mapping[Cell, int]) -> Counter[Cell]:
    """Allocate passages to sizes, to meet the wanted numbers as nearly as possible.

    Passages that a size lacks are taken from the nearest length with passages to spare, shorter
    before longer. The number of sentences stays the same, and the length within the size's reach.
    """
    # First each size from its own supply, then the shortest sizes borrow before longer ones do.
    taken = Counter({cell: min(count, supply.get(cell, 0)) for cell, count in wanted.items()})
    for cell, count in sorted(wanted.items()):
        missing = count - min(count, supply.get(cell, 0))
        for distance in range(1, cell.reach + 1):
            for tokens in (cell.tokens - distance, cell.tokens + distance):
                other = Cell(cell.sentences, tokens)
                lent = min(missing, supply.get(other, 0) - taken[other])
                taken[other] += lent
                missing -= lent
    return +taken
