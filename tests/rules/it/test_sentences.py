"""Sentences through all rules of clean mode: with a mistake, and right ones."""

from __future__ import annotations

import pytest

from corefmill.rules.it import rules
from corefmill.rules.rule import refine, text
from tests.rules.trees import utterance

MENDED = {
    # subject pronouns
    "Pensi/pensare/v.s2/0/root che/che/that/4/mark lui/lui/who.s3/4/nsubj "
    "canti/cantare/sub.s3r/1/ccomp": "Pensi che canti",
    "Io/io/who.s1/2/nsubj beviamo/bere/v.p1/0/root": "Noi beviamo",
    "Papà/papà/noun.ms/2/nsubj dormiva/dormire/v.s3/0/root quando/quando/adv/5/advmod "
    "egli/egli/who.ms3/5/nsubj partì/partire/v.s3/2/advcl": "Papà dormiva quando partì",
    "Lei/lei/who.fs3/2/nsubj ride/ridere/v.s3/0/root finché/finché/that/5/mark "
    "esso/esso/who.ms3/5/nsubj dura/durare/v.s3/2/advcl": "Ride finché dura",
    # after a preposition, after che
    "Teme/temere/v.s3/0/root che/che/that/4/mark te/te/who.s2/4/nsubj cada/cadere/sub.s3/1/ccomp": (
        "Teme che tu cada"
    ),
    # parta as it_mini has it: an indicative of the third person
    "Vuole/volere/v.s3/0/root che/che/that/4/mark me/me/who.s1/4/obj corra/corrare/v.s3/1/ccomp": (
        "Vuole che io corra"
    ),
    # possessives
    "La/il/the.fs/3/det mio/mio/own.ms/3/det:poss barca/barca/noun.fs/4/nsubj "
    "affonda/affondare/v.s3/0/root": "La mia barca affonda",
    "Il/il/the.ms/3/det vostre/vostro/adj/3/amod gatto/gatto/noun.ms/4/nsubj "
    "dorme/dormire/v.s3/0/root": "Il vostro gatto dorme",
    "Suo/suo/own.ms/2/det:poss giardino/giardino/noun.ms/3/nsubj fiorisce/fiorire/v.s3/0/root": (
        "Il suo giardino fiorisce"
    ),
    "Tuoi/tuo/own.mp/2/det vicini/vicino/noun.mp/4/dislocated ci/ci/clitic.p1/4/obj "
    "salutano/salutare/v.p3/0/root": "I tuoi vicini ci salutano",
    # demonstratives
    "Quel/quello/this.ms/2/nsubj scoglio/scoglio/noun.ms/0/root spunta/spunto/adj.fs/2/xcomp": (
        "Quello scoglio spunta"
    ),
    "Quelle/quello/it.fp/3/nsubj è/essere/aux.s3/3/cop giusto/giusto/adj.ms/0/root": (
        "Ciò è giusto"
    ),
    "Quella/quello/this/2/det studente/studente/noun.ms/0/root": "Quello studente",
    "Quello/quello/this/2/det cane/cane/noun.ms/0/root": "Quel cane",
    "Quel/quello/this/2/det amici/amico/noun.mp/0/root": "Quegli amici",
    "Quegli/quello/this/2/det cani/cane/noun.mp/0/root": "Quei cani",
    "Quello/quello/this/2/det idea/idea/noun.fs/0/root": "Quell'idea",
    "Queste/quello/this/2/det anno/anno/noun.ms/0/root": "Quest'anno",
    "Questa/quello/this/2/det amico/amico/noun.ms/0/root": "Questo amico",
    # a noun that was taken for the other gender
    "Questa/questo/this/2/det ciclone/ciclone/noun.fs/0/root": "Questo ciclone",
    # an invariable noun whose number only the verb shows
    "Questa/questo/this/2/det città/città/noun.fs/3/nsubj crescono/crescere/v.p3r/0/root": (
        "Queste città crescono"
    ),
    # a demonstrative that the tree hangs elsewhere
    "Vedono/vedere/v.p3r/0/root quelle/quello/it/1/obj limiti/limite/noun.mp/1/obl": (
        "Vedono quei limiti"
    ),
    # an adjective as a noun
    "Questi/questo/this/2/det ultimo/ultimo/adj.ms/0/root": "Quest'ultimo",
    # participles
    "Avendo~/avere/ger/3/aux li/li/clitic.mp3/3/obj letto/leggere/part.ms/0/root": (
        "Avendoli letti"
    ),
    "Dopo/dopo/prep/2/mark aver~/avere/inf/0/root la/la/clitic.fs3/2/obj già/già/adv/5/advmod "
    "aperto/aprire/part.ms/2/ccomp": "Dopo averla già aperta",
    "Lei/lei/who.s3/3/nsubj è/essere/aux.s3/3/aux nato/nascere/part.ms/0/root "
    "qui/qui/adv/3/advmod": ("È nata qui"),
    "Le/il/the.fp/2/det porte/porta/noun.fp/5/nsubj:pass sono/essere/aux.p3/5/aux "
    "stati/essere/been.mp/5/aux:pass chiuso/chiudere/part.ms/0/root": "Le porte sono state chiuse",
    "Anna/Anna/name/5/nsubj e/e/and/3/cc Luca/Luca/name/1/conj sono/essere/aux.p3/5/aux "
    "tornate/tornare/part.fp/0/root": "Anna e Luca sono tornati",
    # articles
    "Il/il/the.ms/2/det scrittore/scrittore/noun.ms/3/nsubj tace/tacere/v.s3/0/root": (
        "Lo scrittore tace"
    ),
    "La/il/the.fs/2/det acqua/acqua/noun.fs/3/nsubj bolle/bollire/v.s3/0/root": "L'acqua bolle",
    "Vive/vivere/v.s3/0/root in/in/prep/4/case il/il/the.ms/4/det zoo/zoo/noun.ms/1/obl": (
        "Vive nello zoo"
    ),
    "Viene/venire/v.s3/0/root da/da/prep/4/case la/il/the.fs/4/det isola/isola/noun.fs/1/obl": (
        "Viene dall'isola"
    ),
}

RIGHT = (
    "Anche/anche/adv/2/advmod lui/lui/who.ms3/3/nsubj ride/ridere/v.s3/0/root",
    "Credo/credere/v.s1/0/root che/che/that/4/mark tu/tu/who.s2/4/nsubj "
    "dorma/dormire/sub.s3/1/ccomp",
    "È/essere/aux.s3/2/cop più/più/adv/0/root alto/alto/adj.ms/2/amod che/che/that/5/case "
    "me/me/who.s1/2/obl",
    "Dice/dire/v.s3/0/root che/che/that/5/mark me/me/clitic.s1/5/iobj la/la/clitic.fs3/5/obj "
    "porta/portare/v.s3/1/ccomp",
    "Mia/mio/own.fs/2/det:poss cugina/cugina/noun.fs/3/nsubj scrive/scrivere/v.s3/0/root",
    "Il/il/the.ms/3/det loro/loro/own/3/det:poss figlio/figlio/noun.ms/4/nsubj "
    "studia/studiare/v.s3/0/root",
    "Il/il/the.ms/2/det nome/nome/noun.ms/4/nsubj proprio/proprio/adj.ms/2/amod "
    "manca/mancare/v.s3/0/root",
    "Quello/quello/it.ms/4/nsubj che/che/rel/3/obj dici/dire/v.s2/1/acl:relcl "
    "basta/bastare/v.s3/0/root",
    "Quegli/quello/this.mp/2/det zaini/zaino/noun.mp/3/nsubj pesano/pesare/v.p3/0/root",
    "Le/le/clitic.fs3/3/iobj ho/avere/aux.s1/3/aux scritto/scrivere/part.ms/0/root "
    "una/uno/un.fs/5/det lettera/lettera/noun.fs/3/obj",
    "Avendo~/avere/ger/3/aux le/le/clitic.fs3/3/iobj detto/dire/part.ms/0/root "
    "tutto/tutto/who.ms/3/obj",
    "Una/uno/un.fs/2/det serie/serie/noun.fs/6/nsubj di/di/prep/4/case atti/atto/noun.mp/2/nmod "
    "sono/essere/aux.p3/6/aux seguiti/seguire/part.mp/0/root",
    "Il/il/the.ms/2/det ministro/ministro/noun.ms/5/nsubj Anna/Anna/name/2/flat "
    "è/essere/aux.s3/5/aux uscita/uscire/part.fs/0/root",
    "Che/che/this/2/det cosa/cosa/noun.fs/4/nsubj è/essere/aux.s3/4/aux "
    "accaduto/accadere/part.ms/0/root",
    "Maria/Maria/name/3/nsubj ha/avere/aux.s3/3/aux dormito/dormire/part.ms/0/root",
    "Gli/il/the.mp/2/det dei/dio/noun.mp/3/nsubj ridono/ridere/v.p3/0/root",
    "Chiede/chiedere/v.s3/0/root una/uno/un.fs/3/det intervista/intervista/noun.fs/1/obj",
    # a pronoun that an analysis has for an article, before a verb that it has for a noun
    "Gli/il/the.mp/2/det dissi/dissi/noun.mp/0/root addio/addio/adv/2/advmod",
    "Scrive/scrivere/v.s3/0/root per/per/prep/5/case conto/conto/noun.ms/5/nmod di/di/prep/5/case "
    "La/il/the.fs/1/obl",
    "Va/andare/v.s3/0/root con/con/prep/4/case il/il/the.ms/4/det treno/treno/noun.ms/1/obl",
    # an adorned relative keeps its article
    "La/il/the.fs/4/det mia/mio/poss.fs/4/det:poss cara/caro/adj.fs/4/amod "
    "madre/madre/noun.fs/5/nsubj canta/cantare/v.s3r/0/root",
    # a person is not ciò
    "Quella/quello/pron.fs/3/nsubj è/essere/aux.s3r/3/aux andato/andare/part.ms/0/root",
    # a copula
    "Sarà/essere/aux.s3r/3/cop nostra/nostro/poss.fs/3/det:poss cura/cura/noun.fs/0/root",
    # friends who are not told
    "Vengono/venire/v.p3/0/root nostri/nostro/poss.mp/3/det:poss amici/amico/noun.mp/1/nsubj",
    # a relative with an adjective behind
    "Mia/mio/poss.fs/2/det:poss sorella/sorella/noun.fs/4/nsubj "
    "maggiore/maggiore/adj.s/2/amod canta/cantare/v.s3r/0/root",
    # a plural verb
    "Questi/questo/pron.mp/3/nsubj sono/essere/aux.p3/3/cop esterno/esterno/adj.ms/0/root",
    # a le after che, which may be whom it was told
    "Problema/problema/noun.ms/0/root che/che/rel/5/mark le/le/cl/5/obj ho/avere/aux.s1/5/aux "
    "posto/porre/part.ms/1/acl:relcl",
    # coordinated subjects
    "Io/io/pron.s1/4/nsubj e/e/and/3/cc Ada/Ada/name/1/conj cantiamo/cantare/v.p1/0/root",
    # an invariable noun whose number nothing shows
    "Queste/questo/this/2/det città/città/noun.fs/0/root",
    # a pronoun before an adjective
    "Compreso/comprendere/part/0/root quello/quello/it/3/det militare/militare/adj.s/1/nsubj",
    # a pronoun before what may be no noun
    "C'~/ci/pron/2/expl è/essere/v.s3r/0/root quello/quello/it/2/nsubj "
    "exfoliant/exfoliant/noun/3/nmod",
    # the pronoun tells two persons apart, or is polite
    "Mamma/mamma/noun.fs/2/nsubj dormiva/dormire/v.s3/0/root quando/quando/adv/5/advmod "
    "egli/egli/who.ms3/5/nsubj partì/partire/v.s3/2/advcl",
    "Lei/lei/who.fs3/2/nsubj ride/ridere/v.s3/0/root finché/finché/that/5/mark "
    "lui/lui/who.ms3/5/nsubj tace/tacere/v.s3/2/advcl",
    "Come/come/adv/3/advmod Lei/lei/who.fs3/3/nsubj sostiene/sostenere/v.s3/0/root",
    # the participle agrees with an elided object
    "Marco/Marco/name/4/nsubj l'~/lo/pron.s3/4/obj è/essere/aux.s3/4/aux "
    "cavata/cavare/part.fs/0/root",
    # a day, and a pronoun with its adjective
    "Il/il/the.ms/2/det 1/1/num/3/nummod maggio/maggio/noun.ms/0/root",
    "Parla/parlare/v.s3/0/root con/con/prep/4/case uno/uno/un.ms/4/det solo/solo/adv/1/obl "
    "di/di/prep/6/case loro/loro/who.p3/4/nmod",
    # several subjects of one verb
    "Questa/questo/this/2/det città/città/noun.f/5/nsubj e/e/and/4/cc Roma/Roma/name/2/conj "
    "crescono/crescere/v.p3r/0/root",
)


@pytest.mark.parametrize("words", MENDED, ids=MENDED.values())
def test_a_mistake_is_mended(words: str) -> None:
    assert text(refine(utterance(words), rules("clean"))[0]) == MENDED[words]


@pytest.mark.parametrize("words", RIGHT)
def test_a_right_sentence_stays(words: str) -> None:
    given = utterance(words)
    assert text(refine(given, rules("clean"))[0]) == text(given)


def test_an_article_in_a_preposition_is_fitted_and_its_mention_stays() -> None:
    given = utterance(
        "di~/di/prep/3/case l'~/il/the.ms/3/det studente/studente/noun.ms/0/root", w1_2="dell'"
    )
    found, changes = refine(given, rules("clean"))
    assert text(found) == "dello studente"
    assert [change.rule for change in changes] == ["sound-form"]


def test_a_contraction_leaves_the_words_and_is_told_as_both() -> None:
    given = utterance("A/a/prep/3/case il/il/the.ms/3/det mare/mare/noun.ms/0/root")
    found, changes = refine(given, rules("clean"))
    assert (text(found), [token.form for token in found.tokens]) == ("Al mare", ["A", "il", "mare"])
    assert [(one.before, one.after, one.start, one.end) for one in changes] == [
        ("A il", "Al", 0, 2)
    ]
    assert refine(given, rules("clean", ["contraction"]))[0] == given
    assert refine(given, rules("paper"))[0] == given
