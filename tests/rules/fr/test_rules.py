from __future__ import annotations

import pytest

from corefmill.rules.fr import before_vowel, rules
from corefmill.rules.rule import refine, text
from tests.rules.trees import cases, utterance


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
    ("words", "after"),
    [
        # possessives agree
        *cases(
            "{}/son/poss/2/det {}/x/noun.{}/0/root",
            "sa|amie|fs|son amie; son|maison|fs|sa maison; ma|père|ms|mon père; "
            "Son|amies|fp|Ses amies; leur|enfants|mp|leurs enfants; votre|idée|fs|votre idée; "
            "son|amie|fs|son amie; ma|honte|fs|ma honte; ta|histoire|fs|ton histoire",
        ),
        # demonstratives agree
        *cases(
            "{}/ce/this/2/det {}/x/noun.{}/0/root",
            "ce|ami|ms|cet ami; cet|chat|ms|ce chat; ce|amie|fs|cette amie; "
            "Cette|jours|mp|Ces jours; ce|héros|ms|ce héros; ces|nuits|fp|ces nuits",
        ),
        # an article has the gender that its noun shows
        *cases(
            "{0}/le/art/2/det {1}/{1}/noun.{2}/0/root",
            "le|table|fs|la table; le|amitié|fs|l'amitié; Un|solution|s|Une solution; "
            "la|comité|ms|le comité; la|xyz|ms|la xyz; les|tables|fp|les tables",
        ),
        # no article before a possessive
        *cases(
            "{}/le/det/3/det sa/son/poss.fs/3/det sœur/sœur/noun.fs/0/root",
            "La|Sa sœur; L'|Sa sœur; Toute|Toute sa sœur",
        ),
        # pronouns after a preposition
        *cases(
            "Parle/parler/v.s3r/0/root {}/x/prep/3/case {}/x/who/1/obl",
            "avec|je|Parle avec moi; pour|tu|Parle pour toi; chez|il|Parle chez lui; "
            "sans|ils|Parle sans eux; avec|elle|Parle avec elle; quand|il|Parle quand il",
        ),
        # a pronoun of its own clause stays
        *cases(
            "Parle/parler/verb/0/root {}'~/de/prep/5/case il/lui/who/5/expl:subj "
            "y/y/pron/5/expl:comp a/avoir/verb/1/obl",
            "d|Parle d'il y a",
        ),
        # words elide
        *cases(
            "{}/x/{}/2/dep {}/x/verb/0/root",
            "je|pron|aime|j'aime; Je|pron|habite|J'habite; ne|adv|a|n'a; que|that|elle|qu'elle; "
            "QUE|that|ELLE|QU'ELLE; de|prep|Anna|d'Anna; je|pron|hais|je hais; "
            "de|prep|onze|de onze; si|that|il|s'il; si|that|elle|si elle; ce|pron|est|c'est; "
            "ce|pron|arrive|ce arrive; de|prep|Henri|de Henri; se|pron|y|s'y; la|noun|aigu|la aigu",
        ),
        # elided words are written in full
        *cases(
            "{}'~/{} {}/0/root",
            "d|de/prep/2/case|Paul/Paul/name|de Paul; qu|que/that/2/mark|Paul/Paul/name|que Paul; "
            "L|le/the/2/det|chatte/chat/noun.fs|La chatte; d|de/prep/2/case|ami/ami/noun.ms|d'ami; "
            "l|le/the/2/det|hasard/hasard/noun.ms|le hasard; "
            "l|le/the/2/det|Leloir/Leloir/name|l'Leloir",
        ),
        # prepositions and articles are one word
        *cases(
            "Parle/parler/v.s3r/0/root {}/x/prep/4/case {}/le/the/4/det {}/x/{}/1/obl",
            "de|le|chat|noun|Parle du chat; à|le|chat|noun|Parle au chat; "
            "de|les|amis|noun|Parle des amis; à|les|amis|noun|Parle aux amis; "
            "de|le|ami|noun|Parle de l'ami; de|la|fille|noun|Parle de la fille; "
            "de|Le|Havre|name|Parle de Le Havre; sur|le|chat|noun|Parle sur le chat",
        ),
    ],
)
def test_sentences_of_clean_mode(words: str, after: str) -> None:
    assert text(refine(utterance(words), rules("clean"))[0]) == after
