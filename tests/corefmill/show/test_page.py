"""The page: text stays text, elements nest, nothing else is asked for, and it has an end."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.terminal import printable
from corefmill.corpora.records import Record
from corefmill.show import page
from corefmill.show.corpus import RecordFilter, open_corpus
from corefmill.show.marks import Mark, MarkedPassage
from tests.builders.corpus.finished import example
from tests.corefmill.show.shown import EVIL, ITALIAN, built
from tests.corefmill.show.test_marks import passages
from tests.corpora.test_records import EVENT

VOID = {"meta", "link", "input", "br", "wbr", "img"}


class Tree(HTMLParser):
    """Checks that elements nest; keeps scripts, texts by element, and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in self.open:
            self.texts[tag][-1] += data


def written(
    folder: Path, source: Path, limit: int = 200, seed: int = 0, **more: Any
) -> tuple[page.WrittenPage, str]:
    """What the page of a corpus has."""
    wanted = RecordFilter(**{key: more.pop(key) for key in ("search", "split") if key in more})
    corpus = open_corpus(str(source), None, None, folder)
    made = page.write(folder / "p.html", corpus, wanted, limit=limit, seed=seed, **more)
    text = (folder / "p.html").read_text("utf-8")
    assert made.bytes == len(text.encode())
    return made, text


def of(folder: Path, records: Iterable[Record], **more: Any) -> tuple[page.WrittenPage, str]:
    jsonl.write(folder / "r.jsonl", records)
    return written(folder, folder / "r.jsonl", **more)


@given(passages())
def test_without_its_tags_a_text_is_the_text(passage: MarkedPassage) -> None:
    made = page.render_marks(passage)
    assert unescape(re.sub("<[^>]*>", "", made)) == printable(passage.text)
    assert all(tag == "mark" for tag, _ in Tree(made).seen)


def test_a_mark_says_its_cluster_and_whether_it_goes_on() -> None:
    passage = MarkedPassage("abc", (Mark(1, ((0, 2),)), Mark(14, ((1, 3),)), Mark(0, ((3, 3),))))
    assert page.render_marks(passage) == (
        '<mark class="mention k0" data-c="1">a<mark class="mention k1" data-c="14">b</mark></mark>'
        '<mark class="mention k1 on" data-c="14">c</mark><mark class="mention k" data-c="?"></mark>'
    )


def test_a_page_of_a_corpus_has_its_records_counts_and_rejects(tmp_path: Path) -> None:
    made, text = written(tmp_path, built(tmp_path / "out"))
    assert made[:4] == (4, 4, 6, 3)
    tree = Tree(text)
    said = " ".join(tree.texts["main"][0].split())
    assert "examples314" in said  # by split and in all
    assert "uncounted 3, quoted 2, too_long 1" in said
    assert "All 4. A number stands before each mention" in said
    assert "3 of 6 that were left out, drawn at random, of each reason as many." in said
    assert "He said Ann." in said and "Article 3" in said
    assert said.index("All 4.") < said.index("left out, drawn") < said.index("examples314")
    assert "Warning: it is small" in " ".join(tree.texts["header"][0].split())
    facets = json.loads(tree.texts["script"][0])
    assert [one["gender"] for one in facets] == ["female"] * 3 + ["male", "", "", "male"]
    assert [one["reason"] for one in facets] == [""] * 4 + ["quoted"] * 2 + ["too_long"]
    assert facets[0]["clusters"] == ["Ann", "Bob"] and facets[3]["split"] == "validation"
    articles = [own for tag, own in tree.seen if tag == "article"]
    assert [own["data-n"] for own in articles] == list("0123456")
    (form,) = (own for tag, own in tree.seen if tag == "form")
    assert "hidden" in form  # until the script shows it


def test_source_and_target_stand_side_by_side(tmp_path: Path) -> None:
    _, text = of(tmp_path, [ITALIAN])
    assert text.count('class="pair"') == 2
    assert '<span class="rule">subject-deletion</span> <del>Lei</del> → <ins>∅</ins>' in text
    assert 'lang="en"' in text and 'lang="it"' in text
    assert '<mark class="mention k1" data-c="2">dalla casa</mark>' in text
    assert "Before the rules: <bdi>Lei viene da la casa .</bdi>" in text


def hostile() -> list[Record]:
    """Whatever can be written into a corpus."""
    long = "word " * 200_000
    event = replace(
        EVENT, id=EVIL, text=EVIL, start=0, end=len(EVIL), cluster=EVIL, cluster_title=EVIL,
        event_type=EVIL, infobox=EVIL, lemma=EVIL, source=replace(EVENT.source, title=EVIL),
    )  # fmt: skip
    return [
        event,
        replace(event, parts=((0, 3), (1, 9), (len(EVIL) - 1, len(EVIL)))),
        replace(event, text=long, start=500_000, end=500_004),
        replace(event, text="x" * 1_000_000, start=999_999, end=1_000_000),
    ]


def test_a_hostile_corpus_is_text_and_nothing_is_loaded(tmp_path: Path) -> None:
    made, text = of(tmp_path, hostile())
    assert made.shown == 4 and made.bytes < 100_000
    tree = Tree(text)
    assert [tag for tag, _ in tree.seen].count("script") == 2
    assert not {"img", "iframe", "object", "link"} & {tag for tag, _ in tree.seen}
    assert text.count("<b>") == 4  # the heads of the records
    for _, own in tree.seen:
        assert not [name for name in own if name.startswith("on") or name in ("src", "style")]
        assert own.get("href") in (None, "#records", "#counts")
    assert printable(text) == text
    (policy,) = (own["content"] for _, own in tree.seen if own.get("http-equiv") is not None)
    assert policy is not None and policy.startswith("default-src 'none'; ")
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        digest = hashlib.sha256(tree.texts[tag][-1].encode()).digest()
        assert f"{directive} 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert not re.search(r"(?:https?:)?//\w", re.sub(r"(?m)^\s*// .*", "", text))


def test_a_page_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [
        example(number, text="Ann met Bob. Ann left " + "é" * 9_000) for number in range(30)
    ]
    made, text = of(tmp_path, examples)
    assert made.shown == 30
    assert "5,022 characters more" in text
    monkeypatch.setattr(page, "MOST_BYTES", 100_000)
    made, text = of(tmp_path, examples)
    assert made.bytes < 150_000 and 5 < made.shown < 30
    assert f"{30 - made.shown} of those drawn are not shown" in text


def test_records_are_drawn_by_the_seed_and_events_by_their_clusters(tmp_path: Path) -> None:
    events = [
        replace(EVENT, id=f"{cluster}-{number}", cluster=f"c{cluster}", cluster_title="")
        for number in range(12)
        for cluster in range(5)
    ]
    made, text = of(tmp_path, events, limit=25)
    assert (made.records, made.shown) == (60, 25)
    assert sorted(map(len, re.findall(r"<b><bdi>(\d)-", text))) == [1] * 25
    shown = [len(re.findall(f"<bdi>{cluster}-\\d+</bdi>", text)) for cluster in range(5)]
    assert sorted(shown) == [0, 0, 5, 10, 10]
    assert "25 of 60, drawn at random (seed 0, at most 25; of a cluster at most 10)." in text
    assert of(tmp_path, events, limit=25) == (made, text)
    assert of(tmp_path, events, limit=25, seed=3) != (made, text)


def test_filters_and_a_reason_choose_what_the_page_is_about(tmp_path: Path) -> None:
    corpus = built(tmp_path / "out")
    made, text = written(tmp_path, corpus, search="left 2", split="train")
    assert made[:2] == (1, 1) and "Chosen by <b>split train; search left 2</b>" in text
    made, _ = written(tmp_path, corpus, reason="quoted", limit=1)
    assert (made.shown, made.rejects_shown) == (1, 1)
    (corpus / "rejects.jsonl").unlink()
    made, text = written(tmp_path, corpus)
    assert made.rejects_shown == 0 and "built with <code>--keep-rejects</code>" in text
    with pytest.raises(UsageError, match="--keep-rejects"):
        written(tmp_path, corpus, reason="quoted")


def test_a_corpus_of_nothing_has_a_page(tmp_path: Path) -> None:
    made, text = of(tmp_path, [EVENT], search="nowhere")
    assert made[:2] == (0, 0) and "All 0." in text
    Tree(text)


def test_a_browser_runs_the_page_and_nothing_of_the_corpus(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs chromium, which is not installed")
    of(tmp_path, hostile())
    done = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            (tmp_path / "p.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if "<form" not in done.stdout:
        pytest.skip(f"chromium does not start here: {done.stderr[-200:]}")
    assert "<title>r.jsonl: event mentions</title>" in done.stdout
    assert re.search(r'<form id="filters" aria-label="[^"]*">', done.stdout)  # not hidden any more
    assert ">4 of 4 on this page</output>" in done.stdout
