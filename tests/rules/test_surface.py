from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corefmill.corpora.records import Span, Token
from corefmill.rules.rule import KeyedMention, Written, text
from tests.rules.trees import from_text, surface


def test_words_that_share_a_token_are_written_as_one() -> None:
    # della ragazza.
    words = [Token("di"), Token("la"), Token("ragazza"), Token(".")]
    found = from_text("della ragazza.", words, [(0, 5), (0, 5), (6, 13), (13, 14)])
    assert found.written == (Written(0, 2, "della"),)
    assert [token.space_after for token in found.tokens] == [False, True, False, True]
    assert text(found) == "della ragazza."


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 14, KeyedMention("a", 0, 3)),  # del presidente
        (2, 14, KeyedMention("a", 1, 3)),  # l presidente
        (4, 14, KeyedMention("a", 2, 3)),  # presidente
        (0, 2, KeyedMention("a", 0, 1)),  # de
        (5, 7, KeyedMention("a", 2, 3)),  # within a word
    ],
)
def test_a_mention_may_begin_in_a_written_token(
    start: int, end: int, expected: KeyedMention
) -> None:
    words = [Token("di"), Token("il"), Token("presidente")]
    spans = [(0, 3), (0, 3), (4, 14)]
    assert from_text("del presidente", words, spans, [("a", start, end)]).mentions == (expected,)


def test_enclitics_are_cut_where_they_begin() -> None:
    words = [Token("dire"), Token("glie"), Token("lo")]
    found = from_text("dirglielo", words, [(0, 9)] * 3, [("a", 7, 9), ("b", 3, 7)])
    assert found.mentions == (KeyedMention("a", 2, 3), KeyedMention("b", 1, 2))


def test_the_way_back() -> None:
    words = [Token("di"), Token("il"), Token("re")]
    found = surface(from_text("Del  re", words, [(0, 3), (0, 3), (5, 7)]))
    assert found.text == "Del re"
    assert found.characters(1, 2) == (0, 3)


@pytest.mark.parametrize(
    ("content", "spans", "mentions", "problem"),
    [
        ("a b", [(0, 1)], [], "no word holds"),
        ("a b", [(2, 3)], [], "does not follow"),
        ("a b", [(0, 1), (1, 2)], [], "does not follow"),
        ("a b", [(0, 3)], [("x", 1, 1)], "touches no word"),
        ("a  ", [(0, 1)], [("x", 1, 2)], "touches no word"),
    ],
)
def test_refusals(
    content: str, spans: list[Span], mentions: list[tuple[str, int, int]], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        from_text(content, [Token("w")] * len(spans), spans, mentions)


@given(st.lists(st.lists(st.text("abcè'", min_size=1, max_size=4), min_size=1, max_size=3)))
def test_a_text_comes_back(tokens: list[list[str]]) -> None:
    content, words, spans = "", [], []
    for forms in tokens:
        written = "".join(forms)
        words += [Token(form) for form in forms]
        spans += [(len(content), len(content) + len(written))] * len(forms)
        content += written + " "
    found = from_text(content, words, spans)
    assert text(found) == surface(found).text == content.removesuffix(" ")
    assert len(found.tokens) == len(words)
    assert [surface(found).characters(at, at + 1) for at in range(len(words))] == spans
