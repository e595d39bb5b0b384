"""The language of a text."""

from __future__ import annotations

import sys

import pytest

from corefmill.corpora import text_language
from corefmill.corpora.text_language import detect_language, other_language

pytest.importorskip("py3langid", reason="needs the extra build or train")

ENGLISH = (
    "The ferry had left before the sisters reached the harbour. Clara sat down on her suitcase and"
    " counted what money was left, while her brother went to ask the harbour master whether there"
    " would be another boat that evening. He came back smiling and shook his head."
)
ITALIAN = (
    "Il traghetto era partito prima che le sorelle arrivassero al porto. Clara si sedette sulla"
    " valigia e contò i soldi che le erano rimasti, mentre suo fratello andava a chiedere al"
    " comandante se quella sera ci sarebbe stata un'altra nave. Tornò sorridendo e scosse la testa."
)


@pytest.mark.parametrize(("text", "lang"), [(ENGLISH, "en"), (ITALIAN, "it")])
def test_the_language_and_how_certain_it_is(text: str, lang: str) -> None:
    found = detect_language(text)
    assert found is not None and found[0] == lang and found[1] > 0.9


@pytest.mark.parametrize("text", ["", ITALIAN[:150], "1,234 - 5,678\n" * 100])
def test_nothing_is_said_of_what_is_short_or_no_text(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    ("text", "lang", "other"),
    [
        (ITALIAN, "en", "it"),
        (ENGLISH, "it", "en"),
        (ENGLISH, "simple", None),
        (ENGLISH, "en-GB", None),
        (ITALIAN, "it", None),
        (ITALIAN, "lmo", None),  # not known, so that its neighbour is no finding
        (ITALIAN, "simple", "it"),
    ],
)
def test_another_language_than_the_one_named(text: str, lang: str, other: str | None) -> None:
    assert other_language(text, lang) == other


def test_without_the_library_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid.langid", None)
    monkeypatch.setattr(text_language, "_identifier", text_language._identifier.__wrapped__)
    assert detect_language(ENGLISH) is None
