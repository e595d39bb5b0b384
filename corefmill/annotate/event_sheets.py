"""Event mentions as a spreadsheet for raters without a browser, and what they answered.

1. A row is a mention for one rater: `item`, `rater`, `event`, `type`, `article`, `passage` with the
   mention in [ ], and `answer`, `reason`, `remark` to be filled.
2. `answer` is y, n, yes or no, and empty for none. A reason is its name or its key, and means no by
   itself; upper and lower case are one.
3. Reading needs `item`, `rater` and `answer`; other columns, and another order, are no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from corefmill.annotate.judgements import Judgement
from corefmill.annotate.passages import marked
from corefmill.annotate.questions import EVENT, AnnotationItem, by_kind
from corefmill.corpora import sheets
from corefmill.corpora.errors import DataError, naming

_NEEDED = ("item", "rater", "answer")
_HEAD = ("item", "rater", "event", "type", "article", "passage", "answer", "reason", "remark")
_FACTS = ("Event", "Type", "Paragraph of")


def write(path: Path, items: Sequence[AnnotationItem], *, raters: int) -> int:
    """Writes the mentions rater by rater, in the order given; returns the number of rows."""

    def rows() -> Iterator[Sequence[object]]:
        yield _HEAD
        for rater in range(1, raters + 1):
            for item in items:
                facts = dict(item.facts)
                said = (facts.get(name, "") for name in _FACTS)
                yield item.id, str(rater), *said, " ".join(marked(item).split()), "", "", ""

    sheets.write(path, rows(), mark=True)
    return raters * len(items)


def read(path: Path) -> Iterator[Judgement]:
    """Streams the answers; raises `DataError` with the line for what is none."""
    rows = sheets.read(path, ",;\t")
    _, head = next(rows, (1, []))
    places = {name.strip().lower(): place for place, name in enumerate(head)}
    if missing := [name for name in _NEEDED if name not in places]:
        raise DataError(
            f"no column {missing[0]!r}",
            path=path,
            line=1,
            remedy="it must be a file that `corefmill annotate export` wrote",
        )
    for line, row in rows:
        if not any(row):
            continue
        if len(row) <= max(places[name] for name in _NEEDED):
            raise DataError(f"only {len(row)} fields", path=path, line=line)
        own = {name: row[place].strip() for name, place in places.items() if place < len(row)}
        if not own["answer"] and not own.get("reason"):
            continue
        with naming(path, line):
            yield _judgement(row[places["item"]], own, path, line)


def _judgement(item: str, row: Mapping[str, str], path: Path, line: int) -> Judgement:
    """What a row says of a mention, as rule 2 has it."""
    question = by_kind()[EVENT].questions[0]
    answers = {word: one.name for one in question.answers for word in (one.key, one.name)}
    reasons = {word: one.name for one in question.reasons for word in (one.key, one.name)}
    said, why = row["answer"].casefold(), row.get("reason", "").casefold()
    answer, reason = answers.get(said, ""), reasons.get(why, "")
    if said in reasons and not why:
        answer, reason = question.answers_with, reasons[said]
    elif not said and reason:
        answer = question.answers_with
    if not answer or (why and not reason) or (reason and answer != question.answers_with):
        raise DataError(
            f"{said[:40]!r} with the reason {why[:40]!r} is no answer",
            path=path,
            line=line,
            remedy=f"one of {', '.join(answers)}, or a reason: {', '.join(reasons)}",
        )
    return Judgement(
        item=item,
        rater=row["rater"],
        person=True,
        question=question.name,
        answer=answer,
        reason=reason,
        remark=row.get("remark", ""),
    )
