"""Utterances for people to judge: grammatical? acceptable? A blind sample out, answers back (5.3).

1. `draw` takes so many utterances of each readability class, or all where there are fewer; texts
   that are alike count as one. Which are taken depends on seed and text alone.
2. Each rater has a sheet with all utterances in an order of its own: `item`, `utterance`,
   `grammatical`, `acceptable`, `remark`. Class and document stand in the key alone.
3. Answers are 1 or 0, y or n, yes or no, sì or no; an empty one is missing. Remarks are not read,
   and columns may be moved or added.
4. The key is CSV: `item`, `class`, `readability`, `document`, `part`, `utterance` (its number),
   `population` (different texts of that class in the corpus), `text`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.builders.runner.sampling import Lowest
from corefmill.builders.runner.stages import seeded
from corefmill.builders.translate.delta.readability import CLASSES, level, score
from corefmill.corpora import sheets
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats import ontocorefit_record
from corefmill.corpora.records import Document
from corefmill.rules import rule
from corefmill.rules.documents import written
from corefmill.rules.rule import Utterance

QUESTIONS = ("grammatical", "acceptable")
SHEET = ("item", "utterance", *QUESTIONS, "remark")
KEY = ("item", "class", "readability", "document", "part", "utterance", "population", "text")

_ANSWERS = {"1": True, "y": True, "yes": True, "s": True, "sì": True, "si": True, "true": True}
_ANSWERS |= {"0": False, "n": False, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class UtteranceToRate:
    """An utterance, its readability, and where it is: `utterance` is its index in the part."""

    text: str
    readability: float
    document: str
    part: int
    utterance: int

    @property
    def level(self) -> str:
        """Its readability class."""
        return level(self.readability)


@dataclass(frozen=True, slots=True)
class RatingSample:
    """The drawn items by name, and how many different texts the corpus has by class."""

    items: dict[str, UtteranceToRate]
    population: dict[str, int]


@dataclass(frozen=True, slots=True)
class Ratings:
    """A key's items: class and weight in the corpus, and the answers to each question."""

    levels: dict[str, str]
    population: dict[str, int]
    answers: dict[str, dict[str, dict[str, bool]]]
    """question -> item -> rater -> answer"""


def texts(document: Document) -> Iterator[tuple[int, str]]:
    """The utterances of a document by their index, as a reader sees them: blanks as one.

    The text is the record's of figure 10, else the tokens'; what has none is left out. Raises
    `ValueError` for a record that is none.
    """
    records = ontocorefit_record.records(document)
    for index, (sentence, record) in enumerate(zip(document.sentences, records, strict=True)):
        text = record.modified_text if record is not None else None
        if text is None:
            try:
                extra = document.meta.get("corefud", {}).get("sentences", {}).get(str(index), {})
                text = rule.text(Utterance(sentence.tokens, (), written(extra)))
            except (AttributeError, IndexError, TypeError, ValueError):
                raise ValueError(f"utterance {index}: meta.corefud is malformed") from None
        if own := " ".join(text.split()):
            yield index, own


def items(document: Document) -> Iterator[UtteranceToRate]:
    """The utterances of a document that have words.

    The index of readability is computed anew, so that all utterances are measured alike. Raises
    `ValueError` for a record that is none.
    """
    for index, text in texts(document):
        try:
            value = score(text, document.lang)
        except ValueError:
            continue
        yield UtteranceToRate(text, value, document.doc_id, document.part, index)


def draw(found: Iterable[UtteranceToRate], per_class: int, seed: int) -> RatingSample:
    """The sample; its items are named in an order that gives nothing away."""
    drawn = {name: Lowest[str, UtteranceToRate](per_class) for name in CLASSES}
    seen: set[bytes] = set()
    population: Counter[str] = Counter()
    for item in found:
        digest = hashlib.blake2b(f"{seed}\0{item.text}".encode(), digest_size=16).digest()
        if digest not in seen:
            seen.add(digest)
            population[item.level] += 1
            drawn[item.level].offer(int.from_bytes(digest), item.text, item)
    chosen = [item for own in drawn.values() for item in own.values()]
    order = sorted(chosen, key=lambda item: item.text)
    seeded(seed, "names").shuffle(order)
    width = len(str(len(order)))
    return RatingSample(
        {f"u{count:0{width}}": item for count, item in enumerate(order, 1)},
        {name: population[name] for name in CLASSES},
    )


def paths(folder: Path, raters: int) -> list[Path]:
    """A sheet for each rater, and last the key."""
    return [*(folder / f"rater-{rater}.csv" for rater in range(1, raters + 1)), folder / "key.csv"]


def write(folder: Path, sample: RatingSample, *, raters: int, seed: int) -> list[Path]:
    """Writes a sheet for each rater and the key; returns their paths, the key's last."""
    *own, key = made = paths(folder, raters)
    for path in own:
        names = list(sample.items)
        seeded(seed, path.name).shuffle(names)
        rows = [(name, sample.items[name].text, "", "", "") for name in names]
        sheets.write(path, [SHEET, *rows], mark=True)
    facts = [
        (
            *(name, item.level, f"{item.readability:.2f}", item.document, item.part),
            *(item.utterance, sample.population[item.level], item.text),
        )
        for name, item in sample.items.items()
    ]
    sheets.write(key, [KEY, *facts], mark=True)
    return made


def read(key: Path, rated: Sequence[Path]) -> Ratings:
    """The key with the answers of each sheet, which is one rater.

    Raises `DataError` with the line: for a column or item that is not there, an item twice, an
    answer that is none.
    """
    levels: dict[str, str] = {}
    population: dict[str, int] = {}
    for line, row in _rows(key, ("item", "class", "population")):
        name, own = row["item"], row["class"]
        if own not in CLASSES or not row["population"].isdecimal() or name in levels:
            raise DataError(
                f"no item of a key: {name[:40]!r}",
                path=key,
                line=line,
                remedy="`corefmill ratings sample` wrote another",
            )
        levels[name] = own
        population[own] = int(row["population"][:18])
    answers: dict[str, dict[str, dict[str, bool]]] = {
        question: {name: {} for name in levels} for question in QUESTIONS
    }
    for path in rated:
        seen: set[str] = set()
        for line, row in _rows(path, ("item", *QUESTIONS)):
            name = row["item"]
            if name not in levels:
                raise DataError(
                    f"no item {name[:40]!r} in the key",
                    path=path,
                    line=line,
                    remedy=f"is {key.name} this sample's?",
                )
            if name in seen:
                raise DataError(f"item {name} is there twice", path=path, line=line)
            seen.add(name)
            for question in QUESTIONS:
                if (answer := _answer(row[question], question, path, line)) is not None:
                    answers[question][name][str(path)] = answer
    return Ratings(levels, population, answers)


def _answer(cell: str, question: str, path: Path, line: int) -> bool | None:
    answer = cell.casefold()
    if answer and answer not in _ANSWERS:
        raise DataError(
            f"{question}: {answer[:40]!r} is no answer",
            path=path,
            line=line,
            remedy="1 or 0, yes or no; empty for none",
        )
    return _ANSWERS.get(answer)


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a CSV file as the wanted columns, without blanks around."""
    rows = sheets.read(path, ",;\t")
    _, head = next(rows, (1, []))
    names = [name.strip().lower() for name in head]
    missing = [name for name in columns if name not in names]
    if missing:
        raise DataError(
            f"no column {missing[0]!r}",
            path=path,
            line=1,
            remedy="it must be a file of `corefmill ratings sample`",
        )
    for line, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) < len(names):
            raise DataError(f"only {len(row)} fields", path=path, line=line)
        cells = dict(zip(names, (cell.strip() for cell in row), strict=False))
        yield line, {name: cells[name] for name in columns}
