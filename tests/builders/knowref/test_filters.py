"""One problem that passes, and for each filter one that it stops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.knowref.build import filters
from corefmill.builders.knowref.filters import (
    FILTERS,
    STRUCTURE,
    contrary_word,
    thing_of_gender,
    with_article,
)
from corefmill.builders.knowref.record import example
from corefmill.builders.nlp import Analysis
from corefmill.builders.run.stages import Context
from tests.builders.knowref.problems import problem, problem_in

BUT = "slept cc but; slept nsubj she; left nsubj Ann"


GOOD = "[Ann] left [Emma] at the mill, but she slept."


ASKED = {**STRUCTURE, **FILTERS}


def faults(line: str, relations: str = BUT, **more: str) -> list[str]:
    found = problem(line, relations, **more)
    return [name for name, stops in ASKED.items() if stops(found)]


def test_a_good_problem_passes_all() -> None:
    assert faults(GOOD) == []


@pytest.mark.parametrize(
    ("line", "relations", "fault"),
    [
        ("Near [Ann] was [Emma] or the book, and she slept.", "book cc or", "no_clause"),
        (
            "[Ann] left [Emma] the book after the war with her mother.",
            "war case after",
            "no_clause",
        ),
        ("[Ann] was so early that [Emma] left so that she slept.", "early advmod so", "no_clause"),
        ("[Ann] and all of [Emma] for the book, but not her news.", "news cc but", "no_clause"),
        ("[Ann] left [Mr. Bob] at the mill, but she slept.", BUT, "gender_differs"),
        ("[Ann] left [Peter] at the mill, but she slept.", BUT, "gender_differs"),
        ("[Ann] and [Emma] left early for the mill, but she slept.", BUT, "coordinated"),
        ("[Ann] left [Emma] at the mill, but [Ann] said she slept.", BUT, "name_again"),
        ("[Ann] left [Emma] at the mill, but [Dora] said she slept.", BUT, "person_between"),
        ("[Ann] left [Emma] at the mill, but the doctor said she slept.", BUT, "person_between"),
        ("[Ann] left [Emma] with the doctor at noon, but she slept.", BUT, "third_person"),
        ("[Ann Mill] left [Emma Mill] at the inn, but she slept.", BUT, "shared_name_part"),
        ("[Ann] left [Emma] in [Emma] Street at noon, but she slept.", BUT, "names_a_thing"),
        (
            "[Ann] left [Emma] at the mill, but where she slept [Jane] came.",
            "came cc but; came advcl slept; slept nsubj she; came nsubj Jane",
            "person_between",
        ),
        ("[Ann] left [Zzarb Quill] at the mill, but she slept.", BUT, "gender_unknown"),
        ("[Ann] left [Zzarb Quill] to him at noon, but she slept.", BUT, "other_gender"),
        (
            "[Ann] left [Emma] as a king at noon, but she slept.",
            f"{BUT}; king case as",
            "contrary_word",
        ),
        (
            "[Ann] the king left [Emma] at noon, but she slept.",
            f"{BUT}; Ann appos king",
            "contrary_word",
        ),
        ("L'[Ann] left [Emma] at the mill, but she slept.", BUT, "with_article"),
        ("[ANNA] left [Emma] at the mill, but she slept.", "slept cc but", "odd_name"),
    ],
)
def test_each_filter(line: str, relations: str, fault: str) -> None:
    assert fault in faults(line, relations)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[Ann] left the Inn of York at noon, but she slept.", "one_person"),
        ("[Ann] left [Emma] for [Jane] at the mill, but she slept.", "three_persons"),
    ],
)
def test_there_are_two_persons(line: str, fault: str) -> None:
    found = problem(line, BUT)
    assert fault == next(name for name, stops in STRUCTURE.items() if stops(found))


def test_two_sentences_are_none() -> None:
    found = problem(GOOD, BUT)
    cut = ((0, 9), (10, len(found.text)))
    read = found.read
    twice = Analysis(read.text, read.tokens, cut, ())
    assert STRUCTURE["several_sentences"](replace(found, read=twice))


def test_plural_persons() -> None:
    line = "[Ann] left the [Bertrams] at the mill, but she slept."
    assert "plural_person" in faults(line, plural="Bertrams")
    assert "plural_person" in faults("[Ann] left [Misses Emma] at the mill, but she slept.")


@pytest.mark.parametrize(
    "line",
    [
        "[Ann] left [Emma] with the king at noon, but she slept.",  # no she
        "[Ann] left [Emma] with the doctors at noon, but she slept.",  # several
        "[Ann] left the doctor [Emma] at the mill, but she slept.",  # it is Emma
        "[Ann] left [Emma] at the mill, but the king said she slept.",
        "[Ann] left [Emma] at the mill, but [Peter] said she slept.",
    ],
)
def test_who_cannot_be_meant_is_no_third_person(line: str) -> None:
    assert faults(line) == []


def test_a_predicate_is_no_third_person() -> None:
    relations = "slept cc but; slept nsubj she; doctor cop was"
    assert faults("[Ann] was the doctor of [Emma] at noon, but she slept.", relations) == []


@pytest.mark.parametrize(
    "line",
    [
        "[Ann] left [Emma] with [Mr. Bob] at noon, but she slept.",
        "[Mrs. Hill] left [Emma] with [Peter] and [Bob] at noon, but she slept.",
        "[Ann] said [Ann] left [Emma] at the mill, but she slept.",
    ],
)
def test_more_names_before_the_connective_are_no_more_candidates(line: str) -> None:
    joined = "slept cc but; slept nsubj she"
    assert len(problem(line, joined).candidates) == 2
    assert faults(line, joined) == []


@pytest.mark.parametrize(
    ("line", "elsewhere", "plural"),
    [
        ("[Miss Traddles] left [Emma] at the mill, but she slept.", "", False),
        ("[Traddles] left [Emma] at the mill, but she slept.", "", False),
        ("[Emma] left poor [Traddles] at the mill, but she slept.", "", False),
        ("[Emma] left the [Traddles] at the mill, but she slept.", "", True),
        ("[Emma] left the poor [Traddles] at the mill, but she slept.", "", True),
        ("[Traddles] left [Emma] at the mill, but she slept.", "It was Mr. Traddle.", True),
    ],
)
def test_not_every_surname_in_s_is_a_plural(line: str, elsewhere: str, *, plural: bool) -> None:
    found = problem(line, "slept cc but", plural="Traddles", elsewhere=elsewhere)
    assert FILTERS["plural_person"](found) is plural


@pytest.mark.parametrize(
    ("line", "elsewhere", "same"),
    [
        ("[Aldous] left [Huxley] at the mill, but he slept.", "At noon Aldous Huxley came.", True),
        (
            "[Aldous] left [Mr. Huxley] at the mill, but he slept.",
            "At noon Aldous Huxley came.",
            False,
        ),
        ("[Aldous] left [Huxley] at the mill, but he slept.", "", False),
    ],
)
def test_two_names_of_one_person(line: str, elsewhere: str, *, same: bool) -> None:
    found = problem(line, "slept cc but", elsewhere=elsewhere)
    assert FILTERS["two_names_of_one"](found) is same


@pytest.mark.parametrize(
    ("line", "relations", "joins"),
    [
        ("[Ann] saw [Emma] at noon and she slept.", "slept cc and; slept nsubj she", True),
        (
            "[Ann] saw [Emma] and her sister came.",
            "came cc and; sister nmod:poss her; came nsubj sister",
            True,
        ),
        ("[Ann] saw it as [Emma] came for her at noon.", "her case for; came obl her", False),
        ("[Ann] won the book of [Emma] which she liked.", "liked obj which; liked nsubj she", True),
        ("[Ann] left [Emma] the book; she slept.", "slept nsubj she", True),
        ("[Ann] left [Emma] a book for her news.", "news case for; news nmod:poss her", False),
    ],
)
def test_right_before_the_pronoun_more_words_join(
    line: str, relations: str, *, joins: bool
) -> None:
    found = problem(line, relations)
    assert found.spans.pattern == "close"
    assert FILTERS["no_clause"](found) is not joins


def test_a_word_used_in_small_letters_is_no_name() -> None:
    line = "[Ann] left [Dusk] at the mill, but she slept."
    assert "common_word" in faults(line, elsewhere="At dusk it rained, and dusk was early.")


def test_a_pipeline_without_parser_asks_less() -> None:
    found = problem(GOOD)
    bare = replace(found, read=Analysis(found.text, found.read.tokens, found.read.sentences, ()))
    assert not any(stops(bare) for stops in ASKED.values())


@pytest.mark.parametrize(
    ("line", "outside"),
    [
        ("He knew--[Ann] sat there with [Bea]--at last that she had left them.", True),
        ("He knew—[Ann] sat there with [Bea] at last—that she had left them.", True),
        ("[Ann] sat there--so he said to us--with [Bea], but she had left them.", False),
        ("He said at last--[Ann] sat there with [Bea], but she had left them.", False),
        ("He knew--[Ann] sat--that [Bea] was there, but she had left them.", False),
    ],
)
def test_candidates_in_an_aside_are_not_meant_outside_of_it(line: str, *, outside: bool) -> None:
    assert FILTERS["aside"](problem(line)) is outside


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
    made = example(found, lang, problem.table, seed=1)
    assert (made.candidates == found.candidates) is kept
    assert (made.text == found.text) is kept


def test_without_features_names_that_inflect_stay() -> None:
    found = problem_in("pl", "[Anna] spała, a [Ewa] czekała, bo ona chorowała.", "")
    bare = Analysis(found.text, found.read.tokens, found.read.sentences, ())
    assert replace(found, read=bare).inflected


@pytest.mark.parametrize(
    ("line", "together"),
    [
        ("He spoke of [Ann] and of [Bea] for hours, but she had left them.", True),
        ("He spoke of [Ann] and with [Bea] for hours, but she had left them.", False),
        ("He spoke of [Ann], of [Bea] and the rest, but she had left them.", True),
    ],
)
def test_a_preposition_may_stand_before_both(line: str, *, together: bool) -> None:
    assert FILTERS["coordinated"](problem(line)) is together


def test_a_name_in_italics_is_a_ship_s_or_a_book_s() -> None:
    found = problem("[Ann] left [Bea] at the mill at noon, but she slept.")
    assert not FILTERS["in_italics"](found)
    found.sentence.paragraph.italic.append((0, 3))
    assert FILTERS["in_italics"](found)
