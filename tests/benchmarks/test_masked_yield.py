"""The table of what is lost on the way to masked names, from counts."""

from __future__ import annotations

from collections import Counter

from benchmarks.masked_yield import Yield, rows


def test_counts_are_per_million_words_and_rare_filters_together() -> None:
    found = Yield(
        novels=2,
        words=500_000,
        named=5_000,
        again=400,
        drafts_of_all=110,
        listed=200,
        listed_found=150,
        drafts=100,
        examples=60,
        rejects=Counter(quoted=38, length=1, styled=1),
    )
    assert list(rows([found])) == [
        ("novels", "2"),
        ("thousands of words", "500"),
        ("persons named", "10,000.0"),
        ("named again within two sentences", "800.0"),
        ("with somebody else before (drafts)", "220.0"),
        ("given names of the table", "200"),
        ("of these in no name found, %", "25"),
        ("lost to the prefilter", "20.0"),
        ("drafts of a build", "200.0"),
        ("quoted", "76.0"),
        ("other filters", "4.0"),
        ("examples", "120.0"),
        ("of the drafts, %", "60"),
    ]
