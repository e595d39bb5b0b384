"""What of a document fits a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra annotate")

from corefmill.annotate import chain_pages
from corefmill.annotate.chain_pages import SheetPlace
from corefmill.annotate.chain_state import ChainState
from corefmill.annotate.rounds import AnnotationRound
from corefmill.annotate.server import RaterPages
from corefmill.annotate.store import MAIN, JudgementStore, Rater
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import Document, Mention, Sentence, Token
from tests.corefmill.annotate.chained import TEXT, after, begun, corpus
from tests.corefmill.annotate.test_server import Pages

HOSTILE = ("<script>alert(1)</script>", "\u202e&'\"", "x" * 5_000, "{{7*7}}", "👩\u200d🚀")


def hostile(sentences: int, length: int) -> Document:
    """Every word is a mention, and so is each with the one behind it."""
    tokens = tuple(Token(HOSTILE[n % len(HOSTILE)]) for n in range(length))
    spans = [
        (n, min(n + size, length)) for n in range(length) for size in (1, 2) if n + size <= length
    ]
    clusters = tuple((Mention(s, *span),) for s in range(sentences) for span in spans)
    return Document("<b>'", 0, "en", (Sentence(tokens, "<i>Eve</i>"),) * sentences, clusters)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    jsonl.write(tmp_path / "own.jsonl", [hostile(2, 350)])
    documents = chain_pages.read_documents(tmp_path / "own.jsonl")
    with JudgementStore.make(tmp_path / "db", {"corpus": "own"}) as store:
        secrets = {"ann": store.admit(Rater("ann"))}
        found = list(chain_pages.document_items(documents))
        own = AnnotationRound(store, found, overlap=1, seed=0)
        app = RaterPages(store, own, [], documents).application()
        made = Pages(store, app, secrets)
        made.ask("ann", "begin", {})
        yield made


def test_a_page_is_small_and_text_is_text(pages: Pages) -> None:
    body = pages.ask("ann").text
    parts = int(body.partition("part 1 of ")[2].partition("<")[0])
    assert parts > 4
    seen = 0
    for part in range(parts):
        body = pages.ask("ann", f"?part={part}").text
        assert len(body.encode()) < 100_000
        assert "<script>alert" not in body and "<i>Eve" not in body and "49" not in HOSTILE
        assert "&lt;script&gt;alert(1)" in body and "\u202e" not in body
        seen += body.count("<i>")
    assert seen == 700


def test_an_act_that_cannot_be_done_says_so_and_is_not_kept(pages: Pages) -> None:
    refused = pages.ask("ann", "act", {"turn": pages.turn("ann"), "act": "split 5"})
    assert refused.status_code == 422 and "first of its cluster" in refused.text
    assert pages.ask("ann", "act", {"turn": pages.turn("ann")}).status_code == 422
    assert pages.ask("ann", "act", {"turn": "99", "act": "new 5"}).status_code == 303
    assert pages.kept() == []
    turn = pages.turn("ann")
    for act in ("remove 5", "remove 6"):  # the second comes from a page that is out of date
        assert pages.ask("ann", "act", {"turn": turn, "act": act}).status_code == 303
    assert [answer for *_, answer in pages.kept()] == ["remove 5"]
    undone = pages.ask("ann", "undo", {"turn": pages.turn("ann")})
    assert undone.headers["location"] == "./?m=5" and pages.kept() == []


def test_after_an_undone_or_refused_mention_the_page_stays_where_it_was(pages: Pages) -> None:
    """It went to the first part of a long document."""

    def first(body: str) -> int:
        return int(body.partition('data-first="')[2].partition('"')[0])

    pages.ask("ann", "act", {"turn": pages.turn("ann"), "act": "add 600 602"})
    undone = pages.ask("ann", "undo", {"turn": pages.turn("ann")})
    assert undone.headers["location"] == "./?at=600" and pages.kept() == []
    assert 500 < first(pages.ask("ann", "?at=600").text) <= 600
    assert pages.ask("ann", "?at=600").text == pages.ask("ann", "?at=602").text
    refused = pages.ask("ann", "act", {"turn": pages.turn("ann"), "act": "add 600 600"})
    assert refused.status_code == 422 and 500 < first(refused.text) <= 600
    assert 600 < first(pages.ask("ann", "?at=9999").text) < 700


def page(state: ChainState, place: SheetPlace) -> dict[str, Any]:
    return chain_pages.page_values(state, [], MAIN, place)


def test_parts_are_whole_sentences_and_have_every_word_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chain_pages, "WORDS", 7)
    state = begun()
    shown = [page(state, SheetPlace(part=part)) for part in range(3)]
    assert [(one["parts"], one["first"]) for one in shown] == [(3, 0), (3, 4), (3, 8)]
    words = [word["text"] for one in shown for line in one["sentences"] for word in line["words"]]
    assert words == [own.form for s in state.own.document.sentences for own in s.tokens]
    assert page(state, SheetPlace(1))["part"] == 2  # where the chosen mention is
    assert page(state, SheetPlace(part=99))["part"] == 2


def test_where_raters_differ() -> None:
    raters = [after("assign 4 1"), after("add 11 11")]
    found = chain_pages.find_differences(begun(), raters, 0, 14)
    assert [(one["name"], one["mention"], one["said"]) for one in found] == [
        ("She", 4, ["after Ann", "the first"]),
        ("Ann", 1, ["after She", "after Ann"]),
        ("it", None, ["no mention", "the first"]),
    ]
    assert chain_pages.find_differences(begun(), raters, 0, 4) == []


def test_documents_of_one_name_are_refused(tmp_path: Path) -> None:
    path = corpus(tmp_path / "own.jsonl", TEXT)
    [one] = jsonl.read(path, Document)
    jsonl.write(path, [one, replace(one, lang="de")])
    with pytest.raises(DataError, match="two documents 'news/1/0'"):
        chain_pages.read_documents(path)
