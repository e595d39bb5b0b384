from __future__ import annotations

import pytest

from corefmill.rules.fr import before_vowel, rules
from corefmill.rules.rule import refine, text
from tests.rules.trees import cases, utterance


def mended(words: str) -> str:
    return text(refine(utterance(words), rules("clean"))[0])


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
    cases(
        "sa|amie|fs|son; son|maison|fs|sa; ma|père|ms|mon; Son|amies|fp|Ses; "
        "leur|enfants|mp|leurs; votre|idée|fs|votre; son|amie|fs|son; ma|honte|fs|ma; "
        "ta|histoire|fs|ton"
    ),
)
def test_possessives_agree(word: str, noun: str, feats: str, form: str) -> None:
    assert mended(f"{word}/son/poss/2/det {noun}/x/noun.{feats}/0/root") == f"{form} {noun}"


@pytest.mark.parametrize(
    ("word", "noun", "feats", "form"),
    cases(
        "ce|ami|ms|cet; cet|chat|ms|ce; ce|amie|fs|cette; Cette|jours|mp|Ces; ce|héros|ms|ce; "
        "ces|nuits|fp|ces"
    ),
)
def test_demonstratives_agree(word: str, noun: str, feats: str, form: str) -> None:
    assert mended(f"{word}/ce/this/2/det {noun}/x/noun.{feats}/0/root") == f"{form} {noun}"


@pytest.mark.parametrize(
    ("article", "noun", "feats", "after"),
    cases(
        "le|table|fs|la table; le|amitié|fs|l'amitié; Un|solution|s|Une solution; "
        "la|comité|ms|le comité; la|xyz|ms|la xyz; les|tables|fp|les tables"
    ),
)
def test_an_article_has_the_gender_that_its_noun_shows(
    article: str, noun: str, feats: str, after: str
) -> None:
    assert mended(f"{article}/le/art/2/det {noun}/{noun}/noun.{feats}/0/root") == after


@pytest.mark.parametrize(
    ("article", "after"), [("La", "Sa sœur"), ("L'", "Sa sœur"), ("Toute", "Toute sa sœur")]
)
def test_no_article_before_a_possessive(article: str, after: str) -> None:
    assert mended(f"{article}/le/det/3/det sa/son/poss.fs/3/det sœur/sœur/noun.fs/0/root") == after


@pytest.mark.parametrize(
    ("preposition", "form", "after"),
    cases(
        "avec|je|Parle avec moi; pour|tu|Parle pour toi; chez|il|Parle chez lui; "
        "sans|ils|Parle sans eux; avec|elle|Parle avec elle; quand|il|Parle quand il"
    ),
)
def test_pronouns_after_a_preposition(preposition: str, form: str, after: str) -> None:
    words = f"Parle/parler/v.s3r/0/root {preposition}/x/prep/3/case {form}/x/who/1/obl"
    assert mended(words) == after


def test_a_pronoun_of_its_own_clause_stays() -> None:
    rows = (
        "Parle/parler/verb/0/root d'~/de/prep/5/case il/lui/who/5/expl:subj y/y/pron/5/expl:comp "
        "a/avoir/verb/1/obl"
    )
    assert mended(rows) == "Parle d'il y a"


@pytest.mark.parametrize(
    ("word", "kind", "following", "after"),
    cases(
        "je|pron|aime|j'aime; Je|pron|habite|J'habite; ne|adv|a|n'a; que|that|elle|qu'elle; "
        "QUE|that|ELLE|QU'ELLE; de|prep|Anna|d'Anna; je|pron|hais|je hais; de|prep|onze|de onze; "
        "si|that|il|s'il; si|that|elle|si elle; ce|pron|est|c'est; ce|pron|arrive|ce arrive; "
        "de|prep|Henri|de Henri; se|pron|y|s'y; la|noun|aigu|la aigu"
    ),
)
def test_words_elide(word: str, kind: str, following: str, after: str) -> None:
    assert mended(f"{word}/x/{kind}/2/dep {following}/x/verb/0/root") == after


@pytest.mark.parametrize(
    ("words", "after"),
    [
        ("d'~/de/prep/2/case Paul/Paul/name/0/root", "de Paul"),
        ("qu'~/que/that/2/mark Paul/Paul/name/0/root", "que Paul"),
        ("L'~/le/the/2/det chatte/chat/noun.fs/0/root", "La chatte"),
        ("l'~/le/the/2/det hasard/hasard/noun.ms/0/root", "le hasard"),
        ("l'~/le/the/2/det Leloir/Leloir/name/0/root", "l'Leloir"),
        ("d'~/de/prep/2/case ami/ami/noun.ms/0/root", "d'ami"),
    ],
)
def test_elided_words_are_written_in_full(words: str, after: str) -> None:
    assert mended(words) == after


@pytest.mark.parametrize(
    ("preposition", "article", "noun", "kind", "after"),
    cases(
        "de|le|chat|noun|Parle du chat; à|le|chat|noun|Parle au chat; "
        "de|les|amis|noun|Parle des amis; à|les|amis|noun|Parle aux amis; "
        "de|le|ami|noun|Parle de l'ami; de|la|fille|noun|Parle de la fille; "
        "de|Le|Havre|name|Parle de Le Havre; sur|le|chat|noun|Parle sur le chat"
    ),
)
def test_prepositions_and_articles_are_one_word(
    preposition: str, article: str, noun: str, kind: str, after: str
) -> None:
    words = (
        f"Parle/parler/v.s3r/0/root {preposition}/x/prep/4/case {article}/le/the/4/det"
        f" {noun}/x/{kind}/1/obl"
    )
    assert mended(words) == after
