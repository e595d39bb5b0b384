"""Raters and an adjudicator work in a browser, by keys, while the server is killed."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from corefmill.annotate.questions import ACT
from corefmill.annotate.store import ADJUDICATION, JudgementStore
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document
from tests.commands import command, json_result
from tests.corefmill.annotate import chained, event_corpus
from tests.waiting import PATIENCE, running, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


COMMAND = [sys.executable, "-c", "from corefmill.cli.main import main; main()"]


@dataclass
class Served:
    """A running server, and what it printed as its port opened."""

    process: subprocess.Popen[str]
    said: dict[str, Any]

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def interrupt(self) -> int:
        """Ends it as Ctrl-C does; returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@contextmanager
def served(corpus: Path, *options: str | Path) -> Iterator[Served]:
    """The server of a corpus, ready for requests; killed at the end if it still runs."""
    command = [*COMMAND, "annotate", "serve", corpus, "--json", *options]
    with (
        TemporaryFile("w+") as out,
        running(*command, stdout=out, stderr=subprocess.PIPE) as process,
    ):

        def line() -> str:
            out.seek(0)
            return out.readline()

        wait_until(lambda: line().endswith("\n"), "the port is open", process=process)
        yield Served(process, json_result(line()))


class Visitor:
    """A rater's browser, which notes whom it asks."""

    def __init__(self, browser: Browser, link: str) -> None:
        self.hosts: set[str] = set()
        self.link = link
        context = browser.new_context()
        context.set_default_timeout(1000 * PATIENCE)
        context.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        self.page: Page = context.new_page()
        self.dialogs: list[str] = []
        self.page.on(
            "dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.accept())
        )
        self.page.goto(link)

    def press(self, key: str) -> None:
        with self.page.expect_navigation():
            self.page.keyboard.press(key)

    @property
    def answered(self) -> int:
        return int(re.match(r"\d+", self.page.inner_text(".pace"))[0])  # type: ignore[index]

    @property
    def marked(self) -> str:
        """What tells the item: its paragraph, with the mark."""
        return self.page.inner_html(".text")


def test_events_by_keys(browser: Browser, tmp_path: Path) -> None:
    text, db = "The flood of 1987 came, and then the flood went.", tmp_path / "answers.sqlite"
    mentions = [event_corpus.event(f"m{n}", f"c{n}", text, "flood") for n in range(2)]
    corpus = event_corpus.write(tmp_path / "own", {"test": mentions})
    options = ["--db", db, "--rater", "ann", "--rater", "ben", "--adjudicator", "eve"]
    with served(corpus, *options, "--port", "0") as first:
        links, port = first.said["links"], str(first.said["port"])
        ann, ben = Visitor(browser, links["ann"]), Visitor(browser, links["ben"])
        for visitor in (ann, ben):
            visitor.press("Enter")
            assert "Event" in visitor.page.locator("dt").all_inner_texts()
        for key in ("y", "u", "b"):
            ann.press(key)
        first.kill()
    before = ann.marked
    ann.page.keyboard.press("n")  # nobody is there, and nothing of it is kept
    with served(corpus, *options, "--port", port) as again:
        assert again.said["links"] == {}
        for visitor in (ann, ben):
            visitor.page.goto(visitor.link)
        assert (ann.answered, ann.marked) == (1, before)
        for visitor in (ann, ben, ben):
            visitor.press("y")
        for visitor in (ann, ben):
            assert visitor.page.inner_text("h1") == "All done, thank you"
        eve = Visitor(browser, links["eve"])
        eve.press("Enter")
        answers = eve.page.locator("tbody td:nth-of-type(1)").all_inner_texts()
        assert sorted(answers) == ["No", "Yes"]
        eve.press("p")
        assert eve.page.inner_text("h1") == "Nothing is left to decide"
        assert again.interrupt() == 0
    with JudgementStore.open(db) as kept:
        rows = [(row.stage == ADJUDICATION, row.answer, row.reason) for row in kept.standing()]
    said = [row for row in rows if row[1:] != ("yes", "")]
    assert [row[0] for row in said] == [False, True] and said[0][1:] == ("no", "boundary")


def shown(page: Page) -> str:
    return " / ".join(page.locator(".document p").all_inner_texts())


def start(visitor: Visitor) -> Page:
    visitor.press("Enter")
    return visitor.page


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    yield chained.corpus(tmp_path / "own.jsonl", chained.TEXT)


def test_chains_by_keys(browser: Browser, path: Path, tmp_path: Path) -> None:
    db, out = tmp_path / "db", tmp_path / "out"
    options = ["--chains", "--db", db, "--rater", "ann", "--rater", "ben"]
    with served(path, *options, "--adjudicator", "eve", "--port", "0") as first:
        links, port = first.said["links"], str(first.said["port"])
        ann, ben = Visitor(browser, links["ann"]), Visitor(browser, links["ben"])
        page = start(ann)
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
        eve.page.keyboard.press("f")
        eve.press("2")
        eve.press("d")
        assert eve.page.inner_text("h1") == "Nothing is left to decide"
        assert again.interrupt() == 0
    assert {host for one in (ann, again_ann, ben, eve) for host in one.hosts} == {
        f"127.0.0.1:{port}"
    }
    with JudgementStore.open(db) as kept:
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
