"""The rules without learning that stand beside the pointer."""

from __future__ import annotations

import pytest

from benchmarks.pointer import Rule
from corefmill.builders.nlp import load
from tests.coref_model.masked.passages import example

NEITHER = example("Ann told Eve that Joan slept, for she was ill.", "she", "Eve", "Joan", "Ann")


@pytest.mark.parametrize(("name", "choice"), [("first", 2), ("nearest", 1)])
def test_a_rule_takes_the_name_in_its_place(name: str, choice: int) -> None:
    (answer,) = Rule(name).answers([NEITHER])
    assert answer.choice == choice


def test_the_rule_of_roles_takes_the_last_in_the_pronoun_s_role() -> None:
    one = example("Martha told Helen that she had lost the letter.", "she", "Martha", "Helen")
    (answer,) = Rule("same role", load("en_mini", "en")).answers([one])
    assert answer.choice == 0
