"""Spanish rules, articles and enclitics."""

from __future__ import annotations

import pytest

from corefmill.rules.es import rules
from corefmill.rules.es.writing import before_enclitic
from corefmill.rules.rule import KeyedMention, refine, text
from tests.rules.trees import cases, utterance


def mended(words: str, **written: str) -> str:
    return text(refine(utterance(words, **written), rules("clean"))[0])


def test_a_subject_pronoun_goes_and_a_possessive_agrees() -> None:
    given = utterance(
        "Ella/él/who.fs3/3/nsubj ha/haber/aux.s3r/3/aux visto/ver/part/0/root a/a/prep/6/case "
        "su/su/poss.s/6/det hijos/hijo/noun.mp/3/obj",
        [("1", 0, 1), ("1", 4, 5)],
    )
    mended, _ = refine(given, rules("paper"))
    assert text(mended) == "Ha visto a sus hijos"
    assert mended.mentions == (KeyedMention("1", 0, 1), KeyedMention("1", 3, 4))
    assert refine(given, rules("clean"))[0] == mended


@pytest.mark.parametrize(
    ("verb", "stays"),
    [
        ("cantaba/cantar/v.s1i", True),
        ("canto/cantar/v.s1r", False),
    ],
)
def test_yo_stays_before_a_form_that_is_also_the_third_persons(verb: str, stays: bool) -> None:
    given = utterance(f"Yo/yo/who.s1/2/nsubj {verb}/0/root")
    assert (refine(given, rules("clean"))[0] == given) is stays


@pytest.mark.parametrize(("pronoun", "after"), [("ello", "Es verdad ?"), ("él", "Es él verdad ?")])
def test_what_says_nothing_new_goes_from_behind_a_verb_too(pronoun: str, after: str) -> None:
    given = utterance(
        f"Es/ser/aux.s3r/3/cop {pronoun}/él/who.s3/3/nsubj verdad/verdad/noun.fs/0/root"
        " ?/?/punct/3/punct",
        [("1", 1, 2)],
    )
    mended, _ = refine(given, rules("clean"))
    assert (text(mended), len(mended.mentions)) == (after, 1)


DEL = (
    "Habla/hablar/v.s3r/0/root de/de/prep/5/case el/el/the/5/det nuestra/nuestro/poss/5/det "
    "amigo/amigo/noun.ms/1/obl"
)


def test_an_article_before_a_possessive_goes_and_leaves_its_preposition() -> None:
    given = utterance(DEL, [("1", 2, 5)], w2_3="del")
    after = refine(given, rules("clean"))[0]
    assert text(after) == "Habla de nuestro amigo"
    assert after.mentions == (KeyedMention("1", 2, 4),)
    without = rules("clean", without=["needless-article"])
    assert text(refine(given, without)[0]) == "Habla del nuestro amigo"
    assert text(refine(given, rules("paper"))[0]) == "Habla del nuestro amigo"


@pytest.mark.parametrize(
    ("words", "after"),
    [
        # demonstratives agree
        *cases(
            "{}/este/this/2/det {}/x/noun.{}/0/root",
            "esta|hombre|ms|este hombre; este|agua|fs|esta agua; Aquel|casas|fp|Aquellas casas; "
            "esos|días|mp|esos días; este|viernes|m|este viernes",
        ),
        # an article has the gender that its noun shows
        *cases(
            "{0}/el/art/2/det {1}/{1}/noun.{2}/0/root",
            "la|problema|ms|el problema; una|programas|mp|un programas; "
            "los|ciudades|fp|las ciudades; El|casa|fs|La casa; el|agua|fs|el agua; "
            "el|delta|ms|el delta; la|frente|ms|la frente; la|ESO|ms|la ESO; el|serie|s|la serie; "
            "los|escitas|p|los escitas; los|azulgrana|fs|los azulgrana; el|Celta|s|el Celta; "
            "el|defensa|fs|el defensa",
        ),
        # a day that is not the verb's only subject, two persons, a clitic before a pronoun
        (
            "Este/este/this.ms/2/det martes/martes/noun.ms/3/nsubj votan/votar/v.p3/0/root "
            "ellas/él/who.fp3/3/nsubj",
            "Este martes votan ellas",
        ),
        (
            "Mientras/mientras/that/3/mark ellos/él/who.mp3/3/nsubj ayunan/ayunar/v.p3/5/advcl "
            "él/él/who.ms3/5/nsubj cena/cenar/v.s3/0/root",
            "Mientras ellos ayunan él cena",
        ),
        ("Lo/él/pron/2/det ella/él/who.fs3/3/nsubj sabe/saber/v.s3/0/root", "Lo sabe"),
        # pronouns after a preposition
        *cases(
            "Habla/hablar/v.s3r/0/root {}/x/prep/3/case {}/x/who/1/obl",
            "a|yo|Habla a mí; de|tú|Habla de ti; con|yo|Habla conmigo; con|mí|Habla conmigo; "
            "con|ti|Habla contigo; con|sí|Habla consigo; según|yo|Habla según yo; "
            "a|ella|Habla a ella; con|él|Habla con él",
        ),
        # a dative before an accusative
        *cases(
            "{}/él/pron/3/iobj {}/él/{}/3/obj da/dar/v.s3r/0/root",
            "le|lo|pron|se lo da; Les|las|pron|Se las da; me|lo|pron|me lo da; le|la|det|le la da",
        ),
        # conjunctions fit the next sound
        *cases(
            "Ana/Ana/name/0/root {}/y/and/3/cc {}/x/name/1/conj",
            "y|Isabel|Ana e Isabel; y|hijos|Ana e hijos; y|hierro|Ana y hierro; e|Juan|Ana y Juan; "
            "y|yo|Ana y yo; o|hoy|Ana u hoy; o|Óscar|Ana u Óscar; u|María|Ana o María; "
            "y|B.|Ana y B.; y|8|Ana y 8",
        ),
        # el and un before a stressed a
        *cases(
            "{0}/el/the/2/det {1}/{1}/noun.{2}/0/root",
            "La|agua|fs|El agua; una|hacha|fs|un hacha; la|amiga|fs|la amiga; "
            "las|aguas|fp|las aguas; la|harina|fs|la harina",
        ),
    ],
)
def test_sentences_of_clean_mode(words: str, after: str) -> None:
    assert mended(words) == after


def test_a_dative_before_an_accusative_after_the_verb() -> None:
    rows = (
        "Quiere/querer/v.s3/0/root dar/dar/inf/1/xcomp le/él/pron/2/iobj lo~/él/pron/2/obj "
        "././punct/1/punct"
    )
    assert mended(rows, w2_4="dárlelo") == "Quiere dárselo."


@pytest.mark.parametrize(
    ("words", "after"),
    cases(
        "Va/ir/v.s3r/0/root {}/x/prep/4/case {}/el/the/4/det {}/x/{}.ms/1/obl",
        "a|el|mar|noun|Va al mar; de|el|mar|noun|Va del mar; de|la|agua|noun|Va del agua; "
        "a|la|casa|noun|Va a la casa; a|El|Cairo|name|Va a El Cairo; con|el|mar|noun|Va con el mar",
    ),
)
def test_a_preposition_and_el_are_one_word(words: str, after: str) -> None:
    given = utterance(words, [("1", 2, 4)])
    mended = refine(given, rules("clean"))[0]
    assert text(mended) == after
    assert mended.mentions == given.mentions


@pytest.mark.parametrize(
    ("kind", "verbs", "written"),
    [
        ("Inf", "ver oír", "ver oír"),
        ("Ger", "viendo mirando leyendo", "viéndo mirándo leyéndo"),
        ("Fin", "toma cuenta trae cuida oiga pon", "tóma cuénta tráe cuída óiga pon"),
    ],
)
def test_a_verb_has_its_accent_before_an_enclitic(kind: str, verbs: str, written: str) -> None:
    assert [before_enclitic(verb, kind) for verb in verbs.split()] == written.split()
