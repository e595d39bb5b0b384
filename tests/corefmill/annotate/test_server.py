"""What the server answers to browsers, to strangers and to what no browser sends."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlencode

import httpx
import pytest

pytest.importorskip("starlette", reason="needs the extra annotate")

from corefmill.annotate.questions import AnnotationItem
from corefmill.annotate.rounds import AnnotationRound
from corefmill.annotate.server import RaterPages
from corefmill.annotate.store import ADJUDICATION, MAIN, JudgementStore, Rater

HERE = "http://127.0.0.1:8765"
ITEMS = [
    AnnotationItem(
        id=f"i{number}",
        kind="masked-name",
        lang="en",
        split="test",
        group="",
        text="Then [MASK] <b>left</b>.",
        marks=((5, 11, "mask"),),
        options=("Ann", "Bea", "Cat <i>"),
    )
    for number in range(3)
]


@dataclass
class Pages:
    """An application, asked without a network."""

    store: JudgementStore
    app: Any
    secrets: dict[str, str]

    def ask(
        self, rater: str, page: str = "", form: dict[str, str] | None = None, **headers: str
    ) -> httpx.Response:
        return self.at(f"/r/{self.secrets[rater]}/{page}", form, **headers)

    def at(
        self, path: str, form: dict[str, str] | bytes | None = None, **headers: str
    ) -> httpx.Response:
        body = urlencode(form).encode() if isinstance(form, dict) else form

        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
                method = "GET" if form is None else "POST"
                return await client.request(method, path, content=body, headers=headers)

        return asyncio.run(answer())

    def kept(self) -> list[tuple[str, str, str]]:
        rows = [row for row in self.store.standing() if row.stage == MAIN]
        return [(row.item, row.question, row.answer) for row in rows]

    def turn(self, rater: str) -> str:
        return self.ask(rater).text.partition('name="turn" value="')[2].partition('"')[0]

    def answer(self, rater: str, **form: str) -> httpx.Response:
        return self.ask(rater, "judge", {"turn": self.turn(rater), **form})


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    with JudgementStore.make(tmp_path / "db", {"corpus": "own", "fingerprint": "f"}) as store:
        raters = [Rater("ann"), Rater("ben"), Rater("eve", adjudicator=True)]
        secrets = {one.name: store.admit(one) for one in raters}
        own = AnnotationRound(store, ITEMS, overlap=2, seed=0)
        pages = RaterPages(store, own, [("Ours", "# Ours\n<script>x</script>")], {})
        made = Pages(store, pages.application("annotate.example.org"), secrets)
        for name in secrets:
            made.ask(name, "begin", {})
        yield made


def test_each_rater_has_pages_and_nobody_else_has(pages: Pages) -> None:
    shown = pages.ask("ann")
    assert shown.status_code == 200 and "Is the hidden name a person" in shown.text
    assert "Then </span><mark" in shown.text and "&lt;b&gt;left&lt;/b&gt;" in shown.text
    assert shown.headers["content-security-policy"].startswith("default-src 'self';")
    assert shown.headers["cache-control"] == "no-store"
    for path in ("/", "/r/", "/r/wrong/", f"/r/{pages.secrets['ann'][:-1]}/", "/r//guidelines"):
        assert pages.at(path).status_code in (307, 404), path
    assert pages.at("/r/wrong/judge", {"turn": "1", "answer": "yes"}).status_code == 404
    guidelines = pages.ask("ann", "guidelines").text
    assert "<h1>Ours</h1>" in guidelines and "&lt;script&gt;x" in guidelines


def test_other_sites_and_other_names_of_this_machine_are_refused(pages: Pages) -> None:
    form = {"turn": pages.turn("ann"), "answer": "yes"}
    assert pages.ask("ann", "judge", form, origin="http://evil.example").status_code == 403
    assert pages.ask("ann", "judge", form, origin="null").status_code == 403
    assert pages.ask("ann", host="evil.example").status_code == 400
    assert pages.kept() == []
    assert pages.ask("ann", "judge", form, origin="http://127.0.0.1:8765").status_code == 303
    assert len(pages.kept()) == 1
    # A tunnel has a port of its own, and a proxy the public name that it was given.
    assert pages.ask("ann", host="localhost:9000").status_code == 200
    public = {"host": "annotate.example.org", "origin": "https://annotate.example.org"}
    form = {"turn": pages.turn("ann"), "option": "1"}
    assert (
        pages.ask("ann", "judge", form, **public | {"origin": "https://x.org"}).status_code == 403
    )
    assert pages.ask("ann", "judge", form, **public).status_code == 303 and len(pages.kept()) == 2


def test_an_answer_to_an_older_page_changes_nothing(pages: Pages) -> None:
    turn = pages.turn("ann")
    for answer in ("yes", "no", "no"):
        assert pages.ask("ann", "judge", {"turn": turn, "answer": answer}).status_code == 303
    [kept] = pages.kept()
    assert kept[1:] == ("person", "yes")
    pages.ask("ann", "undo", {"turn": turn})
    assert len(pages.kept()) == 1
    pages.ask("ann", "undo", {"turn": pages.turn("ann")})
    assert pages.kept() == []


def test_a_candidate_is_answered_by_its_own_number_wherever_it_stands(pages: Pages) -> None:
    orders = set()
    for name in ("ann", "ben"):
        for _ in ITEMS:
            pages.answer(name, answer="yes")
            body = pages.ask(name).text
            assert "Cat &lt;i&gt;" in body
            places = [body.index(f'name="option" value="{index}"') for index in range(3)]
            orders.add(tuple(sorted(range(3), key=places.__getitem__)))
            pages.answer(name, option="2")
            pages.answer(name, skip="1")
    assert len(orders) > 1
    said = [answer for _, question, answer in pages.kept() if question == "answer"]
    assert said == ["Cat <i>"] * 6
    assert [answer for _, question, answer in pages.kept() if question == "natural"] == [""] * 6
    assert "All done" in pages.ask("ann").text


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"answer": "maybe"},
        {"option": "0"},  # the question has no candidates
        {"option": "-1"},
        {"reason": "boundary"},
    ],
)
def test_what_is_no_answer_is_refused(pages: Pages, form: dict[str, str]) -> None:
    assert pages.answer("ann", **form).status_code == 400
    assert pages.kept() == []


def test_a_form_that_no_page_sends_is_refused(pages: Pages) -> None:
    path = f"/r/{pages.secrets['ann']}/judge"
    assert pages.at(path, b"x" * 20_000).status_code == 413
    assert pages.at(path, b"\xff=1").status_code == 400
    assert pages.at(path, b"&".join([b"a=%FF"])).status_code == 400
    assert pages.kept() == []


@pytest.mark.parametrize(
    "why", ["disk is full", "db was moved, deleted or replaced while it is served"]
)
def test_an_answer_that_cannot_be_saved_is_not_acknowledged(
    pages: Pages, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    form, path = {"turn": pages.turn("ann"), "answer": "yes"}, pages.store.path
    away = path.with_name("away")
    with monkeypatch.context() as patch:
        if why == "disk is full":
            full = mock.Mock(side_effect=sqlite3.OperationalError(f"database or {why}"))
            patch.setattr(pages.store, "add", full)
        else:
            path.rename(away)
        refused = pages.ask("ann", "judge", form)
    assert refused.status_code == 503 and "Not saved" in refused.text and why in refused.text
    if away.exists():
        away.rename(path)
    assert pages.ask("ann", "judge", form).status_code == 303 and len(pages.kept()) == 1


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "http://a]b", "[", "http://[x]"])
def test_a_broken_origin_is_another_site(pages: Pages, origin: str) -> None:
    form = {"turn": pages.turn("ann"), "answer": "yes"}
    assert pages.ask("ann", "judge", form, origin=origin).status_code == 403
    assert pages.kept() == []


def test_half_a_form_is_no_answer_and_no_error(pages: Pages) -> None:
    sent: list[Any] = []
    received = [
        {"type": "http.request", "body": b"answer=y", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Any:
        return received.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        **{"type": "http", "method": "POST", "path": f"/r/{pages.secrets['ann']}/judge"},
        **{"headers": [(b"host", b"127.0.0.1")], "query_string": b"", "http_version": "1.1"},
    }
    asyncio.run(pages.app(scope, receive, send))
    assert sent[0]["status"] == 400 and pages.kept() == []


def test_pages_are_shown_where_descriptors_run_out(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    form = {"turn": pages.turn("ann"), "answer": "yes"}
    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", none_left)
        patch.setattr("io.open", none_left)
        for path in ("/style.css", "/chains.js"):
            assert pages.at(path).status_code == 200
        assert pages.ask("ben").status_code == 200
        patch.setattr(pages.store, "add", none_left)
        assert pages.ask("ann", "judge", form).status_code == 503
    assert pages.kept() == []


def test_who_adjudicates_sees_what_was_said_and_not_by_whom(pages: Pages) -> None:
    assert "Nothing is left to decide" in pages.ask("eve").text
    pages.answer("ann", answer="yes", remark="  a\n <u>god</u> ")
    pages.answer("ben", answer="no")
    shown = pages.ask("eve").text
    assert "a &lt;u&gt;god&lt;/u&gt;" in shown and "ann" not in shown.partition("<main>")[2]
    assert "<td>Skipped" not in shown and "<td></td>" in shown  # there was no reason
    assert pages.answer("eve", answer="no").status_code == 303
    assert "Nothing is left to decide" in pages.ask("eve").text


def test_an_adjudicator_s_page_that_is_out_of_date_changes_nothing(pages: Pages) -> None:
    """What is adjudicated next may change by what raters do, though who adjudicates did nothing."""
    for name, option in (("ann", "0"), ("ben", "1")):
        pages.answer(name, answer="yes")
        pages.answer(name, option=option)
    turn = pages.turn("eve")
    for _ in range(2):
        pages.ask("ben", "undo", {"turn": pages.turn("ben")})
    pages.answer("ben", answer="no")
    assert pages.turn("eve") != turn  # another question comes first now
    assert pages.ask("eve", "judge", {"turn": turn, "option": "0"}).status_code == 303
    assert not [row for row in pages.store.standing() if row.stage == ADJUDICATION]
    assert pages.answer("eve", answer="no").status_code == 303
    assert len([row for row in pages.store.standing() if row.stage == ADJUDICATION]) == 1
