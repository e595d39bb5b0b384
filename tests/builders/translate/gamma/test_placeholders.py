"""Placeholders: what is drawn, reworded and found again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product

import pytest

from corefmill.builders.translate.gamma.language import ITALIAN, SPANISH, TargetLanguage
from corefmill.builders.translate.gamma.marks import MarkLost
from corefmill.builders.translate.gamma.placeholders import (
    Failed,
    Lost,
    Placeholders,
    PlaceholderWords,
    Translated,
    find_possessed,
    find_survivors,
    try_translate,
    write_in_full,
)
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    EntityClass,
    SourceUtterance,
)
from corefmill.corpora.files.errors import DataError


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("'s/VBZ been/VBN here/RB", "has"), ("'s/VBZ just/RB changed/VBN styles/NNS", "has"),
        ("'s/VBZ not/RB displaced/VBN ./.", "is"), ("'s/VBZ happy/JJ", "is"), ("'s/VBZ", "is"),
        ("'s/POS car/NN", "'s"), ("'d/MD go/VB", "would"), ("'d/VBD gone/VBN", "had"),
        ("'ve/VBP gone/VBN", "have"),
    ],
)  # fmt: skip
def test_clitics_of_verbs_in_full(words: str, form: str) -> None:
    tokens, tags = zip(*(word.rsplit("/", 1) for word in words.split()), strict=True)
    assert write_in_full(tokens, tags, 0) == form


@pytest.mark.parametrize(
    ("tags", "end"),
    [
        ("POS NN VBN IN", 2), ("POS VBN HYPH NN NNS .", 5), ("POS NN POS NN", None),
        ("POS NN HYPH IN", None), ("POS - NN", None),
    ],
)  # fmt: skip
def test_the_phrase_that_is_owned(tags: str, end: int | None) -> None:
    assert find_possessed([None if tag == "-" else tag for tag in tags.split()], 1, []) == end


HE = EntityClass("human", "m", "s")
SHE = EntityClass("human", "f", "s")
THEY = EntityClass("human", "m", "p")
IT = EntityClass("thing", "m", "s")
WORDS = {
    ("human", "m"): ("Marco", "Luca", "Paolo", "Bruno"),
    ("human", "f"): ("Carla", "Rita"),
    ("thing", "m"): ("Linux",),
    ("thing", "f"): (),
}
SMALL = PlaceholderWords(WORDS, "and", "e")


def english(words: str, *mentions: tuple[int, int, EntityClass], tags: str = "") -> SourceUtterance:
    forms = tuple(words.split())
    places = enumerate(mentions)
    made = (ChainMention(n, start, end, entity=kind) for n, (start, end, kind) in places)
    return SourceUtterance(0, forms, tuple(tags.split()) or (None,) * len(forms), tuple(made))


class Double:
    """A translator made of a function of one text."""

    name, source, target, fingerprint = "double", "en", "it", "double"

    def __init__(self, one: Callable[[str], str | DataError]) -> None:
        self._one = one
        self.asked: list[list[str]] = []

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:
        self.asked.append(list(texts))
        return [self._one(text) for text in texts]


@pytest.mark.parametrize("language", [ITALIAN, SPANISH], ids=lambda language: language.lang)
def test_the_shipped_words_are_plain_and_stand_once(language: TargetLanguage) -> None:
    words = PlaceholderWords.load(language).words
    assert set(words) == set(product(("human", "thing"), "mf"))
    everything = [word for part in words.values() for word in part]
    assert len(everything) == len({word.casefold() for word in everything})
    assert all(len(part) >= 24 for part in words.values())
    assert all(word.isalpha() and word.isascii() and word.istitle() for word in everything)
    # No vowel, before which di and la would be elided, and e be ed; nor may y be e, and o u.
    assert not {word for word in everything if word[0] in "AEIOUHY"}


def test_each_mention_gets_a_word_of_its_class() -> None:
    kinds = [(0, 2, HE), (3, 5, EntityClass("human", "f", "p")), (6, 7, IT)]
    given = english("The boy saw the girls and it .", *kinds)
    replaced = Placeholders(SMALL).replace(given)
    (boy,), girls, (it,) = (placed.words for placed in replaced.placeholders)
    assert boy in SMALL.words["human", "m"]
    assert set(girls) == {"Carla", "Rita"}
    assert replaced.tokens == (boy, "saw", girls[0], "and", girls[1], "and", it, ".")
    assert replaced.text == f"{boy} saw {girls[0]} and {girls[1]} and {it}."
    # Mentions need not be given in the order of the text.
    turned = Placeholders(SMALL).replace(english("The boy saw the girls and it .", *kinds[::-1]))
    assert turned.tokens == replaced.tokens
    assert turned.placeholders == replaced.placeholders[::-1]


@pytest.mark.parametrize(
    ("tokens", "mention", "tags", "possessive"),
    [
        ("his car", (0, 1), "", True), ("the boy 's car", (0, 3), "", True),
        ("the boys ' car", (0, 3), "", True), ("I saw her", (2, 3), "", False),
        ("her car", (0, 1), "PRP$ NN", True), ("saw her leave", (1, 2), "VBD PRP VB", False),
        ("that is his .", (2, 3), "", False), ("the car", (0, 2), "", False),
    ],
)  # fmt: skip
def test_a_possessive_gets_its_s(
    tokens: str, mention: tuple[int, int], tags: str, possessive: bool
) -> None:
    replaced = Placeholders(SMALL).replace(english(tokens, (*mention, HE), tags=tags))
    assert replaced.placeholders[0].possessive is possessive
    assert ("'s" in replaced.tokens) is possessive
    assert len(replaced.tags) == len(replaced.tokens)
    assert ("POS" in replaced.tags) is possessive


def test_no_word_is_one_that_the_utterance_holds() -> None:
    given = english("He and MARCO and Luca's Bruno", (0, 1, HE))
    for draw in range(5):
        replaced = Placeholders(SMALL).replace(given, draw)
        assert replaced.placeholders[0].words == ("Paolo",)


def test_draws_differ_and_repeat() -> None:
    given = english("He saw him .", (0, 1, HE), (2, 3, HE))
    first, second = (Placeholders(SMALL, 7).replace(given, draw) for draw in (0, 1))
    words = [placed.words for replaced in (first, second) for placed in replaced.placeholders]
    assert len(set(words)) == 4
    assert Placeholders(SMALL, 7).replace(given, 1) == second
    others = {Placeholders(SMALL, seed).replace(given).tokens for seed in range(20)}
    assert len(others) > 1


@pytest.mark.parametrize(
    ("kind", "form", "found"),
    [
        (HE, "disse {0}.", (6, 11)), (HE, "l'auto di {0}, ieri", (10, 15)),
        (HE, "disse.", Lost.MISSING), (HE, "disse {0} a {0}", Lost.TWICE),
        (HE, "disse {0}s", Lost.CHANGED), (THEY, "{0} e {1} ridono", (0, 13)),
        (THEY, "{1} e {0} ridono", (0, 13)), (THEY, "{0} ed {1}", Lost.CHANGED),
        (THEY, "{0} e {1} e {0}", Lost.TWICE), (THEY, "ridono", Lost.MISSING),
    ],
)  # fmt: skip
def test_a_placeholder_survives_as_a_whole_word_exactly_once(
    kind: EntityClass, form: str, found: tuple[int, int] | Lost
) -> None:
    words = PlaceholderWords({**WORDS, ("human", "m"): ("Marco", "Paolo")}, "and", "e")
    replaced = Placeholders(words).replace(english("He .", (0, 1, kind)))
    translation = form.format(*replaced.placeholders[0].words)
    if isinstance(found, tuple):
        length = len(" e ".join(replaced.placeholders[0].words))
        found = (found[0], found[0] + length)
    assert find_survivors(replaced, translation) == (found,)


def test_an_utterance_is_drawn_again_until_its_words_survive() -> None:
    utterance = english("He saw her .", (0, 1, HE), (2, 3, SHE))
    first = Placeholders(SMALL).replace(utterance)
    bad = first.placeholders[0].words[0]
    translator = Double(lambda text: text.replace(bad, "Mark"))
    both = [utterance, english("Yes .")]
    one, other = try_translate(both, translator, Placeholders(SMALL))
    assert [len(batch) for batch in translator.asked] == [2, 1]
    assert isinstance(one, Translated) and isinstance(other, Translated)
    assert one.draws == 2
    own = [placed.words[0] for placed in one.replaced.placeholders]
    assert [one.text[slice(*span)] for span in one.spans] == own
    assert (other.text, other.spans, other.draws) == ("Yes.", (), 1)


def test_what_never_survives_has_a_reason_a_draw() -> None:
    utterance = english("He saw it .", (0, 1, HE), (2, 3, IT))
    tried = try_translate([utterance], Double(lambda _: "niente"), Placeholders(SMALL), 2)
    assert tried == [Failed(("missing human-m-s, missing thing-m-s",) * 2)]


def test_a_text_that_the_translator_fails_on_does_not_take_the_others_along() -> None:
    def one(text: str) -> str | DataError:
        return DataError("no answer") if "bad" in text else text

    utterances = [*map(english, ("good", "bad", "good"))]
    tried = try_translate(utterances, Double(one), Placeholders(SMALL))
    assert [type(each) for each in tried] == [Translated, Failed, Translated]
    assert tried[1] == Failed(("translator: no answer",) * 3)


def test_later_draws_reword_possessives_and_give_plurals_one_word() -> None:
    tokens, tags = "Their old car 's engine broke his leg", "PRP$ JJ NN POS NN VBD PRP$ NN"
    given = english(tokens, (0, 1, THEY), (6, 7, SHE), tags=tags)
    texts = []
    for draw in range(3):
        replaced = Placeholders(SMALL).replace(given, draw)
        assert len(replaced.tags) == len(replaced.tokens)
        they, she = (" and ".join(placed.words) for placed in replaced.placeholders)
        texts.append(replaced.text.replace(they, "THEY").replace(she, "SHE"))
        assert len(replaced.placeholders[0].words) == (2 if draw < 2 else 1)
    assert texts == [
        "THEY's old car's engine broke SHE's leg",
        *["THEY's old car's engine broke the leg of SHE"] * 2,
    ]


def test_without_rewording_the_words_alone_change() -> None:
    given = english("Their car 's here", (0, 1, THEY), tags="PRP$ NN VBZ RB")
    for draw in range(3):
        replaced = Placeholders(SMALL, rewording=False).replace(given, draw)
        assert len(replaced.placeholders[0].words) == 2
        assert replaced.tokens[3:] == ("'s", "car", "'s", "here")


def test_a_verb_behind_a_mention_is_written_in_full() -> None:
    given = english("He 's gone", (0, 1, HE), tags="PRP VBZ VBN")
    replaced = Placeholders(SMALL).replace(given)
    assert replaced.tokens[1:] == ("is", "gone")
    assert replaced.tags == ("NNP", "VBZ", "VBN")
    both = Placeholders(SMALL).replace(english("he they", (0, 1, HE), (1, 2, THEY)))
    assert len(both.tokens) == 4


def marked_english() -> SourceUtterance:
    """ "The sister of Ann saw me", of which Ann has a placeholder."""
    words = ("The", "sister", "of", "Ann", "saw", "me", ".")
    mentions = (
        ChainMention(0, 0, 4, entity=SHE, marked=True),
        ChainMention(1, 3, 4, entity=SHE),
        ChainMention(2, 5, 6, entity=HE, marked=True),
    )
    return SourceUtterance(0, words, (None,) * 7, mentions)


def test_what_has_no_placeholder_goes_in_marks() -> None:
    translator = Double(lambda text: text.replace("The sister of", "La sorella di"))
    (made,) = try_translate([marked_english()], translator, Placeholders(SMALL))
    assert isinstance(made, Translated)
    ((asked,),) = translator.asked
    assert re.fullmatch(r"<1>The sister of (Carla|Rita)</1> saw <2>me</2>\.", asked)
    word = made.text[slice(*made.spans[0])]
    assert made.text == f"La sorella di {word} saw me."
    assert [made.text[slice(*span)] for span in made.around] == [f"La sorella di {word}", "me"]


def test_marks_that_are_lost_take_no_placeholder_along() -> None:
    def without_second(text: str) -> str:
        return re.sub(r"[<\[]/?2[>\]]", "", text)

    translator = Double(without_second)
    (made,) = try_translate([marked_english()], translator, Placeholders(SMALL))
    assert isinstance(made, Translated)
    assert made.around[1] is MarkLost.MISSING
    assert (made.lost, made.draws) == (1, 1)
    assert ["[" in asked for (asked,) in translator.asked] == [False, True]

    def unmarked_alone(text: str) -> str:
        return "Piove." if "<" in text or "[" in text else text

    (made,) = try_translate([marked_english()], Double(unmarked_alone), Placeholders(SMALL))
    assert isinstance(made, Translated)
    assert (made.lost, made.draws) == (2, 4)


def test_rewording_around_a_marked_mention_keeps_its_place() -> None:
    forms = ("Ann", "'s", "car", "is", "what", "I", "'ve", "seen", ".")
    tags = ("NNP", "POS", "NN", "VBZ", "WP", "PRP", "VBP", "VBN", ".")
    mentions = (
        ChainMention(0, 0, 2, entity=SHE),
        ChainMention(1, 0, 3, entity=IT, marked=True),
        ChainMention(2, 5, 6, entity=HE, marked=True),
    )
    utterance = SourceUtterance(0, forms, tags, mentions)
    first, second = (Placeholders(SMALL).replace(utterance, draw) for draw in (0, 1))
    for replaced, expected in ((first, "[A-Z]\\w+'s car"), (second, "the car of [A-Z]\\w+")):
        car, me = (replaced.text[mark.start : mark.end] for mark in replaced.marks() if mark)
        assert re.fullmatch(expected, car)
        assert me == "I"
        assert "I have seen" in replaced.text
