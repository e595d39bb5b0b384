"""Pages without a server: they ask what the server asks, and their answers count as much."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="needs the extra annotate")

from corefmill.annotate.web import mailing
from corefmill.annotate.web.serving import RoundRequest
from corefmill.corpora import jsonl
from corefmill.corpora.errors import UsageError
from corefmill.corpora.records import Document, Sentence, Token
from tests.commands import command, json_result
from tests.corefmill.annotate import event_corpus
from tests.corefmill.annotate.event_corpus import event
from tests.corefmill.annotate.web.serving import served
from tests.corpora.test_records import EXAMPLE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = (
    "</script><script>alert(1)</script><img src='http://evil.example/x.png' onerror='alert(2)'>"
    "{{ 7 * 7 }} &lt;b&gt; \u202eabc\u202c \x00\x1b[31m 👩\u200d🚀 </p></main>"
)
TEXT = "The flood of 1987 came. Then the 1987 flood went."


def pages(corpus: Path, out: Path, *raters: str, **more: Any) -> mailing.MailedRound:
    return mailing.write(RoundRequest(corpus=corpus, raters=raters, **more), out)


def round_of(path: Path) -> dict[str, Any]:
    """What a page gives its script."""
    text = path.read_text("utf-8")
    start = '<script type="application/json" id="round">'
    found: dict[str, Any] = json.loads(text.partition(start)[2].partition("</script>")[0])
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    """Judgements without what differs from run to run."""
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert all(one.pop("when") and one.pop("seconds") >= 0 for one in found)
    return found


class Reader:
    """A rater's browser with a page from a file, which notes what it asks for."""

    def __init__(self, browser: Browser, path: Path) -> None:
        context = browser.new_context(accept_downloads=True)
        context.set_default_timeout(120_000)
        self.asked: list[str] = []
        context.on("request", lambda request: self.asked.append(request.url))
        self.page: Page = context.new_page()
        self.faults: list[str] = []
        self.page.on("dialog", lambda dialog: (self.faults.append("dialog"), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on(
            "console", lambda said: self.faults.extend([said.text] * (said.type == "error"))
        )
        self.page.goto(path.as_uri())

    def download(self, path: Path) -> Path:
        with self.page.expect_download() as found:
            self.page.keyboard.press("d")
        found.value.save_as(path)
        self.name = found.value.suggested_filename
        return path

    def upload(self, path: Path) -> str:
        """Gives the page a file; what it says of it."""
        self.page.evaluate("document.getElementById('said').textContent = ''")
        self.page.set_input_files("#upload", path)
        self.page.locator("#said:not(:empty)").wait_for()  # the policy allows no function
        return self.page.inner_text("#said")


KEYS = {
    # the tutorial: one answer and its feedback, one skipped; of the items one with a remark
    "events": ("y", "Enter", "k", "l", "y", "b", "u", "n", "k", "p"),
    # person and answer, then practice with a known label, then three questions an item
    "names": (
        "n",
        "Enter",
        "l",
        "1",
        "Enter",
        "2",
        "u",
        "1",
        "Enter",
        "y",
        "1",
        "n",
        "y",
        "x",
        "y",
    ),
}


@pytest.fixture
def corpora(tmp_path: Path) -> Mapping[str, Path]:
    mentions = [event(name, "2", TEXT, "1987 flood", f"T{name}") for name in "abcd"]
    names = tmp_path / "names.jsonl"
    jsonl.write(names, [replace(EXAMPLE, id=f"m{number}") for number in range(4)])
    return {"events": event_corpus.write(tmp_path / "own", {"test": mentions}), "names": names}


@pytest.mark.parametrize("kind", KEYS)
def test_a_page_and_the_server_ask_the_same_and_keep_the_same(
    kind: str, corpora: Mapping[str, Path], browser: Browser, tmp_path: Path
) -> None:
    corpus, db, out = corpora[kind], tmp_path / "db", tmp_path / "out"
    options = ("--rater", "ann", "--rater", "ben", *(("--limit", "2") if kind == "names" else ()))
    done = command("corefmill", "annotate", "page", corpus, *options, "--out", out, "--json")
    assert json_result(done.stdout)["files"] == {"ann": "ann.html", "ben": "ben.html"}
    with served(corpus, "--db", db, "--port", "0", *options) as it:
        reader = Reader(browser, out / "ann.html")
        theirs = browser.new_context().new_page()
        theirs.goto(it.said["links"]["ann"])
        for key in ("Enter", *KEYS[kind]):
            with theirs.expect_navigation():
                theirs.keyboard.press(key)
            reader.page.keyboard.press(key)
            if reader.page.inner_text("h1") != "All done, thank you":
                assert reader.page.inner_text("main") == theirs.inner_text("main"), key
        assert theirs.inner_text("h1") == reader.page.inner_text("h1") == "All done, thank you"
    saved = reader.download(tmp_path / "ann.jsonl")
    told = tmp_path / "told.jsonl"
    assert command("corefmill", "annotate", "answers", db, "--out", told).returncode == 0
    assert lines(saved) == lines(told) and len(lines(saved)) == {"events": 4, "names": 6}[kind]
    assert reader.name == f"{'own' if kind == 'events' else 'names'}-ann.jsonl"
    assert reader.asked == [(out / "ann.html").as_uri()]
    assert not reader.faults
    if kind == "events":
        made = [tmp_path / "by-page", tmp_path / "by-server"]
        for answers, valid in zip((saved, db), made, strict=True):
            done = command("corefmill", "annotate", "import", corpus, answers, "--out", valid)
            assert (done.returncode, done.stderr) == (0, "")
        one, other = [(folder / "test.jsonl").read_bytes() for folder in made]
        assert one == other and one.count(b"\n") == 1
    done = command("corefmill", "annotate", "report", saved, "--json")
    assert done.returncode == 0 and '"rater": "ann"' in done.stdout


def test_answers_outlast_the_page_and_go_on_elsewhere(browser: Browser, tmp_path: Path) -> None:
    text = "long " * 200_000 + HOSTILE
    mentions = [
        event("i'><script>", "c", text, text[text.index("</script>") :], HOSTILE),
        event("b", "c", TEXT, "1987 flood"),
    ]
    corpus = event_corpus.write(tmp_path / "own", {"test": mentions})
    pages(corpus, tmp_path / "out", "<b>/../ann")
    path = tmp_path / "out" / "-b-----ann.html"
    reader = Reader(browser, path)
    page = reader.page
    for key in ("Enter", "l"):
        page.keyboard.press(key)
    if "Paragraph of\nTown" in page.inner_text(".facts"):
        page.keyboard.press("y")
    answered = int(page.inner_text(".done"))
    assert page.inner_text("mark").startswith("</script><script>alert(1)</script><img src='http:")
    assert "{{ 7 * 7 }} &lt;b&gt; \\u202eabc\\u202c \\u0000\\u001b[31m 👩" in page.inner_text(
        "mark"
    )
    home = page.inner_text(".text")
    page.keyboard.press(",")
    assert "long long" in page.inner_text(".text") and not page.locator("mark").count()
    page.keyboard.press("0")
    assert page.inner_text(".text") == home
    page.keyboard.press("m")
    page.keyboard.type("</input><script>y n")
    page.keyboard.press("Enter")
    second = page.context.new_page()
    second.goto(path.as_uri())
    page.keyboard.press("i")
    # Of two windows neither overwrites what the other keeps.
    second.locator(".done", has_text=str(answered + 1)).wait_for()
    page.reload()
    assert page.inner_text(".done") == str(answered + 1)
    page.keyboard.press("?")
    assert page.inner_text("h1") == "Event mentions"
    page.keyboard.press("Enter")
    saved = reader.download(tmp_path / "saved.jsonl")
    other = Reader(browser, path)
    assert other.upload(saved) == f"{answered + 1} answers were read."
    assert other.page.inner_text(".done") == str(answered + 1)
    kept = lines(other.download(tmp_path / "again.jsonl"))
    assert kept == lines(saved)
    assert kept[-1]["item"] == "i'><script>" and kept[-1]["remark"] == "</input><script>y n"
    assert {one["rater"] for one in kept} == {"<b>/../ann"}
    good = saved.read_text("utf-8")
    for number, bad in enumerate(
        ("\0\xff", "{}", '{"item": null}', good.replace("b>", "i>"), f"{good}[]", good[:-20])
    ):
        wrong = tmp_path / f"wrong-{number}"
        wrong.write_text(bad, "utf-8")
        assert other.upload(wrong).startswith("Not read: line "), bad
        assert other.page.inner_text(".done") == str(answered + 1)
    assert set(reader.asked) == set(other.asked) == {path.as_uri()}
    assert not reader.faults and not other.faults


def test_each_kind_is_shared_out_as_by_the_server(tmp_path: Path) -> None:
    documents = tmp_path / "documents.jsonl"
    jsonl.write(
        documents,
        [
            Document(f"d{n}", 0, "en", (Sentence((Token("Well"), Token("yes"))),), ())
            for n in range(6)
        ],
    )
    problems = tmp_path / "problems.jsonl"
    pronoun = {"text": "Anna met Bob. She left.", "sentences": ((0, 13), (14, 23))}
    own = [replace(EXAMPLE, id=f"p{n}", target=(14, 17), mentions=(), **pronoun) for n in range(6)]
    jsonl.write(problems, own)
    for corpus, questions in ((documents, 2), (problems, 1)):
        out = tmp_path / corpus.stem
        made = pages(corpus, out, "ann", "ben", "cat", overlap=2)
        assert sum(made.questions.values()) == 2 * 6 * questions
        seen: list[str] = []
        for file in made.files.values():
            steps = round_of(out / file)["steps"]
            main = [step["item"] for step in steps if step["stage"] == "main"]
            assert len(main) == made.questions[file.removesuffix(".html")]
            assert len([one for one in steps if one["stage"] == "tutorial"]) == 10 * questions
            seen += sorted(set(main))
        assert {seen.count(item) for item in seen} == {2} and len(set(seen)) == 6


@pytest.mark.parametrize("raters", [("a/b", "a b"), ("Ann", "ann")])
def test_two_raters_never_get_one_file(
    corpora: Mapping[str, Path], tmp_path: Path, raters: Sequence[str]
) -> None:
    with pytest.raises(UsageError, match="would have one name"):
        pages(corpora["names"], tmp_path / "out", *raters)
    assert not (tmp_path / "out").exists()
