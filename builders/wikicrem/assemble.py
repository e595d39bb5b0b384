"""Puts the finished shards together: filters on the whole corpus, splits, files, card, manifest."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from builders.run import RunResult
from builders.stages import seeded
from builders.wikicrem.card import Survey
from builders.wikicrem.kinds import not_persons
from corpora import jsonl
from corpora.errors import DataError
from corpora.formats import five_line, masked_conll
from corpora.records import MASK, MaskedExample

TRAIN, VALIDATION = "train", "validation"
MOST_VALIDATION, VALIDATION_SHARE = 10_000, 0.05


@dataclass(frozen=True, slots=True)
class Verdicts:
    """For each example in order: what became of it, and whether it goes to validation.

    `faults` are indexes into `reasons`, 0 for none.
    """

    faults: array[int]
    validation: array[int]
    reasons: tuple[str, ...]

    def rejected(self) -> Counter[str]:
        """Examples dropped, by reason."""
        counted = Counter(self.faults)
        return Counter({self.reasons[f]: n for f, n in counted.items() if f})


def judge(
    result: RunResult,
    filters: Container[str],
    *,
    validation: int | None,
    limit: int | None,
    seed: int,
) -> Verdicts:
    """Decides on every example; holds some 25 bytes for each, whatever the corpus's size.

    Of passages that are the same but for blanks and case the first stays. The validation split is
    made of whole articles, drawn with the seed, until it has `validation` examples (None: 10,000
    or 5 %, whichever is smaller).
    """
    banned = _banned(result) if "links_to_no_person" in filters else frozenset()
    passages, articles = array("Q"), array("Q")
    faults = array("b")
    reasons = ("", "links_to_no_person", "repeated_passage", "over_limit")
    for record in result.records("examples"):
        links = record["meta"].get("links", {})
        faults.append(1 if any(target in banned for target in links.values()) else 0)
        passages.append(_hash(_folded(record)))
        articles.append(_hash(_article(record)))
    if "repeated_passage" in filters:
        seen = np.where(np.frombuffer(faults, np.int8) == 0)[0] if faults else np.empty(0, int)
        _, first = np.unique(np.frombuffer(passages, np.uint64)[seen], return_index=True)
        again = np.ones(len(seen), bool)
        again[first] = False
        for index in seen[again]:
            faults[index] = 2
    if limit is not None:
        left = 0
        for index, fault in enumerate(faults):
            left += not fault
            if not fault and left > limit:
                faults[index] = 3
    return Verdicts(faults, _drawn(faults, articles, validation, seed), reasons)


def _banned(result: RunResult) -> frozenset[str]:
    """The linked articles that are about no person."""
    targets = {
        target
        for record in result.records("examples")
        for target in record["meta"].get("links", {}).values()
    }
    return not_persons(list(result.files("pages")), targets, scratch=result.folder)


def _drawn(
    faults: array[int], articles: array[int], validation: int | None, seed: int
) -> array[int]:
    """1 for the examples of the articles drawn for validation."""
    sizes: Counter[int] = Counter(
        article for article, fault in zip(articles, faults, strict=True) if not fault
    )
    total = sum(sizes.values())
    wanted = min(MOST_VALIDATION, int(total * VALIDATION_SHARE))
    wanted = wanted if validation is None else min(validation, total)
    order = sorted(sizes)
    seeded(seed, "validation").shuffle(order)
    drawn: set[int] = set()
    for article in order:
        if sizes[article] <= wanted:
            drawn.add(article)
            wanted -= sizes[article]
        if not wanted:
            break
    return array("b", (article in drawn for article in articles))


def _article(record: dict[str, Any]) -> str:
    return f"{record['source']['page_id']} {record['source']['title']}"


def _folded(record: dict[str, Any]) -> str:
    start, end = record["target"]
    masked = record["text"][:start] + MASK + record["text"][end:]
    return " ".join(masked.split()).casefold()


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def write_splits(
    result: RunResult,
    verdicts: Verdicts,
    out: Path,
    survey: Survey,
    *,
    ascii_only: bool,
    pairs: bool,
) -> dict[str, int]:
    """Writes each split in its three forms; returns the number of examples by split.

    `ascii_only` and `pairs` are those of the five-line form; pairs are for training files alone,
    since the published reader of the others takes any number of candidates.
    """
    sizes: dict[str, int] = {}
    for split, chosen in ((TRAIN, 0), (VALIDATION, 1)):
        path = out / f"{split}.jsonl"
        chosen_ones = survey.watch(_of_split(result, verdicts, chosen))
        sizes[split] = jsonl.write(path, chosen_ones)
        masked_conll.write(path.with_suffix(".conll"), jsonl.read(path, MaskedExample))
        five_line.write(
            path.with_suffix(".txt"),
            jsonl.read(path, MaskedExample),
            ascii_only=ascii_only,
            pairs=pairs and split == TRAIN,
        )
    return sizes


def rejected_examples(result: RunResult, verdicts: Verdicts) -> Iterator[dict[str, Any]]:
    """What `judge` dropped, in the shape of the runner's kept rejects."""
    for fault, record in zip(verdicts.faults, result.records("examples"), strict=True):
        if fault:
            yield {"reason": verdicts.reasons[fault], "record": record}


def _of_split(result: RunResult, verdicts: Verdicts, chosen: int) -> Iterator[MaskedExample]:
    index = 0
    for path in result.files("examples"):
        for record in jsonl.read(path, MaskedExample):
            if not verdicts.faults[index] and verdicts.validation[index] == chosen:
                yield record
            index += 1


def check_not_empty(verdicts: Verdicts, rejects: Counter[str]) -> None:
    """Raises `DataError` if no example is left, with the most frequent reasons."""
    if not all(verdicts.faults):
        return
    common = ", ".join(f"{reason} {count:,}" for reason, count in rejects.most_common(3))
    raise DataError(
        f"no example was found{'; drafts were stopped by ' + common if common else ''}",
        remedy="is the language right? try more text, another --nlp, or --without FILTER",
    )
