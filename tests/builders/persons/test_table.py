"""A language's words: what ships, what is empty, what is refused."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from corefmill.builders.persons import table


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that takes the place of the shipped tables."""
    monkeypatch.setattr(
        "corefmill.builders.persons.table.resources.files", lambda package: tmp_path
    )
    (tmp_path / "tables").mkdir()
    return tmp_path / "tables"


NOT_ENGLISH = {
    "thing_pronouns",
    *("prepositions", "landed_titles", "elided", "elided_e", "subject_articles"),
    "speech_dashes",
    *("articles", "particles", "nouns", "thing_endings", "male_endings", "female_endings"),
    *("declensions", "female_nominatives", "title_forms"),
}


def test_english_has_every_key() -> None:
    english = table.load("en")
    assert {
        field.name for field in fields(table.PersonWords) if not getattr(english, field.name)
    } == NOT_ENGLISH
    assert "Mr." in english.titles and "Mr." in english.no_names_or_titles
    assert english.no_names == english.never_names | english.never_persons


@pytest.mark.parametrize(
    ("lang", "lacking"), [("de", set()), ("nl", set()), ("pl", {"possessive"})]
)
def test_german_dutch_and_polish_have_the_keys_of_english(lang: str, lacking: set[str]) -> None:
    words = table.load(lang)
    keys = {field.name for field in fields(table.PersonWords)} - NOT_ENGLISH
    assert {key for key in keys if not getattr(words, key)} == lacking
    assert words.male_titles | words.female_titles <= words.titles
    assert words.married_titles <= words.female_titles
    assert not words.male_titles & words.female_titles


def test_a_language_without_a_table_has_an_empty_one() -> None:
    assert table.load("xx-no-such") == table.PersonWords()


def test_a_table_may_leave_keys_out(tables: Path) -> None:
    (tables / "yy.toml").write_text('titles = ["Sior"]\n', "utf-8")
    assert table.load("yy") == table.PersonWords(titles=frozenset({"Sior"}))


def test_a_filter_without_words_is_idle() -> None:
    @table.requires("titles")
    def stops(view: object) -> bool:
        return True

    filters = {"stops": stops, "wordless": len}
    assert table.idle(("stops", "wordless"), filters, "xx-no-such") == ("stops",)
    assert table.idle(("wordless",), filters, "xx-no-such") == ()
    assert table.idle(("stops", "wordless"), filters, "en") == ()
