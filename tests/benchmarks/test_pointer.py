"""The rules without learning that stand beside the pointer."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from benchmarks.pointer import scores
from corefmill.builders.nlp import load
from corefmill.builders.nlp.roles import roles
from corefmill.coref_model.evaluation.rows import EvaluationOptions
from corefmill.coref_model.masked.baselines import BY_TEXT, SameRole
from corefmill.corpora import find
from tests.coref_model.masked.passages import example

NEITHER = example("Ann told Eve that Joan slept, for she was ill.", "she", "Eve", "Joan", "Ann")


@pytest.mark.parametrize(("name", "choice"), [("first candidate", 2), ("nearest candidate", 1)])
def test_a_rule_takes_the_name_in_its_place(name: str, choice: int) -> None:
    (answer,) = BY_TEXT[name].answers([NEITHER])
    assert answer.choice == choice


def test_the_rule_of_roles_takes_the_last_in_the_pronoun_s_role() -> None:
    one = example("Martha told Helen that she had lost the letter.", "she", "Martha", "Helen")
    (answer,) = SameRole(partial(roles, load("en_mini", "en"))).answers([one])
    assert answer.choice == 0


def test_rows_are_the_answerer_s_own(tmp_path: Path) -> None:
    """Those of the rules that evaluation puts beside it would stand under the same names."""
    path = tmp_path / "problems.txt"
    path.write_text("Ann saw Eve as she left.\nshe\nAnn,Eve\nAnn\n\n")
    asked = [find.found(str(path), data_dir=tmp_path)]
    made = scores(BY_TEXT["first candidate"], asked, EvaluationOptions())
    assert [(row.by, row.score) for row in made] == [("the model", 100.0)]
