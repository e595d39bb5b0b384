"""Spreadsheets: tasks out as CSV, the filled ones in.

1. A row is one rater's answer to one item: `item` (its id), `rater` (1 to k), the `passage` with
   the pronoun or mention in [ ] or a masked name hidden, and `answer` to be filled. Rows stand
   rater by rater, so that the file is easily cut into one for each.
2. Candidates are `option_a`, `option_b` and so on. They and the items stand in an order of their
   own for each rater, so that nobody learns from the position. The answer is the letter of an
   option, its words, or x where none is meant.
3. Event mentions have the facts on their event beside them, and the columns `reason` and `remark`.
   The answer is y or n, and a reason by its name or key; a reason alone means n.
4. Upper and lower case are one, and an empty answer is none. Further columns, an order of rows or
   columns of their own, and the ; or tab of some spreadsheets are no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from corefmill.annotate.questions import (
    AnnotationItem,
    bracket_marks,
    find_item,
    is_pronoun_problem,
    load_questions,
)
from corefmill.builders.run.stages import make_random
from corefmill.corpora.files import sheets
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample

_NEEDED = ("item", "rater", "answer")
_EVENT_HEAD = ("item", "rater", "event", "type", "article", "passage", "answer", "reason", "remark")
_FACTS = ("Event", "Type", "Paragraph of")
"""The facts in the columns event, type and article."""
_LETTERS = ascii_lowercase[: ascii_lowercase.index("x")]
"""The letters of options; x is the answer that none is meant."""


def write_examples(
    path: Path, examples: Sequence[MaskedExample], *, raters: int, limit: int | None, seed: int
) -> tuple[int, int]:
    """Write a spreadsheet of at most `limit` examples, drawn by their ids; return the numbers of
    examples and rows. Raise `DataError` for more candidates than letters."""
    drawn = sorted(examples, key=lambda one: make_random(seed, "drawn", one.id).random())[:limit]
    most = max((len(one.candidates) for one in drawn), default=2)
    if most > len(_LETTERS):
        raise DataError(
            f"an example has {most} candidates, and letters can name {len(_LETTERS)}", path=path
        )

    def rows() -> Iterator[Sequence[object]]:
        """Yield the head, and for each rater a row an example, in the rater's own order."""
        yield "item", "rater", "passage", *(f"option_{one}" for one in _LETTERS[:most]), "answer"
        for rater in range(1, raters + 1):
            for one in sorted(drawn, key=lambda one: make_random(seed, rater, one.id).random()):
                shown = list(one.candidates)
                make_random(seed, "options", rater, one.id).shuffle(shown)
                shown += [""] * (most - len(shown))
                # The name behind a mask is the answer, so it stays hidden.
                passage = one.marked_text if is_pronoun_problem(one) else one.masked_text
                yield one.id, rater, " ".join(passage.split()), *shown, ""

    sheets.write(path, rows())
    return len(drawn), raters * len(drawn)


def write_mentions(path: Path, mentions: Sequence[AnnotationItem], *, raters: int) -> int:
    """Write a spreadsheet of event mentions in their order; return the number of rows."""

    def rows() -> Iterator[Sequence[object]]:
        """Yield the head, and for each rater a row a mention."""
        yield _EVENT_HEAD
        for rater in range(1, raters + 1):
            for item in mentions:
                facts = dict(item.facts)
                said = (facts.get(name, "") for name in _FACTS)
                yield item.id, rater, *said, " ".join(bracket_marks(item).split()), "", "", ""

    sheets.write(path, rows(), mark=True)
    return raters * len(mentions)


def read(path: Path, items: Mapping[str, AnnotationItem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each answer in a spreadsheet as its line and the fields of a `Judgement`.

    `items` are those of the corpus by id. Raises `DataError` for a missing column, an unknown
    item, and an impossible answer.
    """
    rows = sheets.read(path, ",;\t")
    _, head = next(rows, (1, []))
    places = {name.strip().lower(): place for place, name in enumerate(head)}
    if missing := [name for name in _NEEDED if name not in places]:
        raise DataError(
            f"the spreadsheet has no column {missing[0]!r}",
            path=path,
            line=1,
            remedy="give a file that `corefmill annotate export` wrote",
        )
    for line, cells in rows:
        if not any(cells):
            continue
        if len(cells) <= max(places[name] for name in _NEEDED):
            raise DataError(
                f"the row has only {len(cells)} fields, fewer than the head", path=path, line=line
            )
        row = {name: cells[place] for name, place in places.items() if place < len(cells)}
        if row["answer"].strip() or row.get("reason", "").strip():
            item = find_item(items, row["item"], path, line)
            yield line, {"item": item.id, "person": True, **_parse_row(item, row, path, line)}


def _parse_row(
    item: AnnotationItem, row: Mapping[str, str], path: Path, line: int
) -> dict[str, str]:
    """Parse a row's answer to the question about candidates, else to the first (rules 2 and 3)."""
    asked = load_questions()[item.kind].questions
    question = next((one for one in asked if one.options), asked[0])
    options = {one: row[f"option_{one}"] for one in _LETTERS if row.get(f"option_{one}")}
    words = {option.strip().casefold(): option for option in options.values()}
    own = {word: one.name for one in question.answers for word in (one.key, one.name)}
    answers = {**words, **options, **own} if question.options else own
    reasons = {word: one.name for one in question.reasons for word in (one.key, one.name)}
    said = row["answer"].strip().casefold()
    why = row.get("reason", "").strip().casefold() if reasons else ""
    answer, reason = answers.get(said, ""), reasons.get(why, "")
    if said in reasons and not why:
        answer, reason = question.answers_with, reasons[said]
    elif not said and reason:
        answer = question.answers_with
    if not answer or (why and not reason) or (reason and answer != question.answers_with):
        with_reason = f" with the reason {why[:40]!r}" if why else ""
        offered = ", ".join((*options, *own) if question.options else answers)
        raise DataError(
            f"the answer {said[:40]!r}{with_reason} is none of {offered}",
            path=path,
            line=line,
            remedy=f"or a reason: {', '.join(reasons)}" if reasons else None,
        )
    return {
        "rater": row["rater"].strip(),
        "question": question.name,
        "answer": answer,
        "reason": reason,
        "remark": row.get("remark", "").strip(),
    }
