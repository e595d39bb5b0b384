"""What a corpus says of its licence, as SPDX names it."""

from __future__ import annotations

import pytest

from corefmill.corpora.licences import spdx


@pytest.mark.parametrize(
    ("licence", "known"),
    [
        ("cc-by-sa-4.0 or apache-2.0", ["CC-BY-SA-4.0", "Apache-2.0"]),
        ("CC BY-SA 4.0", ["CC-BY-SA-4.0"]),
        ("CC0 1.0", ["CC0-1.0"]),
        ("CC BY-NC-SA 4.0 (en), CC BY-SA 3.0 (it)", ["CC-BY-NC-SA-4.0", "CC-BY-SA-3.0"]),
        ("that of the texts", []),
        ("Texte mit Namen", []),
    ],
)
def test_licences_have_their_spdx_identifier(licence: str, known: list[str]) -> None:
    assert spdx(licence) == known
