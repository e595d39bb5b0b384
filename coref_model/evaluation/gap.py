"""GAP by its official counts: a name is TRUE where no other candidate is likelier.

1. gold candidates: the two names of the row are all the candidates there are.
2. names found: the candidates are the names of persons that a pipeline finds in the text (section
   5 of the WikiCREM paper). A name of the row that it does not find has no answer, which the
   official scorer counts as a false negative.
3. Where the pronoun is `his`, candidates have 's at their end; `her` may be either and has none.
4. A name that ties with another is not TRUE.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from corefmill.coref_model.evaluation.choices import Placed
from corefmill.coref_model.evaluation.rows import ScoredSplit, ScoreRow, TextNames, rows
from corefmill.coref_model.masked.answers import Answerer
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample
from corefmill.corpora.scoring import gap
from corefmill.corpora.scoring.gap import GENDERS

GOLD = "gold candidates"
FOUND = "names found"

MEASURES = {"gap": "F1", "masculine": "F1", "feminine": "F1", "bias": "bias"}
_GROUPS = {"masculine": "M", "feminine": "F"}


@dataclass(frozen=True, slots=True)
class _Question:
    """A question to the model; `which` name of the row it is about, None for both.

    Without an `example` nothing is asked: the name was not found (`fixed` is None), or nobody else
    was, so that nothing can be likelier (`fixed` is True).
    """

    row: str
    which: int | None
    example: MaskedExample | None
    fixed: bool | None = None


def evaluate(
    answerer: Answerer,
    placed: Iterable[Placed],
    *,
    persons: TextNames | None = None,
    keep: Callable[[str, bool], None] | None = None,
    **scored: Unpack[ScoredSplit],
) -> list[ScoreRow]:
    """F1 of all names, of masculine and feminine pronouns, and the bias.

    `persons` makes it protocol 2; `keep` is called with each row, and whether both its names are
    right. Raises `DataError` for a pronoun that is not GAP's, and for a corpus without rows.
    """
    examples = [(path, line, _check_row(example, path, line)) for path, line, example in placed]
    if not examples:
        raise DataError(f"{scored['corpus']}: no rows in {scored['split']}")
    rowwise = [example for *_, example in examples]
    asked = list(_ask_both(rowwise) if persons is None else _ask_each(rowwise, persons))
    answers = answerer.answers(one.example for one in asked if one.example is not None)
    said: dict[str, list[bool | None]] = {example.id: [None, None] for example in rowwise}
    counts: Counter[str] = Counter()
    for one in asked:
        if one.example is None:
            assert one.which is not None
            said[one.row][one.which] = one.fixed
            counts["names not found"] += one.fixed is None
            continue
        answer = next(answers)
        counts["tied"] += answer.choice is None
        counts["cut"] += answer.cut
        for index in (0, 1) if one.which is None else (one.which,):
            said[one.row][index] = answer.choice == (index if one.which is None else 0)
    given = {name: gap.GapAnswer((pair[0], pair[1])) for name, pair in said.items()}
    key = {example.id: _gold(example) for example in rowwise}
    if keep is not None:
        for name, answered in given.items():
            keep(name, answered.names == key[name].names)
    return rows(
        gap.count_gap(key, given, examples[0][0]),
        MEASURES,
        protocol=GOLD if persons is None else FOUND,
        groups=_GROUPS,
        counts=counts,
        **scored,
    )


def _check_row(example: MaskedExample, path: Path, line: int) -> MaskedExample:
    pronoun = example.text[slice(*example.target)].lower()
    if pronoun not in GENDERS or len(example.candidates) != 2:
        raise DataError(f"{example.id}: {pronoun!r} is no row of GAP's", path=path, line=line)
    return example


def _gold(example: MaskedExample) -> gap.GapAnswer:
    gender = GENDERS[example.text[slice(*example.target)].lower()]
    return gap.GapAnswer((example.label == 0, example.label == 1), gender)


def _ask_both(examples: Iterable[MaskedExample]) -> Iterator[_Question]:
    for example in examples:
        asked = _with(example, example.candidates)
        yield _Question(example.id, None, replace(asked, mentions=example.mentions))


def _ask_each(examples: Sequence[MaskedExample], persons: TextNames) -> Iterator[_Question]:
    targets = ((example.text, *example.target) for example in examples)
    blanked = (f"{text[:start]}_{text[end:]}" for text, start, end in targets)
    for example, names in zip(examples, persons(blanked), strict=True):
        written = {name.casefold(): name for name in reversed(names)}
        pool = list(dict.fromkeys(name.casefold() for name in names))
        for which, candidate in enumerate(example.candidates):
            own = candidate.removesuffix(" (2)")  # a reader's mark of a second one of a string
            if own.casefold() not in written:
                yield _Question(example.id, which, None)
            elif others := [written[name] for name in pool if name != own.casefold()]:
                yield _Question(example.id, which, _with(example, (own, *others)))
            else:
                yield _Question(example.id, which, None, fixed=True)


def _with(example: MaskedExample, names: Sequence[str]) -> MaskedExample:
    if example.text[slice(*example.target)].lower() == "his":
        names = [f"{name}'s" for name in names]
    return replace(example, candidates=tuple(names), mentions=(), label=None)
