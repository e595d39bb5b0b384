"""Gender and case in German, Dutch, French, Spanish, Portuguese and Polish: hard cases, parsed by
hand, and what the card says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.knowref import build, table
from corefmill.builders.knowref.agreement import contrary_word, thing_of_gender
from corefmill.builders.knowref.filters import unneeded, with_article
from corefmill.builders.knowref.options import KnowrefOptions
from corefmill.builders.knowref.record import example
from corefmill.builders.knowref.stages import filters
from corefmill.builders.nlp import Analysis
from corefmill.builders.run.stages import Context
from tests.builders.knowref.problems import problem_in


@pytest.mark.parametrize(
    ("lang", "line", "words", "contrary"),
    [
        # The verb has the gender of its subject.
        (
            "pl",
            "[Jan] spotkała [Piotra] w lesie, ale on spał.",
            "Jan PROPN nsubj spotkała; spotkała VERB root - Gender=Fem|Number=Sing",
            True,
        ),
        (
            "pl",
            "[Jan] spotkał [Piotra] w lesie, ale on spał.",
            "Jan PROPN nsubj spotkał; spotkał VERB root - Gender=Masc|Number=Sing",
            False,
        ),
        (
            "pl",
            "[Jan] była królem u [Piotra] w lesie, ale on spał.",
            "Jan PROPN nsubj królem; królem NOUN root -; była AUX cop królem Gender=Fem",
            True,
        ),
        (
            "fr",
            "[Paul] est arrivée chez [Jean] hier, car il dormait.",
            "Paul PROPN nsubj arrivée; arrivée VERB root - Gender=Fem; est AUX aux arrivée _ être",
            True,
        ),
        (
            "fr",
            "[Paul] a laissée [Jean] seul hier, car il dormait.",
            "Paul PROPN nsubj laissée; laissée VERB root - Gender=Fem; a AUX aux laissée _ avoir",
            False,
        ),
        (
            "es",
            "[Juan] está cansada de [Pedro] hoy, porque él grita.",
            "Juan PROPN nsubj cansada; cansada ADJ root - Gender=Fem; está AUX cop cansada _ estar",
            True,
        ),
        (
            "es",
            "[Juan] ha dicho a [Pedro] hoy, que él grita.",
            "Juan PROPN nsubj dicho; dicho VERB root - Gender=Masc; ha AUX aux dicho _ haber",
            False,
        ),
        (
            "pt",
            "A [Paulo] falou com [Pedro] na rua, porque ele gritou.",
            "A DET det Paulo Gender=Fem; Paulo PROPN nsubj falou",
            True,
        ),
        (
            "de",
            "[Karl] kam mit [Peter] als Mutter hierher, aber er fror.",
            "Mutter NOUN obl kam Gender=Fem mutter; als ADP case Mutter",
            True,
        ),
        # The adjective has either gender.
        (
            "pt",
            "[Paulo] estava triste com [Pedro] na rua, porque ele gritou.",
            "Paulo PROPN nsubj triste; triste ADJ root - Gender=Fem,Masc",
            False,
        ),
    ],
)  # fmt: skip
def test_words_that_agree_with_a_candidate(
    lang: str, line: str, words: str, *, contrary: bool
) -> None:
    assert contrary_word(problem_in(lang, line, words)) is contrary


UHR = "[Anna] gab [Eva] die {} am Abend, weil {} fiel."
DIE_UHR = UHR.format("Uhr", "sie")
SIE = "sie PRON nsubj fiel"


@pytest.mark.parametrize(
    ("lang", "line", "words", "thing"),
    [
        ("de", DIE_UHR, f"Uhr NOUN obj gab Gender=Fem; {SIE}", True),
        ("de", UHR.format("Uhr", "ihr Hut"), "Uhr NOUN obj gab Gender=Fem; ihr DET det Hut", False),
        ("de", DIE_UHR, f"Uhr NOUN obl gab Gender=Fem; {SIE}", False),
        (
            "de",
            UHR.format("Uhren", "sie"),
            f"Uhren NOUN obj gab Gender=Fem|Number=Plur; {SIE}",
            False,
        ),
        ("de", UHR.format("Brief", "sie"), f"Brief NOUN obj gab Gender=Masc; {SIE}", False),
        # A person is not a thing.
        ("de", UHR.format("Magd", "sie"), f"Magd NOUN obj gab Gender=Fem magd; {SIE}", False),
        (
            "fr",
            "[Anne] prit la lampe de [Marie] hier, car elle tomba.",
            "lampe NOUN obj prit Gender=Fem; elle PRON nsubj tomba",
            True,
        ),
        (
            "nl",
            "[Jan] gaf [Piet] de brief terug, omdat hij nat was.",
            "brief NOUN obj gaf Gender=Com; hij PRON nsubj nat",
            True,
        ),
        (
            "nl",
            "[Jan] gaf [Piet] het boek terug, omdat hij nat was.",
            "boek NOUN obj gaf Gender=Neut; hij PRON nsubj nat",
            False,
        ),
        (
            "pl",
            "[Anna] dała [Ewie] książkę wieczorem, bo ona spadła.",
            "książkę NOUN obj dała Gender=Fem; ona PRON nsubj spadła",
            True,
        ),
        (
            "es",
            "[Ana] dio a [Eva] la carta ayer, porque ella lloró.",
            "carta NOUN obj dio Gender=Fem; ella PRON nsubj lloró",
            False,
        ),
    ],
)  # fmt: skip
def test_a_thing_of_the_pronouns_grammatical_gender(
    lang: str, line: str, words: str, *, thing: bool
) -> None:
    assert thing_of_gender(problem_in(lang, line, words)) is thing


@pytest.mark.parametrize(
    ("lang", "line", "word", "stops"),
    [
        ("de", "Der [Peter] traf [Karl] im Wald, aber er schlief.", "Der", False),
        ("de", "Jener [Peter] traf [Karl] im Wald, aber er schlief.", "Jener", True),
        ("es", "La [Lola] vio a [Ana] en casa, pero ella dormía.", "La", False),
        ("pt", "O [Pedro] viu [Paulo] em casa, mas ele dormia.", "O", False),
        ("nl", "De [Jan] zag [Piet] in huis, maar hij sliep.", "De", True),
    ],
)
def test_articles_of_names(lang: str, line: str, word: str, *, stops: bool) -> None:
    assert with_article(problem_in(lang, line, f"{word} DET det {word}")) is stops


@pytest.mark.parametrize(
    ("lang", "line", "words", "kept"),
    [
        (
            "pl",
            "[Anna] i matka znała [Ewę], ale ona spała.",
            "Anna PROPN nsubj znała Case=Nom; Ewę PROPN obj znała Case=Acc",
            True,
        ),
        (
            "pl",
            "[Anna] spała, kiedy przyszła [Ewa], bo ona chorowała.",
            "Anna PROPN nsubj spała Case=Nom; Ewa PROPN nsubj przyszła Case=Nom",
            False,
        ),
        ("pl", "[Anna] spała, kiedy przyszła [Ewa], bo ona chorowała.", "", False),
        (
            "de",
            "[Karls] Bruder kannte den [Peter] gut, weil er half.",
            "Karls PROPN nmod Bruder Case=Gen; Peter PROPN obj kannte Case=Acc",
            True,
        ),
        ("nl", "[Jan] kende [Piet] heel goed, omdat hij hielp.", "", False),
    ],
)
def test_a_name_in_another_case_is_not_replaced(
    lang: str, line: str, words: str, *, kept: bool
) -> None:
    problem = problem_in(lang, line, words)
    assert problem.inflected is kept
    (found,) = filters({}, iter((problem,)), Context(0, 0))
    made = example(found, lang, problem.table, swap=True, seed=1)
    assert (made.candidates == found.candidates) is kept
    assert (made.text == found.text) is kept


def test_without_features_names_that_inflect_stay() -> None:
    found = problem_in("pl", "[Anna] spała, a [Ewa] czekała, bo ona chorowała.", "")
    bare = Analysis(found.text, found.read.tokens, found.read.sentences, ())
    assert replace(found, read=bare).inflected


def test_a_filter_is_in_force_where_the_language_has_its_trouble() -> None:
    assert unneeded(table.load("en")) == unneeded(table.load("it"))
    assert unneeded(table.load("en")) == {"not_the_pronoun", "thing_of_gender"}
    assert unneeded(table.load("de")) == frozenset()
    assert unneeded(table.load("es")) == {"not_the_pronoun", "thing_of_gender"}
    for lang in ("en", "de"):
        in_force = KnowrefOptions(lang=lang, nlp="none").filters
        assert ("thing_of_gender" in in_force) is (lang == "de")
        assert "no_clause" in in_force


def test_the_card_says_what_is_left_unsaid() -> None:
    lines = {
        lang: build._limits(table.load(lang), "clean") for lang in ("de", "es", "it", "pl", "pt")
    }
    assert {lang for lang, said in lines.items() if any("unsaid" in line for line in said)} == {
        "es", "it", "pl", "pt"
    }  # fmt: skip
    assert "another case than Nom" in build._names(table.load("pl"))
    assert "another case" not in build._names(table.load("es"))
