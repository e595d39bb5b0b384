"""WNLI turned back into choices (section 5 of the WikiCREM paper), and the file that GLUE takes.

The hypothesis' own words for the pronoun are the candidate; the premise's other noun phrases, which
a tagger finds, are what it is held against. It is entailed where none of them is likelier. An item
whose hypothesis does not align with its premise is answered 0, as the published reader does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from corefmill.coref_model.evaluation.choices import Placed, accuracy
from corefmill.coref_model.evaluation.rows import ScoredSplit, ScoreRow, TextNames, rows
from corefmill.coref_model.masked.answers import Answerer
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.records import MaskedExample

PROTOCOL = "hypothesis against the premise's nouns"


@dataclass(frozen=True, slots=True)
class WnliAnswer:
    """An item's index, and whether its premise entails its hypothesis."""

    index: str
    entailed: bool


def answer(
    answerer: Answerer, placed: Iterable[Placed], nouns: TextNames
) -> tuple[list[WnliAnswer], Counter[str], list[bool]]:
    """The answer to each item, how many were tied, cut or not aligned, and which are right.

    The last has the items with a label only, in order.
    """
    examples = [example for *_, example in placed]
    questions = list(_questions(examples, nouns))
    answers = answerer.answers(one for one in questions if isinstance(one, MaskedExample))
    answered: list[WnliAnswer] = []
    right: list[bool] = []
    counts: Counter[str] = Counter()
    for example, question in zip(examples, questions, strict=True):
        entailed = question is True
        if isinstance(question, MaskedExample):
            given = next(answers)
            entailed = given.choice == 0
            counts["tied"] += given.choice is None
            counts["cut"] += given.cut
        counts["not aligned"] += question is False
        counts["without another noun"] += question is True
        answered.append(WnliAnswer(example.id, entailed))
        if example.label is not None:
            right.append(entailed == (example.label == 0))
    return answered, counts, right


def evaluate(
    answerer: Answerer,
    placed: Iterable[Placed],
    *,
    nouns: TextNames,
    glue: Path | None = None,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """The accuracy where there are labels; writes `glue` where it is given.

    Raises `DataError` for a split without labels that is not to be written either.
    """
    answered, counts, right = answer(answerer, placed, nouns)
    if glue is not None:
        write(glue, answered)
    if not right:
        if glue is None:
            raise DataError(
                f"{scored['corpus']}: none of {len(answered):,} items of {scored['split']} has a"
                " label",
                remedy="--wnli FILE writes the answers in GLUE's form",
            )
        return []
    return rows(
        accuracy(right),
        {"accuracy": "accuracy"},
        protocol=PROTOCOL,
        counts=counts,
        **scored,
    )


def write(path: Path, answered: Iterable[WnliAnswer]) -> None:
    """GLUE's WNLI.tsv: index and 0 or 1, by index, without a heading as the published code's."""

    def order(one: WnliAnswer) -> tuple[int, str]:
        return (int(one.index), "") if one.index.isdecimal() else (-1, one.index)

    with replacing(path) as out:
        for one in sorted(answered, key=order):
            out.write(f"{one.index}\t{int(one.entailed)}\n".encode())


def _questions(
    examples: Sequence[MaskedExample], nouns: TextNames
) -> Iterator[MaskedExample | bool]:
    """The choice between the hypothesis' words and the premise's nouns; or the answer without one.

    False where nothing aligns, True where the premise has no other noun.
    """
    for example, found in zip(examples, nouns(one.text for one in examples), strict=True):
        if example.meta.get("aligned") is False:
            yield False
            continue
        own = example.candidates[0]
        folded = own.casefold()
        others = {
            noun.casefold(): noun
            for noun in reversed(found)
            if noun.casefold() not in folded and folded not in noun.casefold()
        }
        if not others:
            yield True
            continue
        candidates = (own, *reversed(others.values()))
        yield replace(example, candidates=candidates, mentions=(), label=None)
