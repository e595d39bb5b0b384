"""Given names have genders by language, texts a language, and words."""

from __future__ import annotations

import sys

import pytest

from corefmill.corpora import languages
from corefmill.corpora.languages import detect_language, foreign_language, other_language
from corefmill.corpora.words import cut, cut_or_tokens, cut_tokens


@pytest.mark.parametrize(
    ("name", "lang", "gender"),
    [
        ("AnNa", None, "female"),
        ("john", "en", "male"),
        ("Andrea", "it", "male"),  # the language decides
        ("Andrea", "en", "female"),
        ("Jean", "fr", "male"),
        ("Jean", "en", "mostly_female"),
        ("Leslie", "en", "andy"),
        ("Smith", "en", "unknown"),  # a surname in one English list
        ("Billy", "en", "male"),  # of both in Faker's English lists, of one in ours
        ("Turiddu", "it", "male"),  # of our own Italian and Polish names
        ("Jagienka", "pl", "female"),
        ("Astrid", "nb", "female"),  # Bokmål has the Norwegian lists
        ("xyzzy", "en", "unknown"),
        ("", "en", "unknown"),
    ],
)
def test_a_name_has_a_gender(name: str, lang: str | None, gender: str) -> None:
    assert languages.gender_of_name(name, lang) == gender


@pytest.mark.parametrize(
    ("name", "lang", "frequent"),
    [
        ("Harry", "en", True),
        ("Eustace", "en", False),  # in one list of the English-speaking countries
        ("Giulia", "it", True),  # there is one Italian list
        ("Harry", "it", False),
        ("Xyzzy", "en", False),
        ("Harry", "xx", False),
    ],
)
def test_how_frequent_a_name_is(name: str, lang: str, frequent: bool) -> None:
    assert languages.is_frequent_name(name, lang) is frequent


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
    monkeypatch.setattr(languages, "_identifier", languages._identifier.__wrapped__)
    assert detect_language(ENGLISH) is None


@pytest.mark.parametrize(
    ("text", "lang", "other"),
    [
        ("Der Mann sah die Frau.", "en", "de"),
        ("Der Mann sah die Frau.", "de", None),
        ("Der Mann sah die Frau.", "de-AT", None),
        ("Marie a vu Paul, qui ne lui a pas souri.", "en", "fr"),
        ("Maria vide Paolo nella casa e non gli sorrise.", "es", "it"),
        ("María lo vio y le dio el libro.", "en", "es"),
        ("A menina viu o cão e não lhe deu nada.", "es", "pt"),
        ("Hij zag haar niet en liep naar het huis.", "de", "nl"),
        ("Ona nie była w domu, gdy przyszedł jej brat.", "en", "pl"),
        ("She saw him and he smiled at her.", "de", "en"),
        ("She saw him and he smiled at her.", "simple", None),
        ("Иван видел Анну.", "en", "ru"),
        ("太郎は店に行った。", "it", "ja"),
        ("Ann met Eve.", "en", None),  # too short to tell
        ("La La Land", "en", None),
        ("Guillermo del Toro met the mayor of Los Angeles.", "en", None),
        ("Dr. Who, Vol. 2, No. 5: Berlin, München, Köln", "en", None),
        ("They sang “La vie en rose” and then left.", "en", None),
        ("The character 字 is in it.", "en", None),
        ("", "en", None),
    ],
)
def test_a_few_words_do_not_look_like_the_language(text: str, lang: str, other: str | None) -> None:
    assert foreign_language(text, lang) == other
