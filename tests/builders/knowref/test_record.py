"""Names are drawn by seed and sentence, and every offset moves along."""

from __future__ import annotations

import hashlib

from corefmill.builders.knowref import table
from corefmill.builders.knowref.record import digest, draw_names, rename_persons

EN = table.load("en")


def test_the_digest_is_sha224_of_the_sentence() -> None:
    assert digest("Ann met Bea .") == hashlib.sha224(b"Ann met Bea .").hexdigest()
    assert len(digest("")) == 56


def test_names_depend_on_seed_and_sentence_alone() -> None:
    one = draw_names("Ann met Bea.", "female", EN, 7)
    assert one == draw_names("Ann  met Bea.", "female", EN, 7)
    assert one != draw_names("Ann met Bea.", "female", EN, 8)
    assert set(one) <= set(EN.female_names) and len(set(one)) == 2
    assert set(draw_names("Ann met Bea.", "male", EN, 7)) <= set(EN.male_names)


def test_names_of_the_sentence_are_not_drawn() -> None:
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


def test_where_no_name_goes_with_the_word_before_it_is_taken_as_it_is() -> None:
    words = table.load("it")
    text = "ad Bea " + " ".join(name for name in words.female_names if name[0] in "AEI")
    names = draw_names(text, "female", words, 0, [(0, 3, 6)])
    assert len(set(names)) == 2 and not words.goes_behind("ad", names[0])


def test_names_are_replaced_where_they_stand() -> None:
    made = rename_persons(
        "Ann met Bo; she left.", [(1, (8, 10)), (0, (0, 3))], ("Joanna", "Al"), [(12, 15)]
    )
    assert made == ("Joanna met Al; she left.", [(0, 0, 6), (1, 11, 13)], [(15, 18)])
