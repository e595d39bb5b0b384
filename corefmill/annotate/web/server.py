"""The pages that raters judge on: served on this machine alone, each rater by a secret link.

1. A link, /r/SECRET/, is all that a rater needs, and all that says who asks: there are no cookies,
   so that no other site can make a browser answer in a rater's name.
2. An answer comes by a plain form and leads to the next page once it is on the disk. It names the
   turn that it belongs to: a page that is out of date, or sent twice, changes nothing.
3. Whatever comes from a corpus or a rater is text, never markup, and all of a page comes from here.

htmx was left out: a page of 5 KB from the same machine needs nobody to patch it, plain forms work
without scripts, and the script that is left, a kilobyte, presses buttons by keys. A document's page
alone needs a script, to choose mentions and words; what is done to them is a plain form as well.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from corefmill.annotate import passages, store
from corefmill.annotate.chaining import sheet, work
from corefmill.annotate.chaining.sheet import SheetPlace
from corefmill.annotate.chaining.state import ChainState, place_of
from corefmill.annotate.questions import ACT, CHAINS, SKIPPED, Exercise, by_kind
from corefmill.annotate.rounds import LEFT, READ, AnnotationRound, AskedQuestion
from corefmill.annotate.store import JudgementStore, Rater, StoredJudgement
from corefmill.builders.run.stages import seeded
from corefmill.corpora.printable import printable

LONGEST_REMARK = 500
_LONGEST_FORM = 16 << 10
_PAGES = Path(__file__).parent / "pages"
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'",
    # By no-referrer browsers would hide where a form comes from.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STAGES = {
    store.TUTORIAL: "Tutorial",
    store.PRACTICE: "Practice",
    store.MAIN: "",
    store.ADJUDICATION: "Raters disagree: decide",
}
_DIGITS = 9
"""Candidates that have a key."""

Handler = Callable[[Request, Rater], Awaitable[Response]]


class RaterPages:
    """The pages of one round; all requests run one after the other on the server's event loop."""

    def __init__(
        self,
        kept: JudgementStore,
        own: AnnotationRound,
        kinds: Sequence[str],
        guidelines: str,
        documents: work.Documents | None = None,
    ) -> None:
        self._store = kept
        self._round = own
        self._documents = documents or {}
        self._chapters = [
            (by_kind()[kind].title, _rendered(by_kind()[kind].guidelines)) for kind in kinds
        ]
        if guidelines:
            self._chapters.append(("Of this corpus", _rendered(guidelines)))
        self._templates = Environment(
            loader=FileSystemLoader(_PAGES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
        )

    def application(self, host: str | None = None) -> Starlette:
        """Make the pages an ASGI application; `host` is the public name of a proxy before it."""
        return Starlette(
            routes=[
                Route("/style.css", _file("style.css", "text/css")),
                Route("/keys.js", _file("keys.js", "text/javascript")),
                Route("/chains.css", _file("chains.css", "text/css")),
                Route("/chains.js", _file("chains.js", "text/javascript")),
                Route("/r/{secret}/", self._of_rater(self._next)),
                Route("/r/{secret}/guidelines", self._of_rater(self._guidelines)),
                Route("/r/{secret}/begin", self._of_rater(self._begin), methods=["POST"]),
                Route("/r/{secret}/judge", self._of_rater(self._judge), methods=["POST"]),
                Route("/r/{secret}/act", self._of_rater(self._act), methods=["POST"]),
                Route("/r/{secret}/undo", self._of_rater(self._undo), methods=["POST"]),
            ],
            # A site whose name suddenly means 127.0.0.1 is no friend.
            middleware=[
                Middleware(
                    TrustedHostMiddleware,
                    allowed_hosts=["127.0.0.1", "localhost", *([host] if host else [])],
                )
            ],
            exception_handlers={HTTPException: self._refused, sqlite3.Error: self._unsaved},
        )

    def _of_rater(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            rater = self._store.holder(request.path_params["secret"])
            if rater is None:
                raise HTTPException(404)
            if request.method == "POST" and not _from_here(request):
                raise HTTPException(403)
            return await handler(request, rater)

        return answer

    async def _next(self, request: Request, rater: Rater) -> Response:
        if not self._round.has_begun(rater):
            return await self._guidelines(request, rater)
        if found := self._round.given(rater, _number(request.query_params.get("given")) or 0):
            return self._feedback(rater, *found)
        at, part, chosen = (_number(request.query_params.get(name)) for name in ("at", "part", "m"))
        asked = self._round.asked(rater)
        if asked is not None and asked.item.id in self._documents:
            return self._document(rater, asked, SheetPlace(chosen, at, part or 0))
        return self._task(rater, asked, at)

    def _task(self, rater: Rater, asked: AskedQuestion | None, at: int | None) -> Response:
        """The page of a question, its text from `at` on; that of the end where none is left."""
        pace = self._round.pace(rater)
        if asked is None:
            turn: int | str = self._round.turn(rater)
            return self._page("done.html", adjudicator=rater.adjudicator, pace=pace, turn=turn)
        item, turn = asked.item, self._turn(rater, asked, None)
        return self._page(
            "task.html",
            asked=asked,
            **self._progress(rater, asked),
            turn=turn,
            facts=[
                (passages.short(name), passages.short(text, passages.LONG))
                for name, text in item.facts
            ],
            window=passages.window(item, at),
            source=printable(item.source[: passages.WIDTH]),
            opinions=self._opinions(asked) if asked.stage == store.ADJUDICATION else [],
            options=self._options(asked, rater),
            remark=self._round.remark(rater, asked),
            longest=LONGEST_REMARK,
        )

    def _progress(self, rater: Rater, asked: AskedQuestion) -> dict[str, Any]:
        """What a page says of the stage, and how far the rater is in it."""
        return {
            "stage": _STAGES[asked.stage] or by_kind()[asked.item.kind].title,
            "pace": self._round.pace(rater),
            "exercise": self._round.exercise(rater, asked),
        }

    def _document(
        self, rater: Rater, asked: AskedQuestion, place: SheetPlace, problem: str = ""
    ) -> Response:
        kind, state = asked.item.kind, self._state(rater, asked)
        assert state is not None  # it is a document
        rows = self._round.about(asked.item)
        return self._page(
            "chains.html",
            status=422 if problem else 200,
            asked=asked,
            **self._progress(rater, asked),
            turn=self._turn(rater, asked, state),
            problem=problem,
            remark=self._round.remark(rater, asked),
            longest=LONGEST_REMARK,
            **sheet.page_values(kind, state, rows, asked.stage, place),
        )

    def _state(self, rater: Rater, asked: AskedQuestion) -> ChainState | None:
        """What the rater has made of a document so far; None of what is no document."""
        if (document := self._documents.get(asked.item.id)) is None:
            return None
        return work.state(document, self._round.about(asked.item), rater.name, asked.stage)

    def _turn(self, rater: Rater, asked: AskedQuestion, state: ChainState | None) -> str:
        """What a page must name to be answered: the rater's last row. What is adjudicated next, and
        what it begins with, hangs on the other raters as well."""
        turn = str(self._round.turn(rater))
        if asked.stage != store.ADJUDICATION:
            return turn
        about = [asked.item.id, asked.question.name]
        if state is not None:
            about.append(state.digest(CHAINS))
        return f"{turn}.{hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]}"

    async def _guidelines(self, request: Request, rater: Rater) -> Response:
        """The page of the guidelines, which leads to the first question or back to one."""
        begun = self._round.has_begun(rater)
        return self._page("start.html", chapters=self._chapters, begun=begun)

    async def _begin(self, request: Request, rater: Rater) -> Response:
        if not self._round.has_begun(rater):
            self._round.note(rater, READ)
        return _to("./")

    async def _answered(
        self, request: Request, rater: Rater
    ) -> tuple[dict[str, str], AskedQuestion, ChainState | None] | None:
        """A form, what it answers, and the state of that; None where its page is out of date."""
        form = await _form(request)
        if not self._round.has_begun(rater) or (asked := self._round.asked(rater)) is None:
            return None
        state = self._state(rater, asked)
        return (form, asked, state) if form.get("turn") == self._turn(rater, asked, state) else None

    async def _judge(self, request: Request, rater: Rater) -> Response:
        if (answered := await self._answered(request, rater)) is None:
            return _to("./")
        form, asked, state = answered
        if "leave" in form and asked.stage == store.TUTORIAL:
            self._round.note(rater, LEFT)
            return _to("./")
        said = _said(form, asked)
        if said is None:
            raise HTTPException(400)
        answer, reason = said
        if answer != SKIPPED and state is not None:
            answer = state.digest(asked.item.kind)
        remark = _remark(form)
        row = self._round.judge(rater, asked, answer, reason=reason, remark=remark)
        return _to(f"./?given={row.number}" if asked.exercise and answer != SKIPPED else "./")

    async def _act(self, request: Request, rater: Rater) -> Response:
        if (answered := await self._answered(request, rater)) is None:
            return _to("./")
        form, asked, state = answered
        if state is None:
            raise HTTPException(400)
        act = form.get("act", "")
        try:
            chosen = state.do(act, work.acts(asked.item.kind))
        except ValueError as error:
            return self._document(rater, asked, SheetPlace(*place_of(act)), printable(str(error)))
        self._round.act(rater, asked, act)
        return _to(f"./{SheetPlace(chosen).query}")

    async def _undo(self, request: Request, rater: Rater) -> Response:
        form = await _form(request)
        undone = None
        if form.get("turn", "").partition(".")[0] == str(self._round.turn(rater)):
            if "remark" in form and (asked := self._round.asked(rater)):
                self._round.draft(rater, asked, _remark(form))
            undone = self._round.undo(rater)
        if undone is None or undone.question != ACT:
            return _to("./")
        return _to(f"./{SheetPlace(*place_of(undone.answer)).query}")

    def _feedback(self, rater: Rater, row: StoredJudgement, exercise: Exercise) -> Response:
        """The page of what was right about an answer to an exercise."""
        item = exercise.item
        question = by_kind()[item.kind].question(row.question)
        wanted = dict(item.gold)[row.question]
        of_reasons = bool(exercise.reason and question.reasons)
        right = row.answer == wanted and (not of_reasons or row.reason == exercise.reason)
        return self._page(
            "feedback.html",
            right=right,
            verdict="As expected" if right else "Not as expected",
            ask=question.ask,
            said=passages.short(question.label(row.answer, row.reason)),
            is_document=item.id in self._documents,
            wanted=passages.short(question.label(wanted, exercise.reason)),
            why=exercise.why,
            window=passages.window(item),
            turn=self._round.turn(rater),
        )

    def _opinions(self, asked: AskedQuestion) -> list[dict[str, str]]:
        return [
            {
                "answer": passages.short(asked.question.label(row.answer)),
                "reason": asked.question.label("", row.reason) if row.reason else "",
                "remark": passages.short(row.remark, LONGEST_REMARK),
            }
            for row in self._round.opinions(asked)
        ]

    def _options(self, asked: AskedQuestion, rater: Rater) -> list[dict[str, str]]:
        """The candidates in an order of the rater's own, so that no position is favoured."""
        if not asked.question.options:
            return []
        order = list(range(len(asked.item.options)))
        seeded(self._round.seed, "options", rater.name, asked.item.id).shuffle(order)
        return [
            {
                "index": str(index),
                "key": str(place) if place <= _DIGITS else "",
                "label": passages.short(asked.item.options[index]),
            }
            for place, index in enumerate(order, 1)
        ]

    def _page(self, name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        text = self._templates.get_template(name).render(values)
        return HTMLResponse(text, status, _HEADERS)

    async def _refused(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        said = {
            400: "This answer is none of the question's.",
            403: "This was sent from another site.",
            404: "Open the link that you were given, all of it. It may have been replaced.",
        }
        return self._page(
            "refused.html",
            status=status,
            title="Not here" if status == 404 else "Refused",
            said=said.get(status, "This cannot be done here."),
        )

    async def _unsaved(self, request: Request, error: Exception) -> Response:
        return self._page(
            "refused.html",
            status=503,
            title="Not saved",
            said=f"The answer was not kept: {error}. Go back and answer again.",
        )


def _said(form: Mapping[str, str], asked: AskedQuestion) -> tuple[str, str] | None:
    """Answer and reason of a form; None where it gives none of the question's."""
    question = asked.question
    if "skip" in form:
        return SKIPPED, ""
    if form.get("reason") in {one.name for one in question.reasons}:
        return question.answers_with, form["reason"]
    if form.get("answer") in {one.name for one in question.answers}:
        return form["answer"], ""
    index = _number(form.get("option"))
    if question.options and index is not None and index < len(asked.item.options):
        return asked.item.options[index], ""
    return None


def _remark(form: Mapping[str, str]) -> str:
    return " ".join(form.get("remark", "").split())[:LONGEST_REMARK]


def _number(text: str | None) -> int | None:
    return int(text) if text and len(text) < 10 and text.isascii() and text.isdigit() else None


def _rendered(markdown: str) -> Markup:
    """Markdown as HTML; HTML within it is text, and pictures are their words."""
    made = MarkdownIt("commonmark", {"html": False}).disable("image").render(printable(markdown))
    return Markup(made)


def _from_here(request: Request) -> bool:
    """Whether a form was sent by a page of this server; a program names no origin."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def _to(path: str) -> RedirectResponse:
    return RedirectResponse(path, 303, _HEADERS)


def _file(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return FileResponse(_PAGES / name, media_type=kind, headers={**_HEADERS})

    return answer


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; raises `HTTPException` for one that no page of ours sends."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LONGEST_FORM:
            raise HTTPException(413)
    try:
        fields = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise HTTPException(400) from None
    return {name: values[-1] for name, values in fields.items()}
