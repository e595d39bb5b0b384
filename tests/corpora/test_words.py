"""Words of texts with and without tokens."""

from __future__ import annotations

from corefmill.corpora.words import cut, cut_or_tokens, cut_tokens


def said(text: str, spans: list[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def test_words_and_signs_are_cut_at_borders() -> None:
    text = "Anna's half-time."
    assert said(text, cut(text, [])) == ["Anna", "'", "s", "half", "-", "time", "."]
    assert said(text, cut(text, [2])) == ["An", "na", "'", "s", "half", "-", "time", "."]


def test_tokens_with_blanks_between_stay() -> None:
    text = "The Women 's half-time did n't end ."
    assert said(text, cut_or_tokens(text, [])) == text.split()
    assert said(text, cut_or_tokens(text, [19])) == [
        "The", "Women", "'s", "half-t", "ime", "did", "n't", "end", ".",
    ]  # fmt: skip


def test_tokens_are_cut_at_borders_within_them_alone() -> None:
    tokens = [(0, 4), (5, 14)]
    assert cut_tokens(tokens, []) == tokens
    assert cut_tokens(tokens, [0, 4, 5, 14]) == tokens
    assert cut_tokens(tokens, [11, 2, 7, 11]) == [(0, 2), (2, 4), (5, 7), (7, 11), (11, 14)]
