"""Two raters and an adjudicator correct documents in a browser by keys; the server is killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from corefmill.annotate.questions import ACT
from corefmill.annotate.store import ADJUDICATION, JudgementStore
from corefmill.corpora import jsonl
from corefmill.corpora.records import Document
from tests.commands import command
from tests.corefmill.annotate.chaining.chained import TEXT, corpus
from tests.corefmill.annotate.web.serving import served
from tests.corefmill.annotate.web.test_browser import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = os.environ.get("AXE")
"""axe.min.js of npm's axe-core, which does not ship; without it accessibility is not looked at."""


def shown(page: Page) -> str:
    return " / ".join(page.locator(".document p").all_inner_texts())


def start(visitor: Visitor) -> Page:
    visitor.press("Enter")
    visitor.press("l")
    return visitor.page


def accessible(page: Page) -> None:
    if AXE:
        page.evaluate(Path(AXE).read_text("utf-8"))  # not as a script, which the page forbids
        found: dict[str, Any] = page.evaluate("axe.run()")
        assert [(one["id"], one["nodes"]) for one in found["violations"]] == []


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    yield corpus(tmp_path / "own.jsonl", TEXT)


def test_chains_by_keys(browser: Browser, path: Path, tmp_path: Path) -> None:
    db, out = tmp_path / "db", tmp_path / "out"
    options = ["--task", "chains", "--db", db, "--rater", "ann", "--rater", "ben"]
    with served(path, *options, "--adjudicator", "eve", "--port", "0") as first:
        links, port = first.said["links"], str(first.said["port"])
        ann, ben = Visitor(browser, links["ann"]), Visitor(browser, links["ben"])
        page = start(ann)
        accessible(page)
        assert (
            shown(page) == "[Ann]1 met [Bea]2. / [She]3 saw [her]2. / [Ann]1 waved and it rained."
        )
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        ann.press("1")  # assign
        assert "[She]1" in shown(page)
        assert page.inner_text("#now") == "“She”, cluster 1 (3 mentions)"  # it is still chosen
        page.keyboard.press("ArrowRight")
        ann.press("n")  # new
        assert "[her]4" in shown(page)
        page.keyboard.press("j")
        ann.press("2")  # merge
        assert "[Bea]2" in shown(page) and "[her]2" in shown(page)
        page.keyboard.press("ArrowRight")
        ann.press("s")  # split
        assert "[Ann]1 met" in shown(page) and "[Ann]5 waved" in shown(page)
        ann.press("u")
        assert "[Ann]1 waved" in shown(page)
        first.kill()
    page.keyboard.press("n")  # nobody is there
    with served(path, *options, "--port", port) as again:
        again_ann = Visitor(browser, links["ann"])  # on another machine
        page = again_ann.page
        before = "[Ann]1 met [Bea]2. / [She]1 saw [her]2. / [Ann]1 waved and it rained."
        assert shown(page) == before
        again_ann.press("s")  # waits for the whole page: before, no key is heard
        assert page.get_by_role("alert").is_visible()  # Ann is the first of her cluster
        for key in ("ArrowLeft", "a", *["ArrowRight"] * 11):
            page.keyboard.press(key)
        again_ann.press("Enter")  # add
        assert shown(page).endswith("and [it]5 rained.")
        for key in ("b", " ", "ArrowLeft"):
            page.keyboard.press(key)
        assert page.inner_text("#now").startswith("New border: “and it”")
        again_ann.press("Enter")  # border
        assert shown(page).endswith("[and it]5 rained.")
        again_ann.press("r")  # remove
        assert shown(page) == before
        again_ann.press("d")
        assert page.inner_text("h1") == "All done, thank you"
        page = start(ben)
        page.set_viewport_size({"width": 360, "height": 740})
        page.locator(".document i", has_text="She").click()
        with page.expect_navigation():
            page.locator("[data-cluster='2']").click()
        page.get_by_role("button", name="Add").click()
        page.locator(".document i", has_text="rained").click()
        page.locator(".document i", has_text="it").click()
        with page.expect_navigation():
            page.get_by_role("button", name="Take").click()
        assert shown(page).endswith("[She]2 saw [her]2. / [Ann]1 waved and [it rained]4.")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        accessible(page)
        ben.press("d")
        eve = Visitor(browser, links["eve"])
        eve.press("Enter")
        table = eve.page.locator("tbody tr").all_inner_texts()
        assert [row.split("\t") for row in table] == [
            ["She", "after Ann", "after Bea"],
            ["her", "after Bea", "after She"],
            ["Ann", "after She", "after Ann"],
            ["it rained", "no mention", "the first"],
        ]
        accessible(eve.page)
        eve.page.keyboard.press("f")
        eve.press("2")
        eve.press("d")
        assert eve.page.inner_text("h1") == "Nothing is left to decide"
        assert again.interrupt() == 0
    assert {host for one in (ann, again_ann, ben, eve) for host in one.hosts} == {
        f"127.0.0.1:{port}"
    }
    with JudgementStore.opened(db) as kept:
        acts = [row.answer for row in kept.rows() if row.question == ACT and row.undoes is None]
        decided = [row for row in kept.standing() if row.stage == ADJUDICATION]
    assert [act.split()[0] for act in acts] == [
        *("assign", "new", "merge", "split", "add", "border", "remove"),
        *("assign", "add", "assign"),
    ]
    assert len(decided) == 2
    made = command("corefmill", "annotate", "import", path, db, "--out", out)
    assert (made.returncode, made.stderr) == (0, "")
    assert command("corefmill", "check", out).returncode == 0
    [one] = jsonl.read(out / "all.jsonl", Document)
    assert [[(m.sentence, m.start) for m in own] for own in one.clusters] == [
        [(0, 0), (2, 0)],
        [(0, 2), (1, 0), (1, 2)],
    ]


def test_spans_offer_no_clusters(browser: Browser, tmp_path: Path) -> None:
    path = corpus(tmp_path / "own.jsonl", "\n".join([TEXT] * 60))
    with served(path, "--task", "spans", "--db", tmp_path / "db", "--port", "0") as server:
        visitor = Visitor(browser, server.said["links"]["rater"])
        page = start(visitor)
        accessible(page)
        assert shown(page).startswith("[Ann] met [Bea].")
        page.keyboard.press("2")  # assigns nothing
        visitor.press(".")
        assert "part 2 of 2" in page.inner_text(".where")
        assert page.inner_text("#now") == "“Ann”"
        visitor.press("ArrowLeft")  # to the last of the part before
        assert "part 1 of 2" in page.inner_text(".where")
        page.keyboard.press("ArrowLeft")
        assert page.inner_text("#now") == "“her”"
        visitor.press(".")
        visitor.press(",")
        visitor.press("r")
        assert shown(page).startswith("Ann met [Bea].")
        visitor.press("d")
    with JudgementStore.opened(tmp_path / "db") as kept:
        said = [row.answer for row in kept.rows() if row.item.startswith("news")]
    assert said[:-1] == ["remove 0"]
