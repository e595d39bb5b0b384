"""What is reported of a question: shares, agreement, models beside people, readings by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.annotate import answer_tables, summary
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.summary import QuestionSummary, SummarySettings
from corefmill.corpora.errors import DataError
from corefmill.corpora.scoring.agreement import Estimate
from tests.commands import ROOT

QUICK = SummarySettings(rounds=50)
READINGS = ROOT / "benchmarks/readings/answers.toml"


def said(rater: str, answers: str, *, person: bool = True) -> list[Judgement]:
    """Answers y and n to items 0, 1 ...; - where there is none, s where it was skipped."""
    return [
        Judgement(
            item=str(item),
            rater=rater,
            person=person,
            question="valid",
            answer={"y": "yes", "n": "no", "s": ""}[one],
            when="2026-11-23T09:00:00Z" if item else "2026-11-20",
            seconds=float(item) if person else None,
        )
        for item, one in enumerate(answers)
        if one != "-"
    ]


def summed(*raters: list[Judgement], settings: SummarySettings = QUICK) -> QuestionSummary:
    ((question, own),) = summary.by_question([one for rater in raters for one in rater]).items()
    return summary.summary(question, own, settings)


def test_counts_shares_and_pace_by_hand() -> None:
    found = summed(said("ada", "yynys"), said("bob", "yyn-y"), said("m", "nnnnn", person=False))
    assert (found.items, found.answers, found.skipped) == (5, 13, 1)
    assert (found.people, found.models, found.first, found.last) == (
        *(2, 1),
        *("2026-11-20", "2026-11-23"),
    )
    assert found.seconds == 2.0  # 0 1 2 3 4 and 0 1 2 4
    assert list(found.shares) == ["yes"] and found.shares["yes"].value == 4 / 5
    people, everybody = found.groups
    assert (people.group, people.items, people.observed.value) == ("people", 3, 1.0)
    assert (everybody.group, everybody.raters, everybody.items) == ("all", 3, 5)
    ada, bob, model = found.raters
    assert [one.items for one in found.raters] == [4, 4, 5] and ada.skipped == 1
    assert ada.shares["yes"].value == 3 / 4 and model.shares["yes"].value == 0
    assert ada.agreement.value == bob.agreement.value == 1
    assert model.agreement.value == 1 / 5  # of people alone
    pairs = {one.raters: (one.people, one.items, one.observed.value) for one in found.pairs}
    assert pairs == {
        ("ada", "bob"): (2, 3, 1),
        ("ada", "m"): (1, 4, 0.25),
        ("bob", "m"): (1, 4, 0.25),
    }


def test_a_model_makes_people_surer_and_is_never_alone() -> None:
    people, more = "yyyyyyyyyynnynyyyyyy" * 3, "yyyyny" * 60
    votes = said("m", people + more, person=False)
    found = summed(said("ada", people), said("bob", people), said("cy", people), votes)
    (model,) = found.with_models
    assert (model.items, model.votes) == (60, 360)
    alone, both = model.alone["yes"], model.shares["yes"]
    assert alone == found.shares["yes"]
    assert None not in (alone.low, alone.high, both.low, both.high)
    assert (both.high or 1) - (both.low or 0) < 0.6 * ((alone.high or 1) - (alone.low or 0))
    assert model.test is not None and model.test.passed


def test_the_alt_test_says_whether_a_model_may_stand_in_for_people() -> None:
    people = "yyyyyyyyyynnynyyyyyy" * 3
    contrary = people.translate(str.maketrans("yn", "ny"))
    three = [said(name, people) for name in ("ada", "bob", "cy")]
    (lost,) = summed(*three, said("m", contrary, person=False)).with_models
    assert lost.test is not None and not lost.test.passed
    (few,) = summed(*three[:2], said("m", people, person=False)).with_models
    assert few.test is None and "3 people of 30 items each" in (few.refused or "")
    settings = replace(QUICK, least_people=2)
    (allowed,) = summed(*three[:2], said("m", people, person=False), settings=settings).with_models
    assert allowed.test is not None and allowed.test.passed


def test_models_alone_have_no_share_of_people() -> None:
    found = summed(said("m", "yyn", person=False), said("n", "yyy", person=False))
    assert not found.shares and not found.with_models and found.people == 0


def test_a_rater_cannot_be_both() -> None:
    with pytest.raises(DataError, match="rater 'ada' is a person in one judgement and a model"):
        summary.by_question([*said("ada", "y"), *said("ada", "-y", person=False)])


@pytest.fixture(scope="module")
def readings() -> dict[str, list[Judgement]]:
    return dict(answer_tables.read(READINGS))


def of(own: list[Judgement], question: str) -> QuestionSummary:
    return summary.summary(question, summary.by_question(own)[question], QUICK)


def percent(own: Estimate) -> tuple[float, ...]:
    return tuple(round(100 * (one or 0), 1) for one in (own.value, own.low, own.high))


def test_every_reading_is_a_models(readings: dict[str, list[Judgement]]) -> None:
    assert set(readings) == {path.name for path in READINGS.parent.glob("*.csv")}
    assert all(own and not any(one.person for one in own) for own in readings.values())


def test_blind_event_mentions_as_the_readme_states_them(
    readings: dict[str, list[Judgement]],
) -> None:
    found = of(readings["wec-blind.csv"], "valid")
    assert [percent(one.shares["yes"]) for one in found.raters] == [
        (95.0, 88.8, 97.8),
        (92.0, 85.0, 95.9),
    ]
    (pair,) = found.pairs
    assert pair.observed.value == 0.97 and round(pair.kappa.value or 0, 2) == 0.75


def test_blind_masked_names_as_the_readme_states_them(
    readings: dict[str, list[Judgement]],
) -> None:
    own = readings["masked-blind.csv"]
    stated = {"person": (1.0, None), "solvable": (0.984, 0.88), "natural": (0.931, 0.86)}
    for question, (observed, kappa) in stated.items():
        (pair,) = of(own, question).pairs
        assert pair.items == 246 and round(pair.observed.value or 0, 3) == observed
        assert kappa is None or round(pair.kappa.value or 0, 2) == kappa


def test_pronoun_problems_as_the_readme_states_them(
    readings: dict[str, list[Judgement]],
) -> None:
    found = of(readings["knowref.csv"], "well_formed")
    (pair,) = found.pairs
    # "Of the 124 that both have read they agree on 118 (95.2 %, Cohen's kappa 0.70)"
    assert pair.items == 124 and round((pair.observed.value or 0) * 124, 6) == 118
    assert round(pair.kappa.value or 0, 2) == 0.7
    second = next(one for one in found.raters if one.rater == "second reader")
    assert second.items == 136 and percent(second.shares["yes"]) == (90.4, 84.3, 94.3)


def test_masked_names_of_four_languages_as_the_results_state_them(
    readings: dict[str, list[Judgement]],
) -> None:
    own = [one for one in readings["masked-tuning-four.csv"] if one.question == "good"]
    for lang, good in (("de", 62), ("es", 72), ("fr", 71), ("pl", 77)):
        said = [one.answer for one in own if one.item.startswith(f"{lang} ")]
        assert (len(said), said.count("yes")) == (120, good)


def test_mentions_read_once_as_the_readme_states_them(
    readings: dict[str, list[Judgement]],
) -> None:
    first, second = of(readings["wec-mentions.csv"], "valid").raters
    assert (first.items, *percent(first.shares["yes"])) == (200, 87.5, 82.2, 91.4)
    assert (second.items, *percent(second.shares["yes"])) == (153, 88.2, 82.2, 92.4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[file]]\nname = 1\n", "[[file]] 0.name: Input should be a valid string"),
        ("[[file", "not TOML"),
        ("", "has to hold [[file]] tables"),
        ("file = 3", "[[file]] Input should be a valid array"),
        ('[[file]]\nname="../a.csv"\nitem="$id"\nrater="r"\nperson=true', "no name of a CSV file"),
        ('[[file]]\nname="a.csv"\nitem="$no"\nrater="r"\nperson=true', "no column 'no'; there are"),
        (
            '[[file]]\nname="a.csv"\nitem="$"\nrater="r"\nperson=true',
            "a.csv:2: Invalid placeh",
        ),
        ('[[file]]\nname="a.csv"\nitem="$id"\nrater="$empty"\nperson=true', "a.csv:2: rater is em"),
        ('[[file]]\nname="b.csv"\nitem="$id"\nrater="r"\nperson=true', "b.csv: cannot be opened"),
    ],
)
def test_a_bad_description_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.csv").write_text("id,empty,ok\n1,,1\n")
    path = tmp_path / "answers.toml"
    path.write_text(text + ('\nquestions = { valid = "ok" }\n' if "csv" in text else ""))
    with pytest.raises(DataError) as caught:
        list(answer_tables.read(path))
    assert said in str(caught.value)


def test_a_ragged_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.toml"
    path.write_text('[[file]]\nname="a.csv"\nitem="$id"\nrater="r"\nperson=true\n')
    (tmp_path / "a.csv").write_text("id,ok\n1\n")
    with pytest.raises(DataError, match=r"a\.csv:2: 1 cells for 2 columns"):
        list(answer_tables.read(path))
    (tmp_path / "a.csv").write_text("id,id\n1,2\n")
    with pytest.raises(DataError, match="a column's name is there twice"):
        list(answer_tables.read(path))
