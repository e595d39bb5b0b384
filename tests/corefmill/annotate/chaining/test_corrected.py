"""What raters made of documents becomes a corpus again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corefmill.annotate.chaining import work
from corefmill.annotate.chaining.state import ChainState
from corefmill.annotate.questions import ACT
from corefmill.annotate.store import ADJUDICATION, MAIN, JudgementStore
from corefmill.corpora import find, jsonl
from corefmill.corpora.records import Document
from tests.commands import command, json_result
from tests.corefmill.annotate.chaining.chained import TEXT, corpus

ONE, TWO, THREE = (f"news/{n}/0" for n in (1, 2, 3))


@contextmanager
def judged(path: Path, task: str) -> Iterator[JudgementStore]:
    facts = {"corpus": "c", "fingerprint": find.fingerprint(find.at(path)), "task": task}
    with JudgementStore.made(path.with_name("db"), facts) as kept:
        yield kept


def done(kept: JudgementStore, path: Path, rater: str, item: str, *acts: str) -> None:
    """A rater's acts, and that the document is done."""
    task = kept.facts()["task"]
    for act in acts:
        kept.add(rater, MAIN, item, ACT, act, seconds=2.0)
    state = ChainState(work.documents(path)[item])
    for act in acts:
        state.do(act)
    kept.add(rater, MAIN, item, task, state.digest(task), seconds=9.0)


def test_the_corrected_corpus(tmp_path: Path) -> None:
    path = corpus(tmp_path / "own.jsonl", TEXT, TEXT, TEXT, TEXT)
    with judged(path, "chains") as kept:
        for rater in ("ann", "ben"):
            done(kept, path, rater, ONE, "assign 4 1")
            done(kept, path, rater, TWO, *(["assign 4 1"] if rater == "ann" else ["remove 4"]))
        done(kept, path, "ann", THREE, "new 3")
        taken_back = kept.add("ben", MAIN, THREE, ACT, "remove 1")
        kept.undo(taken_back)
        # Who adjudicates begins with what they agree on, where [She] is mention 1.
        kept.add("eve", ADJUDICATION, TWO, ACT, "assign 1 2")
        documents, rows = work.documents(path), [r for r in kept.standing() if r.item == TWO]
        state = work.state(documents[TWO], rows, "eve", ADJUDICATION)
        kept.add("eve", ADJUDICATION, TWO, "chains", state.digest("chains"))
        # A rater who comes later changes nothing of that.
        done(kept, path, "cat", TWO, "merge 0 2", "remove 4")
    out = tmp_path / "out"
    arguments = ("annotate", "import", path, tmp_path / "db", "--out", out)
    made = command("corefmill", *arguments, "--min-raters", "2")
    assert (made.returncode, made.stderr) == (0, "")
    assert "all: unfinished 1; all: unanswered 1" in made.stdout
    assert command("corefmill", "check", out).returncode == 0
    first, second = jsonl.read(out / "all.jsonl", Document)
    assert [len(cluster) for cluster in first.clusters] == [3, 2]
    assert [len(cluster) for cluster in second.clusters] == [2, 3]
    assert second.meta["annotation"] == {"raters": 3, "adjudicated": True}
    card = (out / "README.md").read_text("utf-8")
    assert "| Adjudicated | 1 documents |" in card and "CoNLL F1 between raters" in card
    assert command("corefmill", *arguments).returncode == 2  # it is there
    shown = command("corefmill", "annotate", "chains", tmp_path / "db", "--corpus", path, "--json")
    told = json_result(shown.stdout)
    assert [one["raters"] for one in told["pairs"]] == [
        ["ann", "ben"],
        ["ann", "cat"],
        ["ben", "cat"],
    ]
    assert 0 < told["alpha"]["value"] < 1
    assert told["raters"][0] == {
        **{"rater": "ann", "done": 3, "skipped": 0, "acts": 3, "document": 9.0, "act": 2.0}
    }


def test_spans_keep_their_clusters(tmp_path: Path) -> None:
    path = corpus(tmp_path / "own.jsonl", TEXT)
    with judged(path, "spans") as kept:
        done(kept, path, "ann", ONE, "add 11 11", "border 0 0 1")
        done(kept, path, "ben", ONE, "border 0 0 1")
    shown = command("corefmill", "annotate", "chains", tmp_path / "db", "--corpus", path, "--json")
    assert json_result(shown.stdout)["pairs"] == [{"raters": ["ann", "ben"], "mentions": 10 / 11}]
    out = tmp_path / "out"
    made = command("corefmill", "annotate", "import", path, tmp_path / "db", "--out", out)
    assert made.returncode == 0, made.stderr
    [one] = jsonl.read(out / "all.jsonl", Document)
    assert [[(m.sentence, m.start, m.end) for m in own] for own in one.clusters] == [
        [(0, 0, 2), (2, 0, 1)],
        [(0, 2, 3), (1, 2, 3)],
        [(1, 0, 1)],
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("chains", "0123456789ab")], "do not give what was acknowledged"),
        ([(ACT, "new 77"), ("chains", "0123456789ab")], "do not give what was acknowledged"),
        ([(ACT, "new 3")], "no document is done: unfinished 1"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, rows: list[tuple[str, str]], said: str
) -> None:
    path = corpus(tmp_path / "own.jsonl", TEXT)
    with judged(path, "chains") as kept:
        for question, answer in rows:
            kept.add("ann", MAIN, ONE, question, answer)
    arguments = ("annotate", "import", path, tmp_path / "db", "--out", tmp_path / "out")
    made = command("corefmill", *arguments)
    assert made.returncode == 2 and said in made.stderr
    assert not (tmp_path / "out").exists()
    other = corpus(tmp_path / "other.jsonl", TEXT, TEXT)
    made = command("corefmill", "annotate", "import", other, *arguments[3:])
    assert made.returncode == 2 and "another state of this corpus" in made.stderr
