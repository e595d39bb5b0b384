"""Rows of a corpus of several languages: all together, within each, and across them."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch")

from corefmill.coref_model.evaluation.events import score_mentions
from corefmill.coref_model.evaluation.rows import ScoreRow
from tests.coref_model.evaluation.answering import split
from tests.coref_model.pairs.made import mention


def scored(*found: tuple[str, str, int]) -> list[ScoreRow]:
    """The rows of mentions, each given as its language, its cluster and the predicted one."""
    mentions = [
        ("", replace(mention("flood", cluster, ident=str(n)), lang=lang))
        for n, (lang, cluster, _) in enumerate(found)
    ]
    labels = {str(n): label for n, (*_, label) in enumerate(found)}
    return score_mentions(mentions, labels, split("wec"), "gold mentions")


def test_rows_within_and_across_languages() -> None:
    """Key a {en en it} b {en it}; response {en en} {it} {en it}."""
    rows = scored(("en", "a", 1), ("en", "a", 1), ("it", "a", 2), ("en", "b", 3), ("it", "b", 3))
    by_group: dict[str, list[ScoreRow]] = {}
    for row in rows:
        by_group.setdefault(row.group, []).append(row)
    assert list(by_group) == ["", "within en", "within it", "across languages"]
    assert [own[-1].n for own in by_group.values()] == [5, 3, 2, 3]
    # Within each language all is right.
    assert {row.score for row in by_group["within en"]} == {100.0}
    assert by_group["within it"][1].score == 100.0  # B3; MUC has no link there
    # Of three pairs across languages (two of a, one of b) one is found, and none that is wrong.
    (across,) = by_group["across languages"]
    assert across.metric == "pairwise F1"
    assert across.score == pytest.approx(100 * 2 * (1 / 3) * 1 / (1 / 3 + 1))


def test_one_language_has_the_total_alone() -> None:
    rows = scored(("en", "a", 1), ("en", "b", 2))
    assert [row.group for row in rows] == [""] * 4
