"""What a build left out and kept with --keep-rejects: rejects.jsonl, a reason and a record a line.

Builders keep of a record what there was of it by then, so that it is of no fixed shape: one of the
corpus's own, or an object with a `text`, or `words`, and some of `title`, `start`, `end`,
`pronoun`. Whatever else it has is shown beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.outputs import COUNTED, KEPT
from corefmill.corpora import disk, jsonl, lines
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.formats import json_records
from corefmill.corpora.records import SCHEMAS, Span
from corefmill.show.documents import Row
from corefmill.show.marks import Mark, MarkedPassage, Sort
from corefmill.show.views import LONGEST, RecordView, brief, view

_SHOWN_REASONS = 40


def counts(folder: Path) -> dict[str, int]:
    """How many records were left out for each reason, the most frequent first.

    A translated corpus counts by dataset and what it was (`beta2 mentions`), and its reasons begin
    with both. {} where the folder has no rejects.json; raises `DataError` where that is not of its
    shape.
    """
    path = folder / COUNTED
    if not path.exists():
        return {}
    stages = disk.json(path)
    total: dict[str, int] = {}
    for stage, reasons in (stages if isinstance(stages, dict) else {"": None}).items():
        before = f"{stage.replace(' ', '.')}." if " " in stage else ""
        if not isinstance(reasons, dict):
            raise DataError("not counts of reasons by stage", path=path)
        for reason, count in reasons.items():
            if type(count) is not int or count < 0:
                raise DataError(f"the count of {reason[:100]!r} is no number", path=path)
            total[before + reason] = total.get(before + reason, 0) + count
    return dict(sorted(total.items(), key=lambda entry: (-entry[1], entry[0])))


def kept(folder: Path) -> bool:
    """Whether the records were kept, too."""
    return (folder / KEPT).is_file()


def read(folder: Path, reason: str | None = None) -> Iterator[tuple[str, Any]]:
    """Streams reason and record of those that were left out for this reason, or for any.

    Raises `UsageError` where none were kept, or none for that reason; `DataError` for a line that
    is none of theirs.
    """
    path = folder / KEPT
    if not kept(folder):
        raise UsageError(
            "the records that were left out are not here",
            path=path,
            remedy="build the corpus with --keep-rejects",
        )
    if reason is not None and (known := counts(folder)) and reason not in known:
        listed = ", ".join(f"{name} {count:,}" for name, count in known.items())
        raise UsageError(
            f"nothing was left out for {reason!r}", path=folder, remedy=f"but for {listed}"
        )
    for number, line in lines.read(path):
        made = json_records.loads(line, path, number)
        said = made.get("reason")
        if not isinstance(said, str) or "record" not in made:
            raise DataError("no reason and record", path=path, line=number)
        if reason in (None, said):
            yield said, made["record"]


def strings(record: Any) -> Iterator[str]:
    """All strings in it."""
    waiting = [record]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def rejected(reason: str, record: Any, schema: str, longest: int = LONGEST) -> RecordView:
    """What is shown of one; `schema` is that of the corpus."""
    given = record if isinstance(record, dict) else {}
    if "lang" in given:
        try:
            whole = jsonl.loads(json.dumps(record), SCHEMAS[schema])
        except DataError:
            pass
        else:
            return replace(view(whole, "", longest), reason=brief(reason))
    text = given.get("text")
    if "text" not in given and (words := _words(given.get("words"))):
        text = " ".join(words)
        given = {key: value for key, value in given.items() if key != "words"}
    if not isinstance(text, str):
        text = "" if record is None else json.dumps(record, ensure_ascii=False)
        given = {}
    marks = tuple(_marks(given, text))
    focus = marks[0].parts[0][0] if marks else 0
    facts = tuple(
        (brief(key), brief(_said(value)))
        for key, value in given.items()
        if key not in _PLACES and value not in (None, "", [])
    )
    return RecordView(
        id=brief(_said(given.get("id", ""))),
        split="",
        source=brief(_said(given.get("title", given.get("part", "")))),
        rows=(Row(MarkedPassage(text, marks).cut(longest, focus)),),
        facts=facts[:_SHOWN_REASONS],
        reason=brief(reason),
    )


_PLACES = ("text", "id", "title", "part", "page_id", "start", "end", "pronoun")


def _marks(given: dict[str, Any], text: str) -> Iterator[Mark]:
    """The mention, name or pronoun that it was about, where the record says the place."""
    start, end = given.get("start"), given.get("end")
    if end is None and type(start) is int and isinstance(answer := given.get("answer"), str):
        end = start + len(answer)
    spans: list[Any] = [(start, end), given.get("pronoun")]
    for span in spans:
        if (place := _span(span, len(text))) is not None:
            yield Mark(0, (place,), Sort.TARGET)


def _span(value: Any, size: int) -> Span | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    start, end = value
    if type(start) is int and type(end) is int and 0 <= start < end <= size:
        return start, end
    return None


def _words(value: Any) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else None


def _said(value: Any) -> str:
    if isinstance(value, str):
        return value
    words = _words(value)
    return json.dumps(value, ensure_ascii=False) if words is None else ", ".join(words)
