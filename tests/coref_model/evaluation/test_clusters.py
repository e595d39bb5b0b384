"""Rows of clusters: the metrics' mean, singletons, the rule by strings, groups of languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.coref_model.evaluation.documents import join_strings, score_documents
from corefmill.coref_model.evaluation.events import score_mentions
from corefmill.coref_model.evaluation.rows import ScoreRow
from corefmill.corpora.records import Mention
from tests.coref_model.documents.made import document
from tests.coref_model.evaluation.answering import split
from tests.coref_model.pairs.made import mention


@pytest.mark.parametrize(("singletons", "score"), [("keep", 80.0), ("drop", 100.0)])
def test_singletons_count_as_is_said(singletons: str, score: float) -> None:
    # Key {a b} {c}, response {a b}: B3 recall 2/3, precision 2/2.
    found = score_documents(
        [document("a b c", clusters=[[(0, 0, 1), (0, 1, 2)], [(0, 2, 3)]])],
        [document("a b c", clusters=[[(0, 0, 1), (0, 1, 2)]])],
        split("litbank"),
        "predicted mentions",
        singletons="keep" if singletons == "keep" else "drop",
    )
    assert found[1].score == pytest.approx(score)
    assert "singletons" in found[1].protocol


def test_mentions_of_one_string_are_one_cluster_case_aside() -> None:
    """Zero mentions have no words and stay alone."""
    zeros = Mention(1, 0, 0, zero=True), Mention(1, 1, 1, zero=True)
    one = document(
        "She saw the new baker", "she ran", clusters=[[(0, 0, 1), (0, 2, 5)], [(1, 0, 1), *zeros]]
    )
    (made,) = join_strings([one])
    assert made.clusters == (
        (Mention(0, 0, 1), Mention(1, 0, 1)),
        (Mention(0, 2, 5),),
        *((zero,) for zero in zeros),
    )


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
    rows = scored(("en", "a", 1), ("en", "a", 1), ("en", "b", 2))
    assert [(row.group, row.score) for row in rows] == [("", 100.0)] * 4
    assert {row.n for row in rows} == {3} and not rows[0].counts
    assert [row.metric for row in rows] == ["MUC F1", "B3 F1", "CEAFe F1", "CoNLL F1"]
