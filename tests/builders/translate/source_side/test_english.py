"""English parsed on given tokens: as many tags as tokens whatever stands in them."""

from __future__ import annotations

import pytest

from corefmill.builders import nlp
from corefmill.builders.translate.source_side.english import SourceParser
from corefmill.corpora.errors import UsageError
from tests.builders.translate.running import loaded


def test_ontonotes_tokens_keep_their_number() -> None:
    given = [
        ["``", "Mary", "Smith", "-LRB-", "%pw", "-RRB-", "saw", "the", "dog", "/.", "''"],
        ["1 1/2", "\u00a0", "years"],
        ["."],
    ]
    first, *others = SourceParser(loaded("en_mini", "en")).read(given)
    assert [len(parsed.tags) for parsed in (first, *others)] == [11, 3, 1]
    assert first.tags[6:9] == ("VBD", "DT", "NN")
    assert first.names[1:3] == ("PERSON", "PERSON")
    assert not any(first.names[3:])
    assert first.root(7, 9) == 8


class _Nothing:
    name = "bare"
    version = "bare 1"

    def on_words(self, sentences: object) -> object:
        return (nlp.Analysis("a b", ((0, 1), (2, 3)), (), ()) for _ in sentences)  # type: ignore[attr-defined]


def test_a_pipeline_without_trees_is_refused() -> None:
    with pytest.raises(UsageError, match="gives no Penn tags or no tree"):
        list(SourceParser(_Nothing()).read([["a", "b"]]))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="cannot parse words that are given"):
        SourceParser(object.__new__(type("Other", (), {"name": "x"})))  # type: ignore[arg-type]
