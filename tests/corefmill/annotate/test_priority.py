"""What people should see next comes first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the extra annotate")

from corefmill.annotate import judgements, priority
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.store import Rater
from corefmill.annotate.web.serving import RoundRequest, opened_round
from corefmill.corpora.errors import UsageError
from tests.corefmill.annotate import event_corpus
from tests.corefmill.annotate.event_corpus import event
from tests.corefmill.annotate.test_rounds import item


def votes(question: str, *answers: str) -> list[Judgement]:
    """The answers of raters 0, 1, 2 ... to items a, b, c ...: a string of them each."""
    names = {"y": "yes", "n": "no", "x": "none"}
    return [
        Judgement(
            item=chr(ord("a") + number),
            rater=f"{place}",
            person=False,
            question=question,
            answer=names.get(said, said),
        )
        for place, own in enumerate(answers)
        for number, said in enumerate(own)
        if said != "-"
    ]


# Of a to f all three say the same; of g one says yes and one no.
DIVIDED = ("yyynnny", "yyynnnn", "yyynnn-")


def test_an_item_on_which_raters_differ_comes_first_and_events_stay_together() -> None:
    items = [item(name, group) for name, group in zip("abcdefg", "1112233", strict=True)]
    found = priority.by_votes(items, votes("valid", *DIVIDED))
    assert [one.id for one in found] == list("fgabcde")


def test_an_item_without_a_vote_is_as_unsure_as_all_on_the_whole() -> None:
    items = [item(name, name) for name in "abcdefhg"]
    found = priority.by_votes(items, votes("valid", *DIVIDED))
    assert [one.id for one in found][:2] == ["h", "g"]


def test_candidates_are_compared_by_their_place() -> None:
    # No name is in two items: as such none has votes enough.
    items = [
        replace(item(f"i{number}", kind="pronoun-problem"), options=(f"A{number}", f"B{number}"))
        for number in range(60)
    ]
    said = [
        replace(one, item=f"i{number}", answer=items[number].options[one.answer == "no"])
        for number in range(60)
        for one in votes("answer", *("yyn" if number == 40 else "yyy" if number % 2 else "nnn"))
        if number != 40 or one.rater != "1"
    ]
    found = [one.id for one in priority.by_votes(items, said)]
    assert found == ["i40", *(one.id for one in items if one.id != "i40")]


def test_fewer_than_three_raters_tell_nothing() -> None:
    with pytest.raises(UsageError, match=r"of 2 raters.*from 3 raters on"):
        priority.by_votes([item("a")], votes("valid", "y", "n"))
    with pytest.raises(UsageError, match="of 0 raters"):
        priority.by_votes([item("z")], votes("valid", "y", "n", "n"))


def test_a_round_counts_what_people_said_before(tmp_path: Path) -> None:
    text = "The flood of 1987 came."
    mentions = [event(name, f"c{name}", text, "flood of 1987") for name in "abcdef"]
    corpus = event_corpus.write(tmp_path / "own", {"test": mentions})
    models = tmp_path / "models.jsonl"
    judgements.write(models, votes("valid", "yyyyyn", "yyyyyn"))
    request = RoundRequest(corpus, tmp_path / "db", ("ann",), votes=[models])
    with pytest.raises(UsageError, match="of 2 raters"), opened_round(request):
        pass
    assert not request.db.exists()
    ann = Rater("ann")
    with opened_round(replace(request, votes=())) as own:
        own.round.note(ann, "guidelines-read")
        own.round.note(ann, "tutorial-left")
        asked = own.round.left(ann)
        for one in asked[:3]:
            own.round.judge(ann, one, "no" if one.item.id != "f" else "yes")
    with opened_round(request) as own:
        left = [one.item.id for one in own.round.left(ann)]
    assert sorted(left) == sorted(one.item.id for one in asked[3:])
