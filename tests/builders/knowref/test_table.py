"""The languages' words: what ships, what is refused."""

from __future__ import annotations

import pytest

from corefmill.builders.knowref import table
from corefmill.corpora.files.errors import UsageError

LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pl", "pt")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_are_of_one_gender_and_come_once(lang: str) -> None:
    words = table.load(lang)
    for names in (words.male_names, words.female_names):
        assert len(set(names)) == len(names) > 50
    assert not set(words.male_names) & set(words.female_names)
    assert not set(words.male_pronouns) & set(words.female_pronouns)
    assert not words.male_people & words.female_people


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_word_has_one_place(lang: str) -> None:
    words = table.load(lang)
    joining = (*words.connectives, *words.more_connectives, *words.close_connectives)
    assert len(set(joining)) == len(joining)
    pronouns = {*words.male_pronouns, *words.female_pronouns}
    assert words.also_plural | words.also_other <= pronouns


def test_connectives_match_by_word_and_the_longest_first() -> None:
    pattern = table.load("en").connective
    assert [m.group() for m in pattern.finditer("orb so-so even though if, button")] == [
        "even though",
        "if",
    ]


def test_a_language_without_a_table_is_refused() -> None:
    with pytest.raises(
        UsageError,
        match=r"pronouns of 'tlh'.*there are de, en, es, fr, it, nl, pl, pt",
    ):
        table.load("tlh")
