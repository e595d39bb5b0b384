from __future__ import annotations

import pytest

from corefmill.builders.translation.protocol import as_many
from corefmill.corpora.errors import DataError


def test_one_translation_for_each_text() -> None:
    assert as_many("x", ["a", " "], ["b", ""]) == ["b", ""]
    with pytest.raises(DataError, match="x gave 1 translations of 2 texts"):
        as_many("x", ["a", "b"], ["c"])
    with pytest.raises(DataError, match="x answered nothing to 'a'"):
        as_many("x", ["a"], [" "])
