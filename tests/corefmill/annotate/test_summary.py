"""What is reported of a question: shares, agreement, models beside people."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from scipy.stats import binomtest, norm

from corefmill.annotate import summary
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.summary import (
    PoweredMean,
    QuestionSummary,
    SummarySettings,
    alternative_test,
    powered_mean,
)
from corefmill.corpora.files.errors import DataError, UsageError

QUICK = SummarySettings(rounds=50)


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
    ((question, own),) = summary.group_by_question(
        [one for rater in raters for one in rater]
    ).items()
    return summary.summarise(question, own, settings)


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
    assert model.test is not None and model.test.passes


def test_a_rater_cannot_be_both() -> None:
    with pytest.raises(DataError, match="rater 'ada' is a person in one judgement and a model"):
        summary.group_by_question([*said("ada", "y"), *said("ada", "-y", person=False)])


# Drawn with right answers in 90, 80, 85 and, for the model, 88 %.
PEOPLE = {
    "ann": "100110101111111111101011111011111111110100101011101010110101",
    "bea": "100110100101110110111110101010101110110111001011111111110001",
    "cem": "001100100111111100001111111101111111010100101011101100110100",
}
MODEL = dict(enumerate("100110100111111100101111110011111011110110101011111111101101"))
SAID = {str(item): answer for item, answer in MODEL.items()}


def people(without: bool = True) -> dict[str, dict[str, str]]:
    """What each said, without every seventh item if asked for."""
    return {
        name: {
            str(item): answer
            for item, answer in enumerate(row)
            if not without or (item + 3 + ord(name[0])) % 7
        }
        for name, row in PEOPLE.items()
    }


# github.com/nitaytech/AltTest at 18428b1, alt_test(..., "accuracy"). The same program and this one
# agree on all 30 results for the paper's wax, lgbteen, mtbench, framing and cebab_aspects.
@pytest.mark.parametrize(("epsilon", "rate"), [(0.0, 0.0), (0.1, 1.0)])
def test_as_the_authors_program_computes_it(epsilon: float, rate: float) -> None:
    found = alternative_test(people(), SAID, epsilon=epsilon)
    assert found.winning_rate == rate and found.passes == (rate == 1)
    assert found.advantage == pytest.approx(0.9224484665661136, abs=1e-12)
    assert found.items == 60
    if epsilon == 0.1:  # p by scipy 1.17.1, ttest_1samp(..., alternative="less")
        assert [one.items for one in found.against] == [52, 52, 51]
        tested = [one.p for one in found.against]
        assert tested == pytest.approx(
            [0.012075462795064565, 0.0018612609453537011, 0.01479527491426614], abs=1e-12
        )


def test_the_share_of_items_is_a_tie_for_both() -> None:
    same = dict.fromkeys(PEOPLE, SAID)
    found = alternative_test(same, SAID)
    assert [(one.model, one.person, one.p) for one in found.against] == [(1.0, 1.0, 0.0)] * 3
    assert found.passes
    contrary = {item: "1" if answer == "0" else "0" for item, answer in SAID.items()}
    lost = alternative_test(same, contrary)
    assert (lost.winning_rate, lost.advantage, lost.passes) == (0, 0, False)


def few(answers: Mapping[str, Mapping[str, str]], number: int) -> dict[str, dict[str, str]]:
    return {name: dict(list(said.items())[:number]) for name, said in answers.items()}


def test_too_few_people_or_items_are_refused() -> None:
    two = {name: said for name, said in people().items() if name != "cem"}
    with pytest.raises(UsageError, match=r"3 people of 30 items each and 50 items.*are 2 and 44"):
        alternative_test(two, SAID)
    with pytest.raises(UsageError, match="there are 2 and 44"):
        alternative_test(two, SAID, least_people=2)
    whole = few(people(without=False), 50)
    assert alternative_test({k: whole[k] for k in ("ann", "bea")}, SAID, least_people=2).items == 50
    with pytest.raises(UsageError, match="there are 3 and 49"):
        alternative_test(few(whole, 49), SAID)
    with pytest.raises(UsageError, match="there are 2 and 50"):
        alternative_test({**whole, "cem": few(whole, 29)["cem"]}, SAID)


def bits(text: str) -> list[int]:
    return [int(bit) for bit in text]


# People's answers, a model's votes on the same items, its votes on others; then what ppi-python
# 0.2.3 gives by ppi_mean_pointestimate, ppi_mean_ci(alpha=0.05), and the latter with lam=1.
CASES = [
    (
        "1111111101011011010111100101111110101100",
        "1110111101011111010111100101011110101100",
        "0111010011011101001111100111101100011011110111111100100110101011111101011111111100111011"
        "111111110111111111101101010011110001101110111011011111100111111100010111",
        0.7210252976190475,
        (0.6260450424356804, 0.8160055528024147),
        (0.621142477338474, 0.8413575226615259),
    ),
    (
        "011111111000100101010010011011",
        "001101101001010010101010100100",
        "111100100100001100111001110000100110010100100111000111011100000110001000101000001101010011",
        0.5666666666666667,
        (0.3893447790480072, 0.7439885542853262),
        (0.2860728960095437, 0.8694826595460117),
    ),
    (
        "0110011001000101111001101",
        "0110011001000101111001101",
        "01010110111111000011011110111000010001101100100100",
        0.52,
        (0.4069118904976757, 0.6330881095023244),
        (0.3815205342554172, 0.6584794657445828),
    ),
]


def normal(found: PoweredMean) -> tuple[float, float]:
    """The paper's interval: the normal quantile times the standard error, either way."""
    reach = float(norm.ppf(0.975)) * found.error
    return found.value - reach, found.value + reach


@pytest.mark.parametrize(("said", "votes", "more", "value", "tuned", "whole"), CASES)
def test_as_ppi_python_computes_it(
    said: str,
    votes: str,
    more: str,
    value: float,
    tuned: tuple[float, float],
    whole: tuple[float, float],
) -> None:
    arrays = (bits(said), bits(votes), bits(more))
    found = powered_mean(*arrays)
    assert found.value == pytest.approx(value, abs=1e-9)
    assert normal(found) == pytest.approx(tuned, abs=1e-9)
    assert normal(powered_mean(*arrays, power=1)) == pytest.approx(whole, abs=1e-9)
    assert 0 <= found.power <= 1


def test_without_a_model_it_is_wilsons_interval() -> None:
    for right in (0, 1, 17, 30):
        said = [1] * right + [0] * (30 - right)
        found = powered_mean(said, said, [], power=0)
        wilson = binomtest(right, 30).proportion_ci(0.95, method="wilson")
        assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=1e-12)
