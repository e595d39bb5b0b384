"""Names of spans, and clusters that are joined by them."""

from __future__ import annotations

import pytest

from corefmill.coref_model.documents.agreement import (
    MAN,
    NONE,
    UNKNOWN,
    WOMAN,
    SpanName,
    find_name,
    join_by_name,
)


@pytest.mark.parametrize(
    ("span", "name"),
    [
        ("Mr. Darcy", SpanName(("darcy",), MAN, True)),
        ("Mrs . Bennet 's", SpanName(("bennet",), WOMAN, True)),
        ("the old Tom Sawyer", SpanName(("tom", "sawyer"), MAN)),
        ("Maria", SpanName(("maria",), WOMAN)),
        ("Dr. Maria Lopez", SpanName(("maria", "lopez"), WOMAN)),
        ("the Bank of England", SpanName(("bank", "of", "england"), UNKNOWN)),
        ("the king of France", NONE),
        ("Ann and Eve", NONE),
        ("Ann Lee , a nurse", NONE),
        ("Ann 's dog", NONE),
        ("She", NONE),
        ("I", NONE),
        ("The", NONE),
        ("the", NONE),
        ("", NONE),
    ],
)
def test_the_name_of_a_span(span: str, name: SpanName) -> None:
    assert find_name(span.split()) == name


def _names(*clusters: str) -> list[list[SpanName]]:
    return [[find_name(span.split()) for span in own.split("; ")] for own in clusters]


@pytest.mark.parametrize(
    ("clusters", "home"),
    [
        (("Ann; she", "Eve", "Ann; her"), [0, 1, 0]),
        (("Mr. Darcy", "Darcy; he"), [0, 0]),
        (("Mr. Bennet", "Mrs. Bennet"), [0, 1]),
        (("John Smith; John", "John Brown; John"), [0, 1]),
        (("John Smith; John", "John Brown; he", "John Brown; John"), [0, 1, 1]),
        (("the dog", "the dog"), [0, 1]),
        (("Ann Lee", "Ann Lee; Ann", "Ann"), [0, 0, 0]),
    ],
)
def test_clusters_that_share_a_name_are_one(clusters: tuple[str, ...], home: list[int]) -> None:
    assert join_by_name(_names(*clusters)) == home
