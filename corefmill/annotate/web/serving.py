"""Serves a corpus to raters until it is told to end: its items, its file, its links, its port."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from corefmill.annotate import judgements, priority
from corefmill.annotate.answers import stored
from corefmill.annotate.chaining import lessons, work
from corefmill.annotate.exercises import practice, tutorial
from corefmill.annotate.questions import EVENT, AnnotationItem, items
from corefmill.annotate.rounds import AnnotationRound, drawn
from corefmill.annotate.store import JudgementStore, Rater
from corefmill.annotate.web.server import RaterPages
from corefmill.corpora import disk, find, lock
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.printable import printable

HOST = "127.0.0.1"
"""Never another: raters on other machines come through an SSH tunnel."""
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
    documents are to be corrected. By `votes`, files of judgements, those items come first that
    people should see next.
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
    new_links: bool = False
    votes: Sequence[Path] = ()
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
        begun(
            ServedRound(
                own.facts["corpus"],
                str(request.db),
                port,
                own.items,
                own.raters,
                {name: f"http://{HOST}:{port}/r/{secret}/" for name, secret in own.secrets.items()},
            )
        )
        config = uvicorn.Config(
            own.pages.application(),
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
def opened_round(request: RoundRequest, *, mailed: bool = False) -> Iterator[OpenRound]:
    """The round that is asked for, its file made where there is none; raises as `serve` does.

    The pages of one that is `mailed` say that a browser keeps the answers.
    """
    documents = dict(work.documents(request.corpus)) if request.task else {}
    found = list(work.items(request.task, documents) if request.task else items(request.corpus))
    _check(request, found)
    facts = _facts(request, found)
    chosen, spare = drawn(found, seed=facts["seed"], splits=facts["splits"], limit=facts["limit"])
    if not chosen:
        raise DataError("no item to judge", path=request.corpus)
    if request.votes:
        votes = [one for path in request.votes for one in judgements.read(path)]
        people = stored(request.db) if _has_begun(request.db) else ()
        chosen = priority.by_votes(chosen, [*votes, *people])
    with JudgementStore.made(request.db, facts) as kept:
        links = _admitted(kept, request)
        raters = [one.name for one in kept.raters() if not one.adjudicator]
        kinds = list(dict.fromkeys(item.kind for item in chosen))
        if request.task:
            taught = lessons.lessons(request.task)
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
        pages = RaterPages(kept, own, kinds, guidelines, documents, mailed=mailed)
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
    if request.task and request.votes:
        raise UsageError("--votes are on questions, and --task asks none")
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
    """The secrets of those who are new, of all where new links are asked for."""
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
    everybody = list(dict.fromkeys([*known, *wanted]))
    renewed = everybody if request.new_links else [one for one in wanted if one not in known]
    return {one.name: kept.admit(one) for one in renewed}


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
