"""What becomes of event mentions that raters judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from corefmill.annotate import judgements
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.validated import validate, verdict
from corefmill.builders.wec.facts.event_notes import EventNote
from corefmill.corpora import jsonl, manifest
from corefmill.corpora.errors import CorefmillError, DataError
from corefmill.corpora.records import EventMention
from tests.corefmill.annotate import event_corpus
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
        ("ysss", 2, "unfinished"),
        ("ss", 1, "skipped"),
        ("yyyn", 4, "low_agreement"),
        ("nn", 2, "boundary"),
        ("y", 1, ""),
    ],
)
def test_enough_raters_and_a_majority_decide(given: str, least: int, reason: str) -> None:
    answers = {"y": "yes", "n": "no", "s": ""}
    opinions = [
        said(f"r{number}", answers[one], "boundary" * (one == "n"))
        for number, one in enumerate(given)
    ]
    assert verdict(opinions, None, least).reason == reason


def test_who_adjudicates_decides_whatever_the_others_said() -> None:
    opinions = [said("ann", "no", "boundary"), said("ben", "yes")]
    found = verdict(opinions, said("eve", "yes"), 5)
    assert (found.reason, found.yes, found.no, found.decided) == ("", 1, 1, True)
    assert verdict(opinions, said("eve", "no", "metonym"), 5).reason == "metonym"
    assert verdict(opinions, said("eve", "no"), 5).reason == "boundary"
    assert verdict(opinions, said("eve", ""), 2).reason == "low_agreement"


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
    gathered = judgements.gathered(corpus, [path], events=True, adjudicator=more.get("adjudicator"))
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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([said("ann", "yes", item="other")], "no item 'other' in the corpus"),
        ([said("ann", "no", item=item) for item in "abc"], "no mention is left"),
    ],
)
def test_answers_that_do_not_fit_leave_nothing(
    corpus: Path, given: list[Judgement], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        validated(corpus, given, corpus.parent / "out")
    assert not (corpus.parent / "out").exists()
    with pytest.raises(CorefmillError, match="cannot replace itself"):
        validated(corpus, [said("ann", "yes")], corpus)
