"""The cards of the pipelines that ship: their example runs, and the next training keeps it."""

from __future__ import annotations

import re

import pytest

from corefmill.builders.nlp.backend import shipped_names, shipped_path
from tests.commands import ROOT

OWN = [name for name in shipped_names() if (ROOT / f"tools/pipelines/{name}_card.md").exists()]


@pytest.mark.parametrize("name", OWN)
def test_the_example_of_a_card_runs(name: str) -> None:
    card, template = (
        re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
        for path in (shipped_path(name) / "README.md", ROOT / f"tools/pipelines/{name}_card.md")
    )
    assert card and [code.replace("{{", "{").replace("}}", "}") for code in template] == card
    for code in card:
        exec(code, {})
