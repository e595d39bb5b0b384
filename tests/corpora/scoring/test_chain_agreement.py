"""Agreement on clusters: MASI, alpha over links as nltk has it, CoNLL F1 between raters."""

from __future__ import annotations

import pytest

from corefmill.corpora.errors import DataError
from corefmill.corpora.scoring import chain_agreement
from corefmill.corpora.scoring.agreement import Estimate
from corefmill.corpora.scoring.units import ScoredDocument

# Of two documents, a letter a mention: A, B and C differ on links, C marks no b and no e.
#   d   A {ab} {cde} {f}    B {abc} {de}    C {ab} {cd} {ef}
#   e   A {gh} {ij}         B {gh} {ijk}    C {g} {hij}
MARKED = {
    "A": {"d": "ab cde f", "e": "gh ij"},
    "B": {"d": "abc de", "e": "gh ijk"},
    "C": {"d": "ab cd ef", "e": "g hij"},
}


def raters(
    marked: dict[str, dict[str, str]], documents: str = "de"
) -> dict[str, list[ScoredDocument]]:
    return {
        rater: [
            ScoredDocument(name, 0, None, [list(one) for one in text.split()])
            for name, text in own.items()
            if name in documents
        ]
        for rater, own in marked.items()
    }


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("ab", "ab", 0),
        ("", "", 0),
        ("ab", "cd", 1),
        ("", "a", 1),
        ("ab", "abc", 1 - 2 / 3 * 2 / 3),
        ("abc", "bcd", 1 - 2 / 4 / 3),
    ],
)
def test_masi(one: str, other: str, expected: float) -> None:
    assert chain_agreement.masi(frozenset(one), frozenset(other)) == pytest.approx(expected)
    assert chain_agreement.masi(frozenset(other), frozenset(one)) == pytest.approx(expected)


# nltk 3.10.4, AnnotationTask(...).alpha() with this distance, a mention of a document an item.
@pytest.mark.parametrize(
    ("documents", "expected"), [("de", 0.3009071517310894), ("d", 0.20217430207587694)]
)
def test_alpha_over_links_as_nltk_computes_it(documents: str, expected: float) -> None:
    found = chain_agreement.alpha(raters(MARKED, documents), 100, seed=0)
    assert found.value == pytest.approx(expected, abs=1e-12)
    if documents == "d":
        assert found.low is found.high is None
    else:
        assert found.low is not None and found.high is not None
        assert found.low <= expected <= found.high


def test_equal_clusters_agree_and_one_rater_says_nothing() -> None:
    same = {"A": MARKED["A"], "B": MARKED["A"]}
    assert chain_agreement.alpha(raters(same), 10, seed=0) == Estimate(1.0, 1.0, 1.0)
    alone = {"A": MARKED["A"]}
    assert chain_agreement.alpha(raters(alone), 10, seed=0) == Estimate(None, None, None)


def test_a_document_twice_is_refused() -> None:
    twice = raters(MARKED)
    twice["B"] *= 2
    with pytest.raises(DataError, match="rater 'B' has document 'd' twice"):
        chain_agreement.alpha(twice, 10, seed=0)


def test_conll_between_raters_is_of_the_documents_that_both_have() -> None:
    marked = raters({**MARKED, "D": {"f": "xy"}, "E": {"d": MARKED["A"]["d"]}})
    found = chain_agreement.conll(marked)
    assert list(found) == [("A", "B"), ("A", "C"), ("A", "E"), ("B", "C"), ("B", "E"), ("C", "E")]
    assert found["A", "E"] == 1
    turned = chain_agreement.conll(dict(reversed(marked.items())))
    assert turned["C", "A"] == pytest.approx(found["A", "C"])
    assert 0 < found["A", "B"] < 1
