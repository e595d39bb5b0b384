from __future__ import annotations

import pytest

from corefmill.rules.fr import before_vowel, rules
from corefmill.rules.rule import refine, text
from tests.rules.trees import utterance

MS, FS = "Gender=Masc|Number=Sing", "Gender=Fem|Number=Sing"
MP, FP = "Gender=Masc|Number=Plur", "Gender=Fem|Number=Plur"
ART = "Definite=Def|PronType=Art"
FIN = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"


def mended(rows: str, **written: str) -> str:
    return text(refine(utterance(rows, **written), rules("clean"))[0])


@pytest.mark.parametrize(
    ("words", "vowel"),
    [
        ("ami école homme Homme hôtel yeux y œuf huile haleine ONU Anna", True),
        ("chat hasard héros haine huit yacht onze oui hauteur Hollande honte", False),
    ],
)
def test_sounds(words: str, vowel: bool) -> None:
    assert {word: before_vowel(word) for word in words.split()} == dict.fromkeys(
        words.split(), vowel
    )


@pytest.mark.parametrize(
    "word", ["Henri", "8", "B", "SNCF", "IXe", "York", "« ami", "", "A-module"]
)
def test_nobody_knows(word: str) -> None:
    assert before_vowel(word) is None


@pytest.mark.parametrize(
    ("word", "noun", "feats", "form"),
    [
        ("sa", "amie", FS, "son"),
        ("son", "maison", FS, "sa"),
        ("ma", "père", MS, "mon"),
        ("Son", "amies", FP, "Ses"),
        ("leur", "enfants", MP, "leurs"),
        ("votre", "idée", FS, "votre"),
        ("son", "amie", FS, "son"),
        ("ma", "honte", FS, "ma"),
        ("ta", "histoire", FS, "ton"),
    ],
)
def test_possessives_agree(word: str, noun: str, feats: str, form: str) -> None:
    rows = f"{word} son DET Poss=Yes 2 det\n{noun} x NOUN {feats} 0 root"
    assert mended(rows) == f"{form} {noun}"


@pytest.mark.parametrize(
    ("word", "noun", "feats", "form"),
    [
        ("ce", "ami", MS, "cet"),
        ("cet", "chat", MS, "ce"),
        ("ce", "amie", FS, "cette"),
        ("Cette", "jours", MP, "Ces"),
        ("ce", "héros", MS, "ce"),
        ("ces", "nuits", FP, "ces"),
    ],
)
def test_demonstratives_agree(word: str, noun: str, feats: str, form: str) -> None:
    rows = f"{word} ce DET PronType=Dem 2 det\n{noun} x NOUN {feats} 0 root"
    assert mended(rows) == f"{form} {noun}"


@pytest.mark.parametrize(
    ("article", "noun", "feats", "after"),
    [
        ("le", "table", FS, "la table"),
        ("le", "amitié", FS, "l'amitié"),
        ("Un", "solution", "Number=Sing", "Une solution"),
        ("la", "comité", MS, "le comité"),
        ("la", "xyz", MS, "la xyz"),
        ("les", "tables", FP, "les tables"),
    ],
)
def test_an_article_has_the_gender_that_its_noun_shows(
    article: str, noun: str, feats: str, after: str
) -> None:
    rows = f"{article} le DET PronType=Art 2 det\n{noun} {noun} NOUN {feats} 0 root"
    assert mended(rows) == after


@pytest.mark.parametrize(
    ("article", "after"), [("La", "Sa sœur"), ("L'", "Sa sœur"), ("Toute", "Toute sa sœur")]
)
def test_no_article_before_a_possessive(article: str, after: str) -> None:
    rows = f"""
        {article} le DET _ 3 det
        sa son DET {FS}|Poss=Yes 3 det
        sœur sœur NOUN {FS} 0 root
        """
    assert mended(rows) == after


@pytest.mark.parametrize(
    ("preposition", "form", "after"),
    [
        ("avec", "je", "Parle avec moi"),
        ("pour", "tu", "Parle pour toi"),
        ("chez", "il", "Parle chez lui"),
        ("sans", "ils", "Parle sans eux"),
        ("avec", "elle", "Parle avec elle"),
        ("quand", "il", "Parle quand il"),
    ],
)
def test_pronouns_after_a_preposition(preposition: str, form: str, after: str) -> None:
    rows = f"""
        Parle parler VERB {FIN} 0 root
        {preposition} x ADP _ 3 case
        {form} x PRON PronType=Prs 1 obl
        """
    assert mended(rows) == after


def test_a_pronoun_of_its_own_clause_stays() -> None:
    rows = """
        Parle parler VERB _ 0 root
        d'~ de ADP _ 5 case
        il lui PRON PronType=Prs 5 expl:subj
        y y PRON _ 5 expl:comp
        a avoir VERB _ 1 obl
        """
    assert mended(rows) == "Parle d'il y a"


@pytest.mark.parametrize(
    ("word", "upos", "following", "after"),
    [
        ("je", "PRON", "aime", "j'aime"),
        ("Je", "PRON", "habite", "J'habite"),
        ("ne", "ADV", "a", "n'a"),
        ("que", "SCONJ", "elle", "qu'elle"),
        ("QUE", "SCONJ", "ELLE", "QU'ELLE"),
        ("de", "ADP", "Anna", "d'Anna"),
        ("je", "PRON", "hais", "je hais"),
        ("de", "ADP", "onze", "de onze"),
        ("si", "SCONJ", "il", "s'il"),
        ("si", "SCONJ", "elle", "si elle"),
        ("ce", "PRON", "est", "c'est"),
        ("ce", "PRON", "arrive", "ce arrive"),
        ("de", "ADP", "Henri", "de Henri"),
        ("se", "PRON", "y", "s'y"),
        ("la", "NOUN", "aigu", "la aigu"),
    ],
)
def test_words_elide(word: str, upos: str, following: str, after: str) -> None:
    assert mended(f"{word} x {upos} _ 2 dep\n{following} x VERB _ 0 root") == after


@pytest.mark.parametrize(
    ("rows", "after"),
    [
        ("d'~ de ADP _ 2 case\nPaul Paul PROPN _ 0 root", "de Paul"),
        ("qu'~ que SCONJ _ 2 mark\nPaul Paul PROPN _ 0 root", "que Paul"),
        (f"L'~ le DET {ART} 2 det\nchatte chat NOUN {FS} 0 root", "La chatte"),
        (f"l'~ le DET {ART} 2 det\nhasard hasard NOUN {MS} 0 root", "le hasard"),
        (f"l'~ le DET {ART} 2 det\nLeloir Leloir PROPN _ 0 root", "l'Leloir"),
        (f"d'~ de ADP _ 2 case\nami ami NOUN {MS} 0 root", "d'ami"),
    ],
)
def test_elided_words_are_written_in_full(rows: str, after: str) -> None:
    assert mended(rows) == after


@pytest.mark.parametrize(
    ("preposition", "article", "noun", "upos", "after"),
    [
        ("de", "le", "chat", "NOUN", "Parle du chat"),
        ("à", "le", "chat", "NOUN", "Parle au chat"),
        ("de", "les", "amis", "NOUN", "Parle des amis"),
        ("à", "les", "amis", "NOUN", "Parle aux amis"),
        ("de", "le", "ami", "NOUN", "Parle de l'ami"),
        ("de", "la", "fille", "NOUN", "Parle de la fille"),
        ("de", "Le", "Havre", "PROPN", "Parle de Le Havre"),
        ("sur", "le", "chat", "NOUN", "Parle sur le chat"),
    ],
)
def test_prepositions_and_articles_are_one_word(
    preposition: str, article: str, noun: str, upos: str, after: str
) -> None:
    rows = f"""
        Parle parler VERB {FIN} 0 root
        {preposition} x ADP _ 4 case
        {article} le DET {ART} 4 det
        {noun} x {upos} _ 1 obl
        """
    assert mended(rows) == after
