"""Spanish rules, articles and enclitics."""

from __future__ import annotations

import pytest

from corefmill.rules.es import rules
from corefmill.rules.es.writing import before_enclitic
from corefmill.rules.rule import KeyedMention, Utterance, refine, text
from tests.rules.trees import utterance

FIN = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
MS, FS = "Gender=Masc|Number=Sing", "Gender=Fem|Number=Sing"
MP, FP = "Gender=Masc|Number=Plur", "Gender=Fem|Number=Plur"
ART = "Definite=Def|PronType=Art"


def mended(rows: str, **written: str) -> str:
    return text(refine(utterance(rows, **written), rules("clean"))[0])


def test_a_subject_pronoun_goes_and_a_possessive_agrees() -> None:
    given = utterance(
        f"""
        Ella él PRON Gender=Fem|Number=Sing|Person=3|PronType=Prs 3 nsubj
        ha haber AUX {FIN} 3 aux
        visto ver VERB VerbForm=Part 0 root
        a a ADP _ 6 case
        su su DET Number=Sing|Poss=Yes 6 det
        hijos hijo NOUN Gender=Masc|Number=Plur 3 obj
        """,
        [("1", 0, 1), ("1", 4, 5)],
    )
    mended, _ = refine(given, rules("paper"))
    assert text(mended) == "Ha visto a sus hijos"
    assert mended.mentions == (KeyedMention("1", 0, 1), KeyedMention("1", 3, 4))
    assert refine(given, rules("clean"))[0] == mended


@pytest.mark.parametrize(
    ("verb", "stays"),
    [
        ("cantaba cantar VERB Mood=Ind|Number=Sing|Person=1|Tense=Imp|VerbForm=Fin", True),
        ("canto cantar VERB Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin", False),
    ],
)
def test_yo_stays_before_a_form_that_is_also_the_third_persons(verb: str, stays: bool) -> None:
    given = utterance(f"Yo yo PRON Number=Sing|Person=1|PronType=Prs 2 nsubj\n{verb} 0 root")
    assert (refine(given, rules("clean"))[0] == given) is stays


@pytest.mark.parametrize(("pronoun", "after"), [("ello", "Es verdad ?"), ("él", "Es él verdad ?")])
def test_what_says_nothing_new_goes_from_behind_a_verb_too(pronoun: str, after: str) -> None:
    given = utterance(
        f"""
        Es ser AUX {FIN} 3 cop
        {pronoun} él PRON Number=Sing|Person=3|PronType=Prs 3 nsubj
        verdad verdad NOUN {FS} 0 root
        ? ? PUNCT _ 3 punct
        """,
        [("1", 1, 2)],
    )
    mended, _ = refine(given, rules("clean"))
    assert (text(mended), len(mended.mentions)) == (after, 1)


DEL = f"""
    Habla hablar VERB {FIN} 0 root
    de de ADP _ 5 case
    el el DET {ART} 5 det
    nuestra nuestro DET Poss=Yes 5 det
    amigo amigo NOUN {MS} 1 obl
    """


def test_an_article_before_a_possessive_goes_and_leaves_its_preposition() -> None:
    given = utterance(DEL, [("1", 2, 5)], w2_3="del")
    after = refine(given, rules("clean"))[0]
    assert text(after) == "Habla de nuestro amigo"
    assert after.mentions == (KeyedMention("1", 2, 4),)
    without = rules("clean", without=["needless-article"])
    assert text(refine(given, without)[0]) == "Habla del nuestro amigo"
    assert text(refine(given, rules("paper"))[0]) == "Habla del nuestro amigo"


@pytest.mark.parametrize(
    ("word", "gender", "noun", "form"),
    [
        ("esta", MS, "hombre", "este"),
        ("este", FS, "agua", "esta"),
        ("Aquel", FP, "casas", "Aquellas"),
        ("esos", MP, "días", "esos"),
        ("este", "Gender=Masc", "viernes", "este"),
    ],
)
def test_demonstratives_agree(word: str, gender: str, noun: str, form: str) -> None:
    rows = f"{word} este DET PronType=Dem 2 det\n{noun} x NOUN {gender} 0 root"
    assert mended(rows) == f"{form} {noun}"


@pytest.mark.parametrize(
    ("article", "noun", "feats", "after"),
    [
        ("la", "problema", MS, "el problema"),
        ("una", "programas", MP, "un programas"),
        ("los", "ciudades", FP, "las ciudades"),
        ("El", "casa", "Number=Sing", "La casa"),
        ("el", "agua", FS, "el agua"),
        ("el", "delta", MS, "el delta"),
        ("la", "frente", MS, "la frente"),
        ("la", "ESO", MS, "la ESO"),
    ],
)
def test_an_article_has_the_gender_that_its_noun_shows(
    article: str, noun: str, feats: str, after: str
) -> None:
    rows = f"{article} el DET PronType=Art 2 det\n{noun} {noun} NOUN {feats} 0 root"
    assert mended(rows) == after


def _pronoun(preposition: str, form: str) -> str:
    return (
        f"Habla hablar VERB {FIN} 0 root\n{preposition} x ADP _ 3 case\n"
        f"{form} x PRON PronType=Prs 1 obl"
    )


@pytest.mark.parametrize(
    ("preposition", "form", "after"),
    [
        ("a", "yo", "Habla a mí"),
        ("de", "tú", "Habla de ti"),
        ("con", "yo", "Habla conmigo"),
        ("con", "mí", "Habla conmigo"),
        ("con", "ti", "Habla contigo"),
        ("con", "sí", "Habla consigo"),
        ("según", "yo", "Habla según yo"),
        ("a", "ella", "Habla a ella"),
        ("con", "él", "Habla con él"),
    ],
)
def test_pronouns_after_a_preposition(preposition: str, form: str, after: str) -> None:
    assert mended(_pronoun(preposition, form)) == after


@pytest.mark.parametrize(
    ("first", "second", "upos", "after"),
    [
        ("le", "lo", "PRON", "se lo da"),
        ("Les", "las", "PRON", "Se las da"),
        ("me", "lo", "PRON", "me lo da"),
        ("le", "la", "DET", "le la da"),
    ],
)
def test_a_dative_before_an_accusative(first: str, second: str, upos: str, after: str) -> None:
    rows = f"{first} él PRON _ 3 iobj\n{second} él {upos} _ 3 obj\nda dar VERB {FIN} 0 root"
    assert mended(rows) == after


def test_a_dative_before_an_accusative_after_the_verb() -> None:
    rows = """
        Quiere querer VERB Mood=Ind|Number=Sing|Person=3|VerbForm=Fin 0 root
        dar dar VERB VerbForm=Inf 1 xcomp
        le él PRON _ 2 iobj
        lo~ él PRON _ 2 obj
        . . PUNCT _ 1 punct
        """
    assert mended(rows, w2_4="dárlelo") == "Quiere dárselo."


@pytest.mark.parametrize(
    ("before", "word", "after"),
    [
        ("y", "Isabel", "e"),
        ("y", "hijos", "e"),
        ("y", "hierro", "y"),
        ("e", "Juan", "y"),
        ("y", "yo", "y"),
        ("o", "hoy", "u"),
        ("o", "Óscar", "u"),
        ("u", "María", "o"),
        ("y", "B.", "y"),
        ("y", "8", "y"),
    ],
)
def test_conjunctions_fit_the_next_sound(before: str, word: str, after: str) -> None:
    rows = f"Ana Ana PROPN _ 0 root\n{before} y CCONJ _ 3 cc\n{word} x PROPN _ 1 conj"
    assert mended(rows) == f"Ana {after} {word}"


@pytest.mark.parametrize(
    ("article", "noun", "feats", "after"),
    [
        ("La", "agua", FS, "El agua"),
        ("una", "hacha", FS, "un hacha"),
        ("la", "amiga", FS, "la amiga"),
        ("las", "aguas", FP, "las aguas"),
        ("la", "harina", FS, "la harina"),
    ],
)
def test_el_and_un_before_a_stressed_a(article: str, noun: str, feats: str, after: str) -> None:
    assert mended(f"{article} el DET {ART} 2 det\n{noun} {noun} NOUN {feats} 0 root") == after


def _apart(preposition: str, article: str, noun: str, upos: str) -> Utterance:
    return utterance(
        f"Va ir VERB {FIN} 0 root\n{preposition} x ADP _ 4 case\n"
        f"{article} el DET {ART} 4 det\n{noun} x {upos} {MS} 1 obl",
        [("1", 2, 4)],
    )


@pytest.mark.parametrize(
    ("preposition", "article", "noun", "upos", "after"),
    [
        ("a", "el", "mar", "NOUN", "Va al mar"),
        ("de", "el", "mar", "NOUN", "Va del mar"),
        ("de", "la", "agua", "NOUN", "Va del agua"),
        ("a", "la", "casa", "NOUN", "Va a la casa"),
        ("a", "El", "Cairo", "PROPN", "Va a El Cairo"),
        ("con", "el", "mar", "NOUN", "Va con el mar"),
    ],
)
def test_a_preposition_and_el_are_one_word(
    preposition: str, article: str, noun: str, upos: str, after: str
) -> None:
    given = _apart(preposition, article, noun, upos)
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
