"""`corefmill annotate export, import, answers, serve` of event mentions, as a user gives them."""

from __future__ import annotations

import json
import os
import resource
import socket
import time
from contextlib import ExitStack, closing, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from corefmill.annotate.store import ADJUDICATION, MAIN, JudgementStore, Rater
from corefmill.corpora import find
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import EventMention
from tests.commands import called, command, json_result
from tests.corefmill.annotate import event_corpus
from tests.corefmill.annotate.event_corpus import event
from tests.corefmill.annotate.test_browser import served
from tests.waiting import wait_until

TEXT = "The flood of 1987 came. Then the 1987 flood went."


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return event_corpus.write(
        tmp_path / "own",
        {
            "train": [event("t", "1", TEXT, "1987 flood", "Near")],
            "test": [
                event("a", "2", TEXT, "flood of 1987", "Near"),
                event("b", "2", TEXT, "1987 flood", "Other"),
            ],
        },
    )


@pytest.fixture
def db(corpus: Path) -> Path:
    path = corpus.parent / "answers.sqlite"
    facts = {"corpus": "own", "fingerprint": find.fingerprint(find.open_corpus(corpus))}
    with JudgementStore.make(path, facts) as store:
        store.undo(store.add("ann", MAIN, "a", "valid", "no"))
        for rater, item, answer in (("ann", "a", "yes"), ("ben", "a", "no"), ("ann", "b", "yes")):
            store.add(rater, MAIN, item, "valid", answer)
        store.add("eve", ADJUDICATION, "a", "valid", "no", reason="metonym")
    return path


run = partial(called, "corefmill", "annotate")


def test_answers_are_written_without_undone_ones(db: Path) -> None:
    out = db.parent / "answers.jsonl"
    assert run("answers", db, "--out", out) == (0, f"3 judgements are in {out}.\n", "")
    said = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [(one["rater"], one["item"], one["answer"]) for one in said] == [
        ("ann", "a", "yes"),
        ("ben", "a", "no"),
        ("ann", "b", "yes"),
    ]
    code, _, complaint = run("answers", db, "--out", out)
    assert code == 2 and "is there already" in complaint
    code, told, _ = run("answers", db, "--out", out, "--overwrite", "--adjudicated", "--json")
    assert (code, json_result(told)["judgements"]) == (0, 4)


def test_a_lost_link_is_made_anew_for_one_rater(corpus: Path) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra annotate")
    from corefmill.annotate.options import RoundOptions
    from corefmill.annotate.server import open_round

    db = corpus.parent / "db"
    with open_round(corpus, RoundOptions(db=db, rater=["ann", "ben"])) as own:
        before = dict(own.secrets)
    with open_round(corpus, RoundOptions(db=db, new_link=["ann"])) as own:
        renewed = dict(own.secrets)
    assert list(renewed) == ["ann"]
    with JudgementStore.open(db) as store:
        assert store.find_holder(before["ann"]) is None
        assert store.find_holder(renewed["ann"]) == Rater("ann")
        assert store.find_holder(before["ben"]) == Rater("ben")


def test_the_file_of_the_pages_validates_the_corpus(corpus: Path, db: Path) -> None:
    out = corpus.parent / "out"
    code, told, complaint = run("import", corpus, db, "--out", out)
    assert (code, complaint) == (0, "")
    assert told == (
        f"The validated corpus is in {out}: train 0, test 1 mentions. Left out:"
        " train: article_in_dev_or_test 1; test: metonym 1.\n"
    )
    [left] = jsonl.read(out / "test.jsonl", EventMention)
    assert left.id == "b"
    assert command("corefmill", "check", out).returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--split", "dev"), "no split 'dev'"),
        (("--rater", "ann", "--rater", "ann"), "ann is named twice"),
        (("--rater", "ann", "--adjudicator", "ann"), "an adjudicator is not a rater"),
        (("--rater", "\x1b[0m"), "is not the name of a rater"),
        (("--rater", "a\nbob: http://evil/"), "is not the name of a rater"),
        (("--adjudicator", "a\tb"), "is not the name of a rater"),
        (("--rater", "ann", "--new-link", "zoe"), "--new-link: no rater 'zoe'; the raters are ann"),
        (("--host", "https://x.org"), "is not the name of a host"),
    ],
)
def test_what_cannot_be_served_is_one_line_and_leaves_nothing(
    corpus: Path, options: tuple[str, ...], message: str
) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra annotate")
    before = sorted(corpus.parent.iterdir())
    code, told, complaint = run("serve", corpus, "--port", "0", *options)
    assert (code, told) == (2, "") and message in complaint
    assert sorted(corpus.parent.iterdir()) == before


@pytest.mark.parametrize("kind", ["link", "link to nowhere", "FIFO", "folder", "UTF-8", "large"])
def test_guidelines_that_are_no_plain_text_are_refused(corpus: Path, kind: str) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra annotate")
    from corefmill.annotate.options import RoundOptions
    from corefmill.annotate.server import open_round

    path, db, secret = corpus / "guidelines.md", corpus.parent / "db", corpus.parent / "secret"
    said = "guidelines.md"
    if kind.startswith("link"):
        said = "this is a link, not a file"
        path.symlink_to(secret)
        if kind == "link":
            secret.write_text("# not for raters")
    elif kind == "FIFO":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"\xff" if kind == "UTF-8" else b"a" * (1 << 20))
    with pytest.raises(DataError, match=said), open_round(corpus, RoundOptions(db=db)):
        pass
    assert not db.exists()


def test_a_link_to_a_served_file_is_that_file(corpus: Path) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra annotate")
    db, link = corpus.parent / "served", corpus.parent / "folder" / "link"
    link.parent.mkdir()
    link.symlink_to(db)
    with served(corpus, "--db", db, "--port", "0"):
        code, _, complaint = run("serve", corpus, "--db", link, "--port", "0", "--rater", "ann")
    assert code == 2 and "serves this file" in complaint and complaint.count("\n") == 1


def test_more_connections_than_descriptors_are_one_line(corpus: Path) -> None:
    pytest.importorskip("uvicorn", reason="needs the extra annotate")
    options = ("--db", corpus.parent / "served", "--port", "0", "--rater", "ann")
    with served(corpus, *options) as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (32, 32))
        address = ("127.0.0.1", server.said["port"])
        with ExitStack() as stack:
            for _ in range(150):  # more than are accepted or wait to be
                client = stack.enter_context(socket.socket())
                client.setblocking(False)
                client.connect_ex(address)
            time.sleep(2.5)  # the server tries again after a second
        link = urlsplit(server.said["links"]["ann"])

        def is_served() -> bool:
            with (
                suppress(OSError, HTTPException),
                closing(HTTPConnection(*address, timeout=5)) as own,
            ):
                own.request("GET", link.path)
                return own.getresponse().status == 200
            return False

        wait_until(is_served, "pages are served again", process=server.process)
        assert server.interrupt() == 0
        assert server.process.stderr is not None
        said = server.process.stderr.read()
    assert said.count("\n") == 1 and "connections have to wait: Too many open files" in said
