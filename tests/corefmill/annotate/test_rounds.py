"""Who judges what, in which order, and what raters disagree on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from corefmill.annotate.questions import AnnotationItem
from corefmill.annotate.rounds import AnnotationRound, draw_items
from corefmill.annotate.store import ADJUDICATION, JudgementStore, Rater

ANN, BEN, CAT, EVE = Rater("ann"), Rater("ben"), Rater("cat"), Rater("eve", adjudicator=True)


def item(name: str, group: str = "g", *, kind: str = "event-mention") -> AnnotationItem:
    return AnnotationItem(id=name, kind=kind, lang="en", split="test", group=group, text="A b.")


EVENTS = [item(f"{group}{number}", group) for group in "abcdef" for number in range(3)]


@contextmanager
def begun(
    path: Path,
    raters: Sequence[Rater],
    chosen: Sequence[AnnotationItem] = tuple(EVENTS),
    *,
    overlap: int = 2,
) -> Iterator[AnnotationRound]:
    with JudgementStore.make(path, {"corpus": "own", "fingerprint": "f"}) as store:
        for rater in raters:
            if rater not in store.raters():
                store.admit(rater)
        own = AnnotationRound(store, chosen, overlap=overlap, seed=1)
        for rater in raters:
            if not own.has_begun(rater):
                own.begin(rater)
        yield own


def judge_all(own: AnnotationRound, rater: Rater, answer: str = "yes") -> list[str]:
    found = []
    while asked := own.next_question(rater):
        own.judge(rater, asked, answer)
        found.append(asked.item.id)
    return found


def test_the_order_is_by_chance_and_keeps_events_together() -> None:
    chosen = draw_items(EVENTS, seed=1, splits=["test"], limit=7)
    assert len(chosen) == 7
    order = [one.group for one in chosen]
    assert order[:6:3] == order[2:6:3] and order[0] != order[3]
    assert [one.id[1] for one in chosen[:6]] == list("012012")
    other = draw_items(EVENTS, seed=2, splits=["test"], limit=7)
    assert other != chosen
    assert draw_items(EVENTS, seed=1, splits=["train"], limit=None) == []


def test_each_event_goes_to_so_many_raters_as_a_whole(tmp_path: Path) -> None:
    with begun(tmp_path / "db", [ANN, BEN, CAT]) as own:
        seen = {rater.name: judge_all(own, rater) for rater in (ANN, BEN, CAT)}
    every = [name for names in seen.values() for name in names]
    assert len(every) == 2 * len(EVENTS) and {every.count(one.id) for one in EVENTS} == {2}
    for names in seen.values():
        assert 0 < len(names) < len(EVENTS)
        assert len(names) == 3 * len({name[0] for name in names})


def test_who_joins_later_takes_nothing_from_those_who_began(tmp_path: Path) -> None:
    with begun(tmp_path / "db", [ANN, BEN]) as own:
        before = []
        for _ in range(9):
            asked = own.next_question(ANN)
            assert asked
            own.judge(ANN, asked, "yes")
            before.append(asked.item.id)
    with begun(tmp_path / "db", [ANN, BEN, CAT]) as own:
        seen = {rater.name: judge_all(own, rater) for rater in (ANN, BEN, CAT)}
    seen["ann"] += before
    assert seen["cat"] and not set(before) & set(seen["cat"]) & set(seen["ben"])
    every = [name for names in seen.values() for name in names]
    assert {every.count(one.id) for one in EVENTS} == {2}


def test_undo_goes_back_however_far_and_survives_a_new_start(tmp_path: Path) -> None:
    with begun(tmp_path / "db", [ANN]) as own:
        asked = [own.next_question(ANN)]
        for _ in range(3):
            assert asked[-1]
            own.judge(ANN, asked[-1], "yes")
            asked.append(own.next_question(ANN))
        turns = {own.turn(ANN)}
        for one in reversed(asked[:-1]):
            assert own.undo(ANN)
            turns.add(own.turn(ANN))
            assert own.next_question(ANN) == one
        assert own.undo(ANN) is None and len(turns) == 4
    with begun(tmp_path / "db", [ANN]) as own:
        assert own.next_question(ANN) == asked[0] and own.pace(ANN).done == 0


def test_what_raters_disagree_on_is_asked_once_more(tmp_path: Path) -> None:
    with begun(tmp_path / "db", [ANN, BEN, EVE], EVENTS[:3]) as own:
        assert own.next_question(EVE) is None
        for rater, answers in ((ANN, ["yes", "no", "no"]), (BEN, ["yes", "yes", ""])):
            for answer in answers:
                asked = own.next_question(rater)
                assert asked
                own.judge(rater, asked, answer, reason="boundary" * (answer == "no"))
        asked = own.next_question(EVE)
        assert asked and asked.stage == ADJUDICATION and asked.item.id == "a1"
        assert sorted(row.answer for row in own.opinions(asked)) == ["no", "yes"]
        assert (own.pace(EVE).done, own.pace(EVE).total) == (0, 1)
        own.judge(EVE, asked, "no")
        assert own.next_question(EVE) is None
        own.undo(EVE)
        assert own.next_question(EVE) == asked
        for _ in range(2):
            own.undo(BEN)
        assert own.next_question(EVE) is None
