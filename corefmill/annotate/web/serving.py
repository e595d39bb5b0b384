"""Serves a corpus to raters until it is told to end: its items, its file, its links, its port.

The server listens on 127.0.0.1 alone. Raters elsewhere come through a proxy with TLS on the same
machine: it has a public name (`host`), passes on the Host header, and writes no log of addresses,
since a rater's link is a secret.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from corefmill.annotate.chaining import work
from corefmill.annotate.questions import EVENT, AnnotationItem, items, practice, tutorial
from corefmill.annotate.rounds import AnnotationRound, drawn
from corefmill.annotate.store import JudgementStore, Rater
from corefmill.annotate.web.server import RaterPages
from corefmill.corpora import disk, find, lock
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.printable import printable

HOST = "127.0.0.1"
_PUBLIC = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*")
GUIDELINES = "guidelines.md"
"""A file of the corpus whose Markdown is shown below our guidelines."""
_MOST_GUIDELINES = 16 << 10
_MOST_OPTIONS = 24
_LONGEST_NAME = 40
_HELD_OUT = ("validation", "test")


@dataclass(frozen=True, slots=True)
class RoundRequest:
    """What is to be served; what is None is as the file has it, or else as the default is.

    `splits` are validation and test of events, where there are such, else all; `overlap` is the
    number of raters of each item, all of them by default. `task` is chains or spans where
    documents are to be corrected. `host` is the public name of a proxy. `new_links` are raters who
    lost their link.
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
    """A round with its file open; `secrets` are those of raters whose links are new."""

    facts: Mapping[str, Any]
    items: int
    raters: Sequence[str]
    secrets: Mapping[str, str]
    round: AnnotationRound
    pages: RaterPages


@dataclass(frozen=True, slots=True)
class ServedRound:
    """What is being served; `links` are those that were made now, as others cannot be known."""

    corpus: str
    db: str
    port: int
    items: int
    raters: Sequence[str]
    links: Mapping[str, str] = field(default_factory=dict)


def default_db(corpus: Path, task: str | None = None) -> Path:
    """Where answers go unless told: beside the corpus."""
    return corpus.resolve().with_name(f"{corpus.resolve().name}.{task or 'answers'}.sqlite")


def serve(request: RoundRequest, begun: Callable[[ServedRound], None]) -> None:
    """Serves until the process is interrupted; `begun` is called once, when the port is open.

    Raises `DataError` for a corpus that cannot be judged, `UsageError` for options that do not fit
    it, its file or this machine: a name twice, a port that is taken, a file in use.
    """
    with ExitStack() as stack:
        opened = stack.enter_context(_bound(request.port))
        stack.enter_context(
            lock.alone(
                request.db.with_name(f".{request.db.name}.lock"),
                busy="serves this file",
                remedy="end it, or name another file with --db",
            )
        )
        own = stack.enter_context(opened_round(request))
        port = opened.getsockname()[1]
        address = f"https://{request.host}" if request.host else f"http://{HOST}:{port}"
        begun(
            ServedRound(
                own.facts["corpus"],
                str(request.db),
                port,
                own.items,
                own.raters,
                {name: f"{address}/r/{secret}/" for name, secret in own.secrets.items()},
            )
        )
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
    """Open the round that is asked for, its file made where there is none; raises as `serve`."""
    documents = dict(work.documents(request.corpus)) if request.task else {}
    found = list(work.items(request.task, documents) if request.task else items(request.corpus))
    _check(request, found)
    facts = _facts(request, found)
    chosen, spare = drawn(found, seed=facts["seed"], splits=facts["splits"], limit=facts["limit"])
    if not chosen:
        raise DataError("no item to judge", path=request.corpus)
    with JudgementStore.made(request.db, facts) as kept:
        links = _admitted(kept, request)
        raters = [one.name for one in kept.raters() if not one.adjudicator]
        kinds = list(dict.fromkeys(item.kind for item in chosen))
        if request.task:
            taught = work.lessons(request.task)
            exercises = [one.exercise for one in taught]
            documents |= {one.exercise.item.id: one.own for one in taught}
        else:
            exercises = [one for kind in kinds for one in tutorial(kind)]
        own = AnnotationRound(
            *(kept, chosen, practice(spare), exercises),
            overlap=facts["overlap"] or len(raters),
            seed=facts["seed"],
        )
        guidelines = _guidelines(request.corpus)
        pages = RaterPages(kept, own, kinds, guidelines, documents)
        yield OpenRound(facts, len(chosen), raters, links, own, pages)


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
        with JudgementStore.opened(request.db) as before:
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
    """What the file is for: as it says itself where it is there and the request does not say."""
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
    if _has_begun(request.db):
        with JudgementStore.opened(request.db) as before:
            facts |= {
                name: value
                for name, value in before.facts().items()
                if name in ("seed", "splits", "limit", "overlap")
            }
    asked = {
        "seed": request.seed,
        "splits": list(request.splits) if request.splits else None,
        "limit": request.limit,
        "overlap": request.overlap,
    }
    return facts | {name: value for name, value in asked.items() if value is not None}


def _has_begun(db: Path) -> bool:
    return db.exists() and db.stat().st_size > 0


def _admitted(kept: JudgementStore, request: RoundRequest) -> dict[str, str]:
    """Make the secrets of those who are new, and of those who lost their link."""
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


def _bound(port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((HOST, port))
        opened.listen()
    except OSError as error:
        opened.close()
        raise UsageError(
            f"port {port} cannot be used: {error.strerror}", remedy="name another with --port"
        ) from None
    return opened


def _guidelines(corpus: Path) -> str:
    path = corpus / GUIDELINES
    return disk.text(path, _MOST_GUIDELINES) if corpus.is_dir() and path.is_file() else ""
