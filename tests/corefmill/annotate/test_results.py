"""What becomes of event mentions that raters judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from corefmill.annotate import chain_pages, judgements
from corefmill.annotate.chain_state import ChainState
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.questions import ACT
from corefmill.annotate.results import decide, validate
from corefmill.annotate.store import ADJUDICATION, MAIN, JudgementStore
from corefmill.builders.wec.facts.event_facts import EventNote
from corefmill.corpora import find, manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import CorefmillError, DataError
from corefmill.corpora.records import Document, EventMention
from tests.commands import command, json_result
from tests.corefmill.annotate import chained, event_corpus
from tests.corefmill.annotate.event_corpus import event

TEXT = "The flood of 1987 came. Then the 1987 flood went."


def said(rater: str, answer: str, reason: str = "", *, item: str = "a", **more: bool) -> Judgement:
    return Judgement(
        item=item,
        rater=rater,
        person=more.get("person", True),
        question="valid",
        answer=answer,
        reason=reason,
        when="2026-11-23T09:00:00Z",
    )


@pytest.mark.parametrize(
    ("given", "least", "reason"),
    [
        ("yyn", 2, ""),
        ("yn", 2, "low_agreement"),
        ("y", 2, "unfinished"),
        ("ss", 1, "skipped"),
        ("nn", 2, "boundary"),
    ],
)
def test_enough_raters_and_a_majority_decide(given: str, least: int, reason: str) -> None:
    answers = {"y": "yes", "n": "no", "s": ""}
    opinions = [
        said(f"r{number}", answers[one], "boundary" * (one == "n"))
        for number, one in enumerate(given)
    ]
    assert decide(opinions, None, least).reason == reason


def test_who_adjudicates_decides_whatever_the_others_said() -> None:
    opinions = [said("ann", "no", "boundary"), said("ben", "yes")]
    found = decide(opinions, said("eve", "yes"), 5)
    assert (found.reason, found.yes, found.no, found.decided) == ("", 1, 1, True)
    assert decide(opinions, said("eve", "no", "metonym"), 5).reason == "metonym"
    assert decide(opinions, said("eve", "no"), 5).reason == "boundary"
    assert decide(opinions, said("eve", ""), 2).reason == "low_agreement"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return event_corpus.write(
        tmp_path / "own",
        {
            "train": [
                event("t1", "1", TEXT, "1987 flood", "Far"),
                event("t2", "1", TEXT, "1987 flood", "Near"),
            ],
            "dev": [event("d1", "2", TEXT, "1987 flood", "Dev")],
            "test": [
                event("a", "3", TEXT, "flood of 1987", "Near"),
                event("b", "3", TEXT, "1987 flood", "Other"),
                event("c", "3", TEXT, "1987 flood", "Third"),
            ],
        },
        [EventNote("3", "en", "Event 3", "It came.", {"Date": "1987"})],
    )


def validated(corpus: Path, given: Sequence[Judgement], out: Path, **more: str) -> Path:
    path = corpus.parent / "answers.jsonl"
    judgements.write(path, given)
    gathered = judgements.gather_answers(corpus, [path], adjudicator=more.get("adjudicator"))
    validate(corpus, [path], out, answers=gathered, least=1, command="corefmill annotate import")
    return out


def test_what_is_rejected_leaves_and_so_do_training_mentions_of_its_article(corpus: Path) -> None:
    given = [
        said("ann", "no", "metonym", item="a"),
        said("ann", "no", item="b"),
        said("ann", "yes", item="b"),  # the newer answer counts
    ]
    out = validated(corpus, given, corpus.parent / "out")
    made = manifest.read(out)
    assert made.splits == {"train": 1, "dev": 1, "test": 1}
    assert made.counts["rejected"] == {
        "train": {"article_in_dev_or_test": 1},
        "dev": {},  # nobody has judged it
        "test": {"metonym": 1, "unanswered": 1},
    }
    [left] = jsonl.read(out / "test.jsonl", EventMention)
    assert (left.id, left.meta["annotation"]) == ("b", {"yes": 1, "no": 0, "strength": 1})
    card = (out / "README.md").read_text("utf-8")
    for row in (
        "| Validated | test; by 1",
        "| Raters | 1 (answers of each: 2)",
        "| Judged | 2026-",
    ):
        assert row in card
    assert not manifest.find_damaged(out, made)
    assert (out / "events.jsonl").read_bytes() == (corpus / "events.jsonl").read_bytes()


def test_models_alone_give_no_label_and_an_adjudicator_is_named(corpus: Path) -> None:
    given = [
        said("ann", "yes"),
        said("ben", "no"),
        said("eve", "yes"),
        said("gpt", "no", person=False),
        said("gpt", "no", item="b", person=False),
    ]
    out = validated(corpus, given, corpus.parent / "out", adjudicator="eve")
    [left] = jsonl.read(out / "test.jsonl", EventMention)
    assert left.meta["annotation"] == {"yes": 1, "no": 1, "strength": 1, "adjudicated": True}
    made = manifest.read(out)
    assert made.counts["of_models"] == 2
    assert made.counts["facts"]["Agreement"] == "0.0 of 100 pairs of raters, on 1 mentions"
    assert "ann" not in (out / "README.md").read_text("utf-8").replace("annotat", "")


def test_answers_that_do_not_fit_leave_nothing(corpus: Path) -> None:
    out = corpus.parent / "out"
    with pytest.raises(DataError, match="no mention of the judged splits is left"):
        validated(corpus, [said("ann", "no", item=item) for item in "abc"], out)
    assert not out.exists()
    with pytest.raises(CorefmillError, match="--out is the input corpus"):
        validated(corpus, [said("ann", "yes")], corpus)


ONE, TWO, THREE = (f"news/{n}/0" for n in (1, 2, 3))


@contextmanager
def judged(path: Path) -> Iterator[JudgementStore]:
    facts = {
        "corpus": "c",
        "fingerprint": find.fingerprint(find.open_corpus(path)),
        "task": "chains",
    }
    with JudgementStore.make(path.with_name("db"), facts) as kept:
        yield kept


def done(kept: JudgementStore, path: Path, rater: str, item: str, *acts: str) -> None:
    """A rater's acts, and that the document is done."""
    for act in acts:
        kept.add(rater, MAIN, item, ACT, act, seconds=2.0)
    state = ChainState(chain_pages.read_documents(path)[item])
    for act in acts:
        state.do(act)
    kept.add(rater, MAIN, item, "chains", state.digest(), seconds=9.0)


def test_the_corrected_corpus(tmp_path: Path) -> None:
    path = chained.corpus(
        tmp_path / "own.jsonl", chained.TEXT, chained.TEXT, chained.TEXT, chained.TEXT
    )
    with judged(path) as kept:
        for rater in ("ann", "ben"):
            done(kept, path, rater, ONE, "assign 4 1")
            done(kept, path, rater, TWO, *(["assign 4 1"] if rater == "ann" else ["remove 4"]))
        done(kept, path, "ann", THREE, "new 3")
        taken_back = kept.add("ben", MAIN, THREE, ACT, "remove 1")
        kept.undo(taken_back)
        # Who adjudicates begins with what they agree on, where [She] is mention 1.
        kept.add("eve", ADJUDICATION, TWO, ACT, "assign 1 2")
        documents, rows = (
            chain_pages.read_documents(path),
            [r for r in kept.standing() if r.item == TWO],
        )
        state = chain_pages.replay_acts(documents[TWO], rows, "eve", ADJUDICATION)
        kept.add("eve", ADJUDICATION, TWO, "chains", state.digest())
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


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(ACT, "new 77"), ("chains", "0123456789ab")], "do not give the stored clusters"),
        ([(ACT, "new 3")], "no document is finished by enough raters: unfinished 1"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, rows: list[tuple[str, str]], said: str
) -> None:
    path = chained.corpus(tmp_path / "own.jsonl", chained.TEXT)
    with judged(path) as kept:
        for question, answer in rows:
            kept.add("ann", MAIN, ONE, question, answer)
    arguments = ("annotate", "import", path, tmp_path / "db", "--out", tmp_path / "out")
    made = command("corefmill", *arguments)
    assert made.returncode == 2 and said in made.stderr
    assert not (tmp_path / "out").exists()
    other = chained.corpus(tmp_path / "other.jsonl", chained.TEXT, chained.TEXT)
    made = command("corefmill", "annotate", "import", other, *arguments[3:])
    assert made.returncode == 2 and "another state of this corpus" in made.stderr
