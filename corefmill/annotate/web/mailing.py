"""Writes a round as files for raters without a server: each an HTML page that asks nobody else.

1. A page shows what the server would, since the server's templates fill its screens beforehand; the
   round gives it the same questions in the same order. What is left to its script is to go from
   one to the next, and to keep the answers in the browser.
2. The answers that a rater downloads are judgements, JSON Lines.
3. A line of HTML that screens have in common is kept once, so that a question costs its own text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from corefmill.annotate import passages
from corefmill.annotate.questions import AnnotationItem, answers_to
from corefmill.annotate.rounds import LEFT, READ, AskedQuestion
from corefmill.annotate.store import Rater, StoredJudgement
from corefmill.annotate.web.server import PAGES, RaterPages
from corefmill.annotate.web.serving import OpenRound, RoundRequest, opened_round
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import together


@dataclass(frozen=True, slots=True)
class MailedRound:
    """What was written: the number of items in all, and each rater's file and questions."""

    items: int
    files: dict[str, str]
    questions: dict[str, int]


def write(request: RoundRequest, out: Path, *, overwrite: bool = False) -> MailedRound:
    """Writes a page for each rater into the folder `out`; the request's file and port are unused.

    Raises `DataError` for a corpus that cannot be judged, `UsageError` for options that do not fit
    it, two names that would give one file, and a folder with files of these names.
    """
    with tempfile.TemporaryDirectory() as folder:
        request = replace(request, db=Path(folder) / "round.sqlite")
        with opened_round(request, mailed=True) as own:
            files = {name: f"{_plain(name)}.html" for name in own.raters}
            if len({name.casefold() for name in files.values()}) < len(files):
                raise UsageError(
                    f"the files of {', '.join(own.raters)} would have one name",
                    remedy="give names that differ in letters or digits",
                )
            questions = {}
            with together(out, list(files.values()), overwrite=overwrite):
                for name, file in files.items():
                    asked = own.round.left(Rater(name))
                    questions[name] = sum(one.exercise is None for one in asked)
                    write_whole(out / file, _page(own, Rater(name), asked))
        return MailedRound(own.items, files, questions)


def _plain(name: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in name)


def _page(own: OpenRound, rater: Rater, asked: Sequence[AskedQuestion]) -> str:
    lines = _LineTable()
    pages = own.pages
    told = json.dumps([dict(own.facts), rater.name], sort_keys=True)
    made = {
        "key": f"corefmill {hashlib.sha256(told.encode()).hexdigest()}",
        "rater": rater.name,
        "file": f"{_plain(own.facts['corpus'])}-{_plain(rater.name)}.jsonl",
        "notes": [READ, LEFT],
        "begin": lines.screen(pages.guidelines(begun=False)),
        "guidelines": lines.screen(pages.guidelines(begun=True)),
        "end": lines.screen(pages.task(rater, None)),
        "steps": [_step(pages, rater, one, lines) for one in asked],
        "lines": lines.lines,
    }
    style = (PAGES / "style.css").read_text("utf-8")
    script = "".join((PAGES / name).read_text("utf-8") for name in ("keys.js", "mailed.js"))
    return pages.rendered(
        "mailed.html",
        title=rater.name,
        round=made,
        style=Markup(style),
        style_sum=_sum(style),
        script=Markup(script),
        script_sum=_sum(script),
    )


def _step(
    pages: RaterPages, rater: Rater, asked: AskedQuestion, lines: _LineTable
) -> dict[str, Any]:
    """A question as the script has it, with its screens: of the text's windows, of the feedback."""
    item, question = asked.item, asked.question
    made: dict[str, Any] = {
        "stage": asked.stage,
        "item": item.id,
        "question": question.name,
        "options": item.options if question.options else (),
        "with": question.answers_with,
        "views": {
            "" if at is None else str(at): lines.screen(pages.task(rater, asked, at))
            for at in _windows(item)
        },
    }
    if asked.exercise:
        made["feedback"] = {
            f"{reason}/{answer}": lines.screen(
                pages.feedback(
                    rater,
                    StoredJudgement(
                        *(0, rater.name, asked.stage, item.id, question.name, answer, reason)
                    ),
                    asked.exercise,
                )
            )
            for answer, reason in answers_to(question, item)
        }
    return made


def _windows(item: AnnotationItem) -> list[int | None]:
    """Where all windows begin that lead on from the first, which is None."""
    found: dict[int | None, None] = {}
    left: list[int | None] = [None]
    while left:
        at = left.pop()
        if at not in found:
            found[at] = None
            window = passages.window(item, at)
            left += [one for one in (window.earlier, window.later) if one is not None]
    return list(found)


@dataclass(slots=True)
class _LineTable:
    """The lines of all screens of a page, each once."""

    _numbers: dict[str, int] = field(default_factory=dict)

    def screen(self, page: Response) -> list[int]:
        """The body of a page of the server, by the numbers of its lines."""
        body = bytes(page.body).decode().partition("<body>\n")[2].rpartition("\n</body>")[0]
        return [self._numbers.setdefault(line, len(self._numbers)) for line in body.split("\n")]

    @property
    def lines(self) -> list[str]:
        return list(self._numbers)


def _sum(text: str) -> str:
    """What the policy knows an element's text by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
