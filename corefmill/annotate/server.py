"""Serve a corpus to raters in a browser: its round, its port, and the pages.

1. The server listens on 127.0.0.1 alone. Raters elsewhere come through a proxy with TLS on the
   same machine: it has a public name (`host`), passes on the Host header, and writes no log of
   addresses, since a rater's link is a secret.
2. A link, /r/SECRET/, is all that a rater needs, and all that identifies one: there are no cookies,
   so that no other site can make a browser answer in a rater's name.
3. An answer comes by a plain form and leads to the next page once it is on the disk. It names the
   turn that it belongs to: a page that is out of date, or sent twice, changes nothing.
4. Whatever comes from a corpus or a rater is text, never markup, and all of a page comes from here.

Plain forms work without scripts; the one script, a kilobyte, presses buttons by keys. The page of a
document alone needs its script, to choose mentions and words; an act on them is a plain form, too.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import uvicorn
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

from corefmill.annotate import chain_pages, store
from corefmill.annotate.chain_pages import SheetPlace
from corefmill.annotate.chain_state import ChainState, place_of
from corefmill.annotate.questions import (
    ACT,
    CHAINS,
    EVENT,
    LONG,
    SKIPPED,
    WIDTH,
    AnnotationItem,
    Exercise,
    by_kind,
    cut_window,
    items,
    practice,
    shorten,
    tutorial,
)
from corefmill.annotate.rounds import LEFT, READ, AnnotationRound, AskedQuestion, draw_items
from corefmill.annotate.store import JudgementStore, Rater, StoredJudgement
from corefmill.builders.run.stages import seeded
from corefmill.corpora import find
from corefmill.corpora.files import disk, ownership
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import printable

HOST = "127.0.0.1"
_PUBLIC = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*")
GUIDELINES = "guidelines.md"
"""A file of the corpus whose Markdown is shown below our guidelines."""
_MOST_GUIDELINES = 16 << 10
_MOST_OPTIONS = 24
_LONGEST_NAME = 40
_HELD_OUT = ("validation", "test")
LONGEST_REMARK = 500
_LONGEST_FORM = 16 << 10
_PAGES = Path(__file__).parent / "pages"
_FILES = {
    **dict.fromkeys(("style.css", "chains.css"), "text/css"),
    **dict.fromkeys(("keys.js", "chains.js"), "text/javascript"),
}
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


@dataclass(frozen=True, slots=True)
class RoundRequest:
    """The round to serve; None means the value in the file, else the default.

    `splits` are by default validation and test of events, else all; `overlap` is the number of
    raters of each item, by default all. `task` is chains or spans where documents are corrected,
    `host` the public name of a proxy. `new_links` are raters who lost their link.
    """

    corpus: Path
    db: Path = Path()
    raters: Sequence[str] = ()
    adjudicator: str | None = None
    splits: Sequence[str] | None = None
    limit: int | None = None
    overlap: int | None = None
    seed: int | None = None
    port: int = 0
    host: str | None = None
    new_links: Sequence[str] = ()
    task: str | None = None


@dataclass(frozen=True, slots=True)
class OpenRound:
    """A round with its file open; `secrets` are those of new links, for others cannot be known."""

    corpus: str
    items: int
    raters: Sequence[str]
    secrets: Mapping[str, str]
    pages: RaterPages


def default_db(corpus: Path, task: str | None = None) -> Path:
    """Name the default file of answers, beside the corpus."""
    return corpus.resolve().with_name(f"{corpus.resolve().name}.{task or 'answers'}.sqlite")


def serve(
    request: RoundRequest, begun: Callable[[OpenRound, int, Mapping[str, str]], None]
) -> None:
    """Serve until the process is interrupted; call `begun` once, with the open port and new links.

    Raises `DataError` for a corpus that cannot be judged, `UsageError` for options that do not fit
    it, its file or this machine: a name twice, a port that is taken, a file in use.
    """
    with ExitStack() as stack:
        opened = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened.bind((HOST, request.port))
            opened.listen()
        except OSError as error:
            raise UsageError(
                f"port {request.port} cannot be used: {error.strerror}",
                remedy="name another with --port",
            ) from None
        stack.enter_context(
            ownership.lock_file(
                request.db.with_name(f".{request.db.name}.lock"),
                busy="serves this file",
                remedy="end it, or name another file with --db",
            )
        )
        own = stack.enter_context(opened_round(request))
        port = opened.getsockname()[1]
        address = f"https://{request.host}" if request.host else f"http://{HOST}:{port}"
        begun(own, port, {name: f"{address}/r/{one}/" for name, one in own.secrets.items()})
        config = uvicorn.Config(
            own.pages.application(request.host),
            log_config=None,
            access_log=False,  # it would hold the links
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[opened])


@contextmanager
def opened_round(request: RoundRequest) -> Iterator[OpenRound]:
    """Open a round, and make its file where there is none; raise as `serve`."""
    documents = chain_pages.read_documents(request.corpus) if request.task else {}
    if request.task:
        found = list(chain_pages.document_items(request.task, documents))
    else:
        found = list(items(request.corpus))
    _check(request, found)
    facts = _facts(request, found)
    chosen, spare = draw_items(
        found, seed=facts["seed"], splits=facts["splits"], limit=facts["limit"]
    )
    if not chosen:
        raise DataError("no item to judge", path=request.corpus)
    with JudgementStore.make(request.db, facts) as kept:
        secrets = _admit_raters(kept, request)
        raters = [one.name for one in kept.raters() if not one.adjudicator]
        kinds = list(dict.fromkeys(item.kind for item in chosen))
        if request.task:
            taught = chain_pages.lessons(request.task)
            exercises = [one.exercise for one in taught]
            documents |= {one.exercise.item.id: one.own for one in taught}
        else:
            exercises = [one for kind in kinds for one in tutorial(kind)]
        own = AnnotationRound(
            *(kept, chosen, practice(spare), exercises),
            overlap=facts["overlap"] or len(raters),
            seed=facts["seed"],
        )
        path = request.corpus / GUIDELINES
        here = request.corpus.is_dir() and path.is_file()
        guidelines = disk.read_text(path, _MOST_GUIDELINES) if here else ""
        pages = RaterPages(kept, own, kinds, guidelines, documents)
        yield OpenRound(facts["corpus"], len(chosen), raters, secrets, pages)


def _check(request: RoundRequest, found: Sequence[AnnotationItem]) -> None:
    names = [*request.raters, *([request.adjudicator] if request.adjudicator else [])]
    for name in names:
        if not name.strip() or len(name) > _LONGEST_NAME or printable(name) != name:
            raise UsageError(
                f"{name[:_LONGEST_NAME]!r} is no name of a rater",
                remedy=f"at most {_LONGEST_NAME} characters that can be printed",
            )
        if names.count(name) > 1:
            raise UsageError(f"{name} is named twice", remedy="an adjudicator is no rater")
    known = dict.fromkeys(names)
    if request.new_links and _has_begun(request.db):
        with JudgementStore.open(request.db) as before:
            known |= dict.fromkeys(one.name for one in before.raters())
    for name in request.new_links:
        if name not in known:
            raise UsageError(
                f"--new-link: no rater {name[:_LONGEST_NAME]!r}; there are {', '.join(known)}"
            )
    if request.host is not None and not _PUBLIC.fullmatch(request.host):
        raise UsageError(
            f"--host {request.host[:_LONGEST_NAME]!r} is no name of a host",
            remedy="such as annotate.example.org; it is reached by https",
        )
    for item in found:
        if len(item.options) > _MOST_OPTIONS:
            raise DataError(
                f"{item.id[:60]!r} has {len(item.options)} candidates, too many to choose from",
                path=request.corpus,
            )
    splits = dict.fromkeys(item.split for item in found)
    for split in request.splits or ():
        if split not in splits:
            raise UsageError(f"no split {split!r}; there are {', '.join(splits)}")


def _facts(request: RoundRequest, found: Sequence[AnnotationItem]) -> dict[str, Any]:
    """Collect the facts of a round: of the request, else of its file, else the defaults."""
    corpus = find.at(request.corpus)
    splits = list(dict.fromkeys(item.split for item in found))
    held_out = [split for split in splits if split in _HELD_OUT]
    if found and found[0].kind == EVENT and held_out:
        splits = held_out
    facts = {
        "corpus": corpus.name,
        "fingerprint": find.fingerprint(corpus),
        "seed": 0,
        "splits": splits,
        "limit": None,
        "overlap": None,
        **({"task": request.task} if request.task else {}),
    }
    before = {}
    if _has_begun(request.db):
        with JudgementStore.open(request.db) as kept:
            before = kept.facts()
    for name in ("seed", "splits", "limit", "overlap"):
        asked = getattr(request, name)
        if name == "splits":
            asked = list(asked) if asked else None
        facts[name] = before.get(name, facts[name]) if asked is None else asked
    return facts


def _has_begun(db: Path) -> bool:
    return db.exists() and db.stat().st_size > 0


def _admit_raters(kept: JudgementStore, request: RoundRequest) -> dict[str, str]:
    """Make secrets for new raters and for lost links."""
    known = kept.raters()
    wanted = [Rater(name) for name in request.raters]
    if request.adjudicator:
        wanted.append(Rater(request.adjudicator, adjudicator=True))
    for one in wanted:
        if any(other.name == one.name and other != one for other in known):
            raise UsageError(
                f"{one.name} is a rater and cannot be the adjudicator, or the reverse",
                remedy="name somebody else",
            )
    if not wanted and not known:
        wanted = [Rater("rater")]
    everybody = {one.name: one for one in [*known, *wanted]}
    fresh = [name for name, one in everybody.items() if one not in known]
    renewed = dict.fromkeys((*fresh, *request.new_links))
    return {name: kept.admit(everybody[name]) for name in renewed}


class RaterPages:
    """The pages of one round; all requests run one after the other on the server's event loop."""

    def __init__(
        self,
        kept: JudgementStore,
        own: AnnotationRound,
        kinds: Sequence[str],
        guidelines: str,
        documents: chain_pages.Documents | None = None,
    ) -> None:
        self._store = kept
        self._round = own
        self._documents = documents or {}
        self._chapters = [
            (by_kind()[kind].title, _render_markdown(by_kind()[kind].guidelines)) for kind in kinds
        ]
        if guidelines:
            self._chapters.append(("Of this corpus", _render_markdown(guidelines)))
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
                *(Route(f"/{name}", _send_file(name, kind)) for name, kind in _FILES.items()),
                Route("/r/{secret}/", self._of_rater(self._next)),
                Route("/r/{secret}/guidelines", self._of_rater(self._guidelines)),
                *(
                    Route(f"/r/{{secret}}/{name}", self._of_rater(form), methods=["POST"])
                    for name, form in {
                        "begin": self._begin,
                        "judge": self._judge,
                        "act": self._act,
                        "undo": self._undo,
                    }.items()
                ),
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
            # A form has to come from a page of this server; a program names no origin.
            origin = request.headers.get("origin")
            ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
            if request.method == "POST" and not ours:
                raise HTTPException(403)
            return await handler(request, rater)

        return answer

    async def _next(self, request: Request, rater: Rater) -> Response:
        if not self._round.has_begun(rater):
            return await self._guidelines(request, rater)
        number = _number(request.query_params.get("given")) or 0
        if found := self._round.find_exercise_answer(rater, number):
            return self._feedback(rater, *found)
        at, part, chosen = (_number(request.query_params.get(name)) for name in ("at", "part", "m"))
        asked = self._round.next_question(rater)
        if asked is not None and asked.item.id in self._documents:
            return self._document(rater, asked, SheetPlace(chosen, at, part or 0))
        return self._task(rater, asked, at)

    def _task(self, rater: Rater, asked: AskedQuestion | None, at: int | None) -> Response:
        """Render the page of a question, its text from `at` on, or the last page."""
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
            facts=[(shorten(name), shorten(text, LONG)) for name, text in item.facts],
            window=cut_window(item, at),
            source=printable(item.source[:WIDTH]),
            opinions=[
                {
                    "answer": shorten(asked.question.label(row.answer)),
                    "reason": asked.question.label("", row.reason) if row.reason else "",
                    "remark": shorten(row.remark, LONGEST_REMARK),
                }
                for row in self._round.opinions(asked)
                if asked.stage == store.ADJUDICATION
            ],
            options=self._options(asked, rater),
            remark=self._round.remark(rater, asked),
            longest=LONGEST_REMARK,
        )

    def _progress(self, rater: Rater, asked: AskedQuestion) -> dict[str, Any]:
        """Describe the stage and the rater's progress in it."""
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
            **chain_pages.page_values(kind, state, rows, asked.stage, place),
        )

    def _state(self, rater: Rater, asked: AskedQuestion) -> ChainState | None:
        """Replay the rater's acts on a document; None for an item of another kind."""
        if (document := self._documents.get(asked.item.id)) is None:
            return None
        return chain_pages.replay_acts(
            document, self._round.about(asked.item), rater.name, asked.stage
        )

    def _turn(self, rater: Rater, asked: AskedQuestion, state: ChainState | None) -> str:
        """Name the turn of a page: the rater's last row.

        The next question of an adjudicator, and its beginning, depend on the other raters as well.
        """
        turn = str(self._round.turn(rater))
        if asked.stage != store.ADJUDICATION:
            return turn
        about = [asked.item.id, asked.question.name]
        if state is not None:
            about.append(state.digest(CHAINS))
        return f"{turn}.{hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]}"

    async def _guidelines(self, request: Request, rater: Rater) -> Response:
        """Render the guidelines, with a link to the first question or back to one."""
        begun = self._round.has_begun(rater)
        return self._page("start.html", chapters=self._chapters, begun=begun)

    async def _begin(self, request: Request, rater: Rater) -> Response:
        if not self._round.has_begun(rater):
            self._round.note(rater, READ)
        return _to("./")

    async def _read_answer(
        self, request: Request, rater: Rater
    ) -> tuple[dict[str, str], AskedQuestion, ChainState | None] | None:
        """Read a form, its question, and the document's state; None for a page out of date."""
        form = await _form(request)
        if not self._round.has_begun(rater) or (asked := self._round.next_question(rater)) is None:
            return None
        state = self._state(rater, asked)
        return (form, asked, state) if form.get("turn") == self._turn(rater, asked, state) else None

    async def _judge(self, request: Request, rater: Rater) -> Response:
        if (answered := await self._read_answer(request, rater)) is None:
            return _to("./")
        form, asked, state = answered
        if "leave" in form and asked.stage == store.TUTORIAL:
            self._round.note(rater, LEFT)
            return _to("./")
        said = _parse_answer(form, asked)
        if said is None:
            raise HTTPException(400)
        answer, reason = said
        if answer != SKIPPED and state is not None:
            answer = state.digest(asked.item.kind)
        remark = _remark(form)
        row = self._round.judge(rater, asked, answer, reason=reason, remark=remark)
        return _to(f"./?given={row.number}" if asked.exercise and answer != SKIPPED else "./")

    async def _act(self, request: Request, rater: Rater) -> Response:
        if (answered := await self._read_answer(request, rater)) is None:
            return _to("./")
        form, asked, state = answered
        if state is None:
            raise HTTPException(400)
        act = form.get("act", "")
        try:
            chosen = state.do(act, chain_pages.allowed_acts(asked.item.kind))
        except ValueError as error:
            return self._document(rater, asked, SheetPlace(*place_of(act)), printable(str(error)))
        self._round.act(rater, asked, act)
        return _to(f"./{SheetPlace(chosen).query}")

    async def _undo(self, request: Request, rater: Rater) -> Response:
        form = await _form(request)
        undone = None
        if form.get("turn", "").partition(".")[0] == str(self._round.turn(rater)):
            if "remark" in form and (asked := self._round.next_question(rater)):
                self._round.draft(rater, asked, _remark(form))
            undone = self._round.undo(rater)
        if undone is None or undone.question != ACT:
            return _to("./")
        return _to(f"./{SheetPlace(*place_of(undone.answer)).query}")

    def _feedback(self, rater: Rater, row: StoredJudgement, exercise: Exercise) -> Response:
        """Render the right answer to an exercise beside the rater's."""
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
            said=shorten(question.label(row.answer, row.reason)),
            is_document=item.id in self._documents,
            wanted=shorten(question.label(wanted, exercise.reason)),
            why=exercise.why,
            window=cut_window(item),
            turn=self._round.turn(rater),
        )

    def _options(self, asked: AskedQuestion, rater: Rater) -> list[dict[str, str]]:
        """List the candidates in an order of the rater's own, against a bias of position."""
        if not asked.question.options:
            return []
        order = list(range(len(asked.item.options)))
        seeded(self._round.seed, "options", rater.name, asked.item.id).shuffle(order)
        return [
            {
                "index": str(index),
                "key": str(place) if place <= _DIGITS else "",
                "label": shorten(asked.item.options[index]),
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


def _parse_answer(form: Mapping[str, str], asked: AskedQuestion) -> tuple[str, str] | None:
    """Parse the answer and reason of a form; None where it has none of the question's."""
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


def _render_markdown(markdown: str) -> Markup:
    """Render Markdown as HTML; HTML within it is text, and pictures are their words."""
    made = MarkdownIt("commonmark", {"html": False}).disable("image").render(printable(markdown))
    return Markup(made)


def _to(path: str) -> RedirectResponse:
    return RedirectResponse(path, 303, _HEADERS)


def _send_file(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return FileResponse(_PAGES / name, media_type=kind, headers={**_HEADERS})

    return answer


async def _form(request: Request) -> dict[str, str]:
    """Read the fields of a form; raise `HTTPException` for one that no page of ours sends."""
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
