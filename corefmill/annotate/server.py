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

import asyncio
import errno
import hashlib
import json
import logging
import os
import re
import socket
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
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
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from corefmill.annotate import chain_pages, store
from corefmill.annotate.chain_pages import SheetPlace
from corefmill.annotate.chain_state import ChainState, find_place
from corefmill.annotate.options import RoundOptions
from corefmill.annotate.questions import (
    ACT,
    EVENT,
    LONG,
    SKIPPED,
    WIDTH,
    AnnotationItem,
    cut_window,
    load_questions,
    read_items,
    shorten,
)
from corefmill.annotate.rounds import AnnotationRound, AskedQuestion, draw_items
from corefmill.annotate.store import JudgementStore, Rater, is_rater_name
from corefmill.builders.run.stages import make_random
from corefmill.corpora import find
from corefmill.corpora.files import disk, ownership
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import printable

HOST = "127.0.0.1"
_PUBLIC = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*")
GUIDELINES = "guidelines.md"
"""A file of the corpus whose Markdown is shown below our guidelines."""
_MOST_GUIDELINES = 16 << 10
_MOST_WAITING = 64
"""Connections that wait to be accepted; each of them is tried once where descriptors run out."""
_NO_DESCRIPTOR = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
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
_REFUSED = {
    400: "This answer is none of the question's.",
    403: "This was sent from another site.",
    404: "Open the link that you were given, all of it. It may have been replaced.",
}
_DIGITS = 9
"""Candidates that have a key."""

Handler = Callable[[Request, Rater], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class OpenRound:
    """A round with its file open; `secrets` are those of new links, as old ones are hashed."""

    corpus: str
    items: int
    raters: Sequence[str]
    secrets: Mapping[str, str]
    pages: RaterPages


def serve(
    corpus: Path, given: RoundOptions, begun: Callable[[OpenRound, int, Mapping[str, str]], None]
) -> None:
    """Serve the pages until an interrupt; call `begun` once, with the port and the new links.

    Raises `DataError` for a corpus that cannot be judged, `UsageError` for options that do not fit
    the corpus, its file or this machine: a name twice, a port that is taken, a file in use.
    """
    # A link is not a second file: two servers would ask and answer the same questions.
    db = given.find_db(corpus).resolve()
    with ExitStack() as stack:
        # The port comes first: where it is taken, no file is made.
        opened = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        try:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened.bind((HOST, given.port))
            opened.listen()
        except OSError as error:
            raise UsageError(
                f"port {given.port} cannot be used: {error.strerror}",
                remedy="name another port with --port",
            ) from None
        stack.enter_context(
            ownership.lock_file(
                db.with_name(f".{db.name}.lock"),
                busy="serves this file",
                remedy="end that server, or name another file with --db",
            )
        )
        own = stack.enter_context(open_round(corpus, given))
        port = opened.getsockname()[1]
        address = f"https://{given.host.lower()}" if given.host else f"http://{HOST}:{port}"
        begun(own, port, {name: f"{address}/r/{one}/" for name, one in own.secrets.items()})
        config = uvicorn.Config(
            own.pages.application(given.host and given.host.lower()),
            log_config=None,
            access_log=False,  # it would hold the links
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=2,
            backlog=_MOST_WAITING,
        )
        with suppress(KeyboardInterrupt):
            asyncio.run(_run_server(uvicorn.Server(config), opened))


async def _run_server(server: uvicorn.Server, opened: socket.socket) -> None:
    """Run the server; warn once, not for each connection, where the system accepts no more."""
    warned = False

    def report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal warned
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in _NO_DESCRIPTOR:
            loop.default_exception_handler(context)
        elif not warned:
            warned = True
            logging.getLogger(__name__).warning(
                "connections have to wait: %s; `ulimit -n` raises the limit", error.strerror
            )

    asyncio.get_running_loop().set_exception_handler(report)
    await server.serve(sockets=[opened])


@contextmanager
def open_round(corpus: Path, given: RoundOptions) -> Iterator[OpenRound]:
    """Open the file of a round, made where missing, and prepare its pages; raise as `serve`."""
    documents = chain_pages.read_documents(corpus) if given.chains else {}
    found = list(chain_pages.document_items(documents) if given.chains else read_items(corpus))
    db = given.find_db(corpus)
    known: list[Rater] = []
    facts: dict[str, Any] = {}
    if db.exists() and db.stat().st_size > 0:
        with JudgementStore.open(db) as before:
            facts, known = before.facts(), before.raters()
    # All is checked before the file is made: what cannot be served leaves nothing behind.
    everybody = _check_names(given, known)
    if given.host is not None and not _PUBLIC.fullmatch(given.host):
        raise UsageError(
            f"--host {given.host[:_LONGEST_NAME]!r} is not the name of a host",
            remedy="name a host such as annotate.example.org, without https://",
        )
    for item in found:
        if len(item.options) > _MOST_OPTIONS:
            raise DataError(
                f"item {item.id[:60]!r} has {len(item.options)} candidates; a page shows at most"
                f" {_MOST_OPTIONS}",
                path=corpus,
            )
    guidelines = _read_guidelines(corpus)
    facts = _choose_facts(corpus, given, found, facts)
    chosen = draw_items(found, seed=facts["seed"], splits=facts["splits"], limit=facts["limit"])
    if not chosen:
        raise DataError("the corpus holds no item to be judged in these splits", path=corpus)
    with JudgementStore.make(db, facts) as kept:
        fresh = [one.name for one in everybody if one not in known]
        renewed = dict.fromkeys((*fresh, *(given.new_link or ())))
        secrets = {one.name: kept.admit(one) for one in everybody if one.name in renewed}
        raters = [one.name for one in kept.raters() if not one.adjudicator]
        kinds = list(dict.fromkeys(item.kind for item in chosen))
        overlap = facts["overlap"] or len(raters)
        own = AnnotationRound(kept, chosen, overlap=overlap, seed=facts["seed"])
        chapters = [
            (load_questions()[kind].title, load_questions()[kind].guidelines) for kind in kinds
        ]
        if guidelines is not None:
            chapters.append(("Of this corpus", guidelines))
        pages = RaterPages(kept, own, chapters, documents)
        yield OpenRound(facts["corpus"], len(chosen), raters, secrets, pages)


def _read_guidelines(corpus: Path) -> str | None:
    """Read the corpus's own guidelines, None without them; raise `DataError` for a link."""
    path = corpus / GUIDELINES
    if not corpus.is_dir() or not os.path.lexists(path):
        return None
    if path.is_symlink():  # of a corpus from elsewhere, it would show raters a file of this machine
        raise DataError(
            "this is a link, not a file", path=path, remedy="put the text itself into the corpus"
        )
    return disk.read_text(path, _MOST_GUIDELINES)


def _check_names(given: RoundOptions, known: Sequence[Rater]) -> list[Rater]:
    """List the raters of a round, those of its file first; raise `UsageError` for a wrong name."""
    wanted = [Rater(name) for name in given.rater or ()]
    wanted += [Rater(given.adjudicator, adjudicator=True)] if given.adjudicator else []
    names = [one.name for one in wanted]
    for one in wanted:
        if len(one.name) > _LONGEST_NAME or not is_rater_name(one.name):
            raise UsageError(
                f"{one.name[:_LONGEST_NAME]!r} is not the name of a rater",
                remedy=f"a name has at most {_LONGEST_NAME} printable characters",
            )
        if names.count(one.name) > 1:
            raise UsageError(
                f"{one.name} is named twice",
                remedy="name each rater once; an adjudicator is not a rater",
            )
        if any(other.name == one.name and other != one for other in known):
            raise UsageError(
                f"{one.name} began as {'an adjudicator' if not one.adjudicator else 'a rater'} of"
                " this round and cannot be the other",
                remedy="name another person",
            )
    everybody = list(dict.fromkeys((*known, *wanted))) or [Rater("rater")]
    there = [one.name for one in everybody]
    for name in given.new_link or ():
        if name not in there:
            raise UsageError(
                f"--new-link: no rater {name[:_LONGEST_NAME]!r}; the raters are {', '.join(there)}"
            )
    return everybody


def _choose_facts(
    corpus: Path, given: RoundOptions, found: Sequence[AnnotationItem], before: Mapping[str, Any]
) -> dict[str, Any]:
    """Choose seed, splits, limit and overlap of a round: of options, else file, else default."""
    there = list(dict.fromkeys(item.split for item in found))
    for split in given.split or ():
        if split not in there:
            raise UsageError(f"the corpus has no split {split!r}; there are {', '.join(there)}")
    # Training mentions stay as they were found: only what models are measured on is validated.
    held_out = [split for split in there if split in _HELD_OUT]
    is_events = bool(found) and found[0].kind == EVENT
    here = find.open_corpus(corpus)
    own = {
        "seed": (given.seed, 0),
        "splits": (given.split, held_out if is_events and held_out else there),
        "limit": (given.limit, None),
        "overlap": (given.raters, None),
    }
    return {
        "corpus": here.name,
        "fingerprint": find.fingerprint(here),
        **{
            name: before.get(name, default) if value is None else value
            for name, (value, default) in own.items()
        },
        **({"task": "chains"} if given.chains else {}),
    }


class RaterPages:
    """The pages of one round; all requests run one after the other on the server's event loop."""

    def __init__(
        self,
        kept: JudgementStore,
        own: AnnotationRound,
        chapters: Sequence[tuple[str, str]],
        documents: chain_pages.Documents,
    ) -> None:
        self._store = kept
        self._round = own
        self._documents = documents
        # HTML within the Markdown is shown as text, and pictures as their words.
        markdown = MarkdownIt("commonmark", {"html": False}).disable("image")
        self._chapters = [
            (title, Markup(markdown.render(printable(text)))) for title, text in chapters
        ]
        self._templates = Environment(
            loader=FileSystemLoader(_PAGES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            auto_reload=False,
        )
        # All is read now: where descriptors run out, pages are still shown.
        for name in self._templates.list_templates(["html"]):
            self._templates.get_template(name)

    def application(self, host: str | None = None) -> Starlette:
        """Make an ASGI application of the pages; `host` is the public name of a proxy."""
        forms: dict[str, Handler] = {
            "begin": self._store_beginning,
            "judge": self._store_answer,
            "act": self._store_act,
            "undo": self._take_back,
        }

        def of_rater(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
            return partial(self._answer_rater, handler)

        return Starlette(
            routes=[
                *(Route(f"/{name}", _make_sender(name)) for name in _FILES),
                Route("/r/{secret}/", of_rater(self._render_next)),
                Route("/r/{secret}/guidelines", of_rater(self._render_guidelines)),
                *(
                    Route(f"/r/{{secret}}/{name}", of_rater(form), methods=["POST"])
                    for name, form in forms.items()
                ),
            ],
            # A site whose name suddenly means 127.0.0.1 is no friend.
            middleware=[
                Middleware(
                    TrustedHostMiddleware,
                    allowed_hosts=["127.0.0.1", "localhost", *([host] if host else [])],
                )
            ],
            exception_handlers={
                HTTPException: self._show_refusal,
                sqlite3.Error: self._show_refusal,
                OSError: self._show_refusal,
            },
        )

    async def _answer_rater(self, handler: Handler, request: Request) -> Response:
        """Find the rater by the secret in a request's link, and call the handler for the rater."""
        rater = self._store.find_holder(request.path_params["secret"])
        if rater is None:
            raise HTTPException(404)
        # A form has to come from a page of this server; a program names no origin.
        if request.method == "POST" and (origin := request.headers.get("origin")) is not None:
            try:
                ours = urlsplit(origin).netloc == request.headers.get("host")
            except ValueError:  # half an address in brackets
                ours = False
            if not ours:
                raise HTTPException(403)
        return await handler(request, rater)

    async def _render_next(self, request: Request, rater: Rater) -> Response:
        """Render a rater's next question, or the last page."""
        if not self._round.has_begun(rater):
            return await self._render_guidelines(request, rater)
        word, part, mention = (
            _parse_number(request.query_params.get(name)) for name in ("at", "part", "m")
        )
        if (asked := self._round.next_question(rater)) is not None:
            return self._ask_question(rater, asked, SheetPlace(mention, word, part or 0))
        pace, turn = self._round.pace(rater), self._round.turn(rater)
        return self._render("done.html", adjudicator=rater.adjudicator, pace=pace, turn=turn)

    def _ask_question(
        self, rater: Rater, asked: AskedQuestion, place: SheetPlace, problem: str = ""
    ) -> Response:
        """Render the page of a question; `problem` says why a rater's last action failed."""
        item, question = asked.item, asked.question
        state = self._replay(rater, asked)
        is_decision = asked.stage == store.ADJUDICATION
        values: dict[str, Any] = {
            "asked": asked,
            "stage": "Raters disagree: decide"
            if is_decision
            else load_questions()[item.kind].title,
            "pace": self._round.pace(rater),
            "turn": self._make_turn(rater, asked, state),
            "longest": LONGEST_REMARK,
        }
        if state is not None:
            about = self._round.list_rows(item)
            values |= chain_pages.page_values(state, about, asked.stage, place)
            status = 422 if problem else 200
            return self._render("chains.html", status=status, problem=problem, **values)
        # The order of the candidates is the rater's own, against a bias of position.
        order = list(range(len(item.options) if question.options else 0))
        make_random(self._round.seed, "options", rater.name, item.id).shuffle(order)
        opinions = self._round.opinions(asked) if is_decision else []
        return self._render(
            "task.html",
            **values,
            facts=[(shorten(name), shorten(text, LONG)) for name, text in item.facts],
            pieces=cut_window(item),
            source=printable(item.source[:WIDTH]),
            opinions=[
                {
                    "answer": shorten(question.label(row.answer)),
                    "reason": question.label("", row.reason) if row.reason else "",
                    "remark": shorten(row.remark, LONGEST_REMARK),
                }
                for row in opinions
            ],
            options=[
                {
                    "index": str(index),
                    "key": str(number) if number <= _DIGITS else "",
                    "label": shorten(item.options[index]),
                }
                for number, index in enumerate(order, 1)
            ],
        )

    def _replay(self, rater: Rater, asked: AskedQuestion) -> ChainState | None:
        """Replay the rater's acts on a document; None for an item of another kind."""
        if (document := self._documents.get(asked.item.id)) is None:
            return None
        rows = self._round.list_rows(asked.item)
        return chain_pages.replay_acts(document, rows, rater.name, asked.stage)

    def _make_turn(self, rater: Rater, asked: AskedQuestion, state: ChainState | None) -> str:
        """Make the mark of a page's turn, by which an outdated page is known.

        It is the rater's last row; for an adjudicator also the question, which others may change.
        """
        turn = str(self._round.turn(rater))
        if asked.stage != store.ADJUDICATION:
            return turn
        about = [asked.item.id, asked.question.name]
        if state is not None:
            about.append(state.digest())
        return f"{turn}.{hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]}"

    async def _render_guidelines(self, request: Request, rater: Rater) -> Response:
        """Render the guidelines, with a link to the first question or back to one."""
        begun = self._round.has_begun(rater)
        return self._render("start.html", chapters=self._chapters, begun=begun)

    async def _store_beginning(self, request: Request, rater: Rater) -> Response:
        if not self._round.has_begun(rater):
            self._round.begin(rater)
        return _redirect("./")

    async def _read_answer(
        self, request: Request, rater: Rater
    ) -> tuple[dict[str, str], AskedQuestion, ChainState | None] | None:
        """Read a form, its question, and the document's state; None for an outdated page."""
        form = await _read_form(request)
        if not self._round.has_begun(rater) or (asked := self._round.next_question(rater)) is None:
            return None
        state = self._replay(rater, asked)
        return (
            (form, asked, state)
            if form.get("turn") == self._make_turn(rater, asked, state)
            else None
        )

    async def _store_answer(self, request: Request, rater: Rater) -> Response:
        """Store the answer in a posted form, unless its page is outdated."""
        if (answered := await self._read_answer(request, rater)) is None:
            return _redirect("./")
        form, asked, state = answered
        answer, reason = _parse_answer(form, asked)
        if answer != SKIPPED and state is not None:
            answer = state.digest()
        remark = " ".join(form.get("remark", "").split())[:LONGEST_REMARK]
        self._round.judge(rater, asked, answer, reason=reason, remark=remark)
        return _redirect("./")

    async def _store_act(self, request: Request, rater: Rater) -> Response:
        """Store the act on a document in a posted form, or render why the act is impossible."""
        if (answered := await self._read_answer(request, rater)) is None:
            return _redirect("./")
        form, asked, state = answered
        if state is None:
            raise HTTPException(400)
        act = form.get("act", "")
        try:
            chosen = state.do(act)
        except ValueError as error:
            return self._ask_question(
                rater, asked, SheetPlace(*find_place(act)), printable(str(error))
            )
        self._round.act(rater, asked, act)
        return _redirect(f"./{SheetPlace(chosen).query}")

    async def _take_back(self, request: Request, rater: Rater) -> Response:
        """Take back the rater's last answer or act, unless the page is outdated."""
        form = await _read_form(request)
        undone = None
        if form.get("turn", "").partition(".")[0] == str(self._round.turn(rater)):
            undone = self._round.undo(rater)
        if undone is None or undone.question != ACT:
            return _redirect("./")
        return _redirect(f"./{SheetPlace(*find_place(undone.answer)).query}")

    def _render(self, name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        text = self._templates.get_template(name).render(values)
        return HTMLResponse(text, status, _HEADERS)

    async def _show_refusal(self, request: Request, error: Exception) -> Response:
        """Render the page for a refused request, or for an answer that could not be stored."""
        if isinstance(error, HTTPException):
            status = error.status_code
            title = "Not here" if status == 404 else "Refused"
            said = _REFUSED.get(status, "This cannot be done here.")
        else:
            status, title = 503, "Not saved"
            said = f"The answer was not kept: {error}. Go back and answer again."
        return self._render("refused.html", status=status, title=title, said=said)


def _parse_answer(form: Mapping[str, str], asked: AskedQuestion) -> tuple[str, str]:
    """Parse the answer and reason of a form; raise `HTTPException` where it has none."""
    question = asked.question
    if "skip" in form:
        return SKIPPED, ""
    if form.get("reason") in {one.name for one in question.reasons}:
        return question.answers_with, form["reason"]
    if form.get("answer") in {one.name for one in question.answers}:
        return form["answer"], ""
    index = _parse_number(form.get("option"))
    if question.options and index is not None and index < len(asked.item.options):
        return asked.item.options[index], ""
    raise HTTPException(400)


def _parse_number(text: str | None) -> int | None:
    return int(text) if text and len(text) < 10 and text.isascii() and text.isdigit() else None


def _redirect(path: str) -> RedirectResponse:
    return RedirectResponse(path, 303, _HEADERS)


def _make_sender(name: str) -> Callable[[Request], Awaitable[Response]]:
    """Make the handler of a file of the pages, read once."""
    content = (_PAGES / name).read_bytes()

    async def send(request: Request) -> Response:
        return Response(content, media_type=_FILES[name], headers=_HEADERS)

    return send


async def _read_form(request: Request) -> dict[str, str]:
    """Read the fields of a posted form; raise `HTTPException` for a too long or malformed one."""
    body = b""
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > _LONGEST_FORM:
                raise HTTPException(413)
    except ClientDisconnect:  # a browser was closed: nobody reads the refusal
        raise HTTPException(400) from None
    try:
        fields = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise HTTPException(400) from None
    return {name: values[-1] for name, values in fields.items()}
