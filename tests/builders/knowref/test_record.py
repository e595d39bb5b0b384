"""Names are drawn by seed and sentence, and every offset moves along; the languages' words."""

from __future__ import annotations

import hashlib

import pytest

from corefmill.builders.knowref import table
from corefmill.builders.knowref.record import digest, draw_names, rename_persons
from corefmill.builders.persons import table as names_table
from corefmill.corpora.files.errors import UsageError

EN = table.load("en")
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pl", "pt")


def test_names_depend_on_seed_and_sentence_alone() -> None:
    assert digest("Ann met Bea .") == hashlib.sha224(b"Ann met Bea .").hexdigest()
    one = draw_names("Ann met Bea.", "female", EN, 7)
    assert one == draw_names("Ann  met Bea.", "female", EN, 7)
    assert one != draw_names("Ann met Bea.", "female", EN, 8)
    assert set(one) <= set(EN.female_names) and len(set(one)) == 2
    assert set(draw_names("Ann met Bea.", "male", EN, 7)) <= set(EN.male_names)
    # Names of the sentence are not drawn.
    sentence = " ".join(EN.female_names[2:])
    assert set(draw_names(sentence, "female", EN, 0)) == set(EN.female_names[:2])


def test_names_go_with_the_word_before() -> None:
    said = [("it", "Disse ad Anna che Bea rideva.", 9), ("fr", "Le chien de Marie suivit Bea.", 12)]
    for lang, text, start in said:
        words = table.load(lang)
        other = text.index("Bea")
        mentions = [(0, start, text.index(" ", start)), (1, other, other + 3)]
        plain, vowels = set[bool](), set[bool]()
        for seed in range(40):
            first, second = draw_names(text, "female", words, seed, mentions)
            vowels.add(words.goes_behind("ad", first) and words.goes_behind("de", first))
            plain.add(second[0] in "AEÉIOU")
        assert vowels == {True} and plain == {True, False}  # the other is free
    # Where no name goes with the word before, any is taken.
    words = table.load("it")
    text = "ad Bea " + " ".join(name for name in words.female_names if name[0] in "AEI")
    names = draw_names(text, "female", words, 0, [(0, 3, 6)])
    assert len(set(names)) == 2 and not words.goes_behind("ad", names[0])


def test_names_are_replaced_where_they_stand() -> None:
    made = rename_persons(
        "Ann met Bo; she left.", [(1, (8, 10), "Al"), (0, (0, 3), "Joanna")], [(12, 15)]
    )
    assert made == ("Joanna met Al; she left.", [(0, 0, 6), (1, 11, 13)], [(15, 18)])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_word_of_a_language_has_one_place(lang: str) -> None:
    words = table.load(lang)
    for given in (words.male_names, words.female_names):
        assert len(set(given)) == len(given) > 50
    assert not set(words.male_names) & set(words.female_names)
    names = names_table.load(lang)  # has a table of pronouns of its own
    male = {*words.male_pronouns, *names.male_pronouns}
    assert not male & {*words.female_pronouns, *names.female_pronouns}
    assert not words.male_people & words.female_people
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
    message = r"'tlh' has no table of pronouns.*one of de, en, es, fr, it, nl, pl, pt"
    with pytest.raises(UsageError, match=message):
        table.load("tlh")
