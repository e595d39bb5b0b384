"""The alt-test, as the authors' own program computes it, and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from corefmill.annotate.alternative import alternative_test
from corefmill.corpora.errors import UsageError

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
@pytest.mark.parametrize(("epsilon", "rate"), [(0.0, 0.0), (0.1, 1.0), (0.2, 1.0)])
def test_as_the_authors_program_computes_it(epsilon: float, rate: float) -> None:
    found = alternative_test(people(), SAID, epsilon=epsilon)
    assert found.winning_rate == rate and found.passed == (rate == 1)
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
    assert found.passed
    contrary = {item: "1" if answer == "0" else "0" for item, answer in SAID.items()}
    lost = alternative_test(same, contrary)
    assert (lost.winning_rate, lost.advantage, lost.passed) == (0, 0, False)


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
    with pytest.raises(UsageError, match="takes 2 people or more"):
        alternative_test(whole, SAID, least_people=1)
