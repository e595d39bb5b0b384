"""German and Dutch names: genitives, articles, particles and nouns with a capital."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.name_filters import (
    ViewFilter,
    part_of_longer_name,
    seldom_person,
    share_word,
)
from corefmill.builders.persons.names import canonical_names
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prefilter import windows
from corefmill.builders.persons.table import load
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wikicrem.filters import joined, quoted, relative_clause
from corefmill.builders.wikicrem.filters_syntax import cut_name, in_compound
from tests.builders.persons.documents import called, made, named, persons, views
from tests.builders.wikicrem.passages import article, words_of

GERMAN = load("de")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Anna] kam. Das war [Annas] Buch.", ["Anna = Anna", "Annas = Anna"]),
        # An apostrophe is not the name's.
        ("[Anna] kam. Das war [Anna's] Buch.", ["Anna = Anna", "Anna = Anna"]),
        # No genitive of a name that the document has not.
        ("[Klaus] kam mit [Thomas].", ["Klaus = Klaus", "Thomas = Thomas"]),
        # The surname, not Peter's.
        ("[Carl Peters] sah [Peter].", ["Carl Peters = Carl Peters", "Peter = Peter"]),
        # Who of the two this is nobody knows.
        (
            "[Carl Peters] sah [Peter] in [Peters] Garten.",
            ["Carl Peters = Carl Peters", "Peter = Peter", "Peters = Peter/Peters"],
        ),
        (
            "[Eva Kern] las. Es war [Eva Kerns] Brief.",
            ["Eva Kern = Eva Kern", "Eva Kerns = Eva Kern"],
        ),
        # Forms of old novels.
        (
            "[Charlotte] ging. Er sah [Charlotten] in [Charlottens] Zimmer.",
            ["Charlotte = Charlotte", "Charlotten = Charlotte", "Charlottens = Charlotte"],
        ),
        # Honorifics.
        ("Herr [Kern] traf Herrn [Kern].", ["Herr Kern = Herr Kern", "Herrn Kern = Herr Kern"]),
        # A noun beside a genitive is no part of the name.
        ("[Caspar] kam. Groß war [Schreck Caspars].", ["Caspar = Caspar", "Caspars = Caspar"]),
        (
            "[Carl Fink] kam. Dort war [Fink]. Das ist [Carl Finks Haus].",
            ["Carl Fink = Carl Fink", "Fink = Fink", "Carl Finks = Carl Fink"],
        ),
        ("[Fritz] kam mit [Fritz Holm].", ["Fritz = Fritz", "Fritz Holm = Fritz Holm"]),
        # Articles are masked with the name, and no part of it.
        ("Da kam der [Peter] mit [Anna].", ["der Peter = Peter", "Anna = Anna"]),
        ("Es war ein Mann, der [Anna] liebte.", ["Anna = Anna"]),
        # "von" behind an honorific or a first name, and as a preposition.
        ("Herr von [Stein] kam.", ["Herr von Stein = Herr von Stein"]),
        ("Da ging [Lotte] von [Stein].", ["Lotte von Stein = Lotte von Stein"]),
        ("Es war ein Brief von [Anna].", ["Anna = Anna"]),
        # Two that the recogniser takes for one, and one that is one.
        (
            "[Max] sah [Eva], und [Max und Eva] gingen.",
            ["Max = Max", "Eva = Eva", "Max = Max", "Eva = Eva"],
        ),
        ("Da kam [Thurn und Taxis] mit [Max].", ["Thurn und Taxis = Thurn und Taxis", "Max = Max"]),
        # Compounds are no persons.
        ("Er stand in der [Schillerstraße] vor dem [Goethe-Haus].", []),
        ("Der [Gedanke] an [Anna] blieb.", ["Anna = Anna"]),
    ],
)
def test_what_a_name_is_called(line: str, wanted: list[str]) -> None:
    assert called("de", line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Anna] sah [Peter]. | Das war [Annas] Buch.", ["Annas: [Annas] Peters"]),
        ("[Anna] sah [Peter]. | Dann ging der [Peter] heim.", ["der Peter: Anna [Peter]"]),
        ("[Peters] Frau sah [Max]. | Dann ging [Peter] heim.", ["Peter: [Peter] Max"]),
        (
            "Herr [Kern] sah Frau [Lenz]. | Man rief Herrn [Kern].",
            ["Herrn Kern: [Herrn Kern] Frau Lenz"],
        ),
    ],
)
def test_examples_show_all_candidates_in_one_case(line: str, wanted: list[str]) -> None:
    assert made("de", line) == wanted


def test_a_compound_with_a_name_is_not_the_name() -> None:
    (view, *_) = views("de", "[Goethe] sah [Anna]. | [Goethe] ging zum Goethe-Haus.")
    assert part_of_longer_name(view)
    (view, *_) = views("de", "[Goethe] sah [Anna]. | Das [Goethe]-Jahr begann.")
    assert joined(view)
    (view, *_) = views("de", "[Goethe] sah [Anna]. | [Goethe] ging in die Goethestraße.")
    assert not part_of_longer_name(view)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Anna sah Peter im Garten. Es war nicht Annas Garten.", True),
        # A noun that returns is nobody.
        ("Die Zeit und der Wald und das Leben. Dann war die Zeit um.", False),
        ("Der Herr sah den Baum im Hause. Der Herr ging aus dem Hause.", True),
        ("Anna hatte viel Zeit und Arbeit. Peter hatte keine Zeit.", False),
    ],
)
def test_nouns_are_not_read_for_names(line: str, found: bool) -> None:
    assert bool(windows(line, GERMAN.no_names, GERMAN.titles, GERMAN.may_be)) is found


def test_names_without_evidence_stay() -> None:
    names = ["Hans", "Klaus", "Max", "Fritz", "Agnes", "Doris", "Lars"]
    assert canonical_names(names, GERMAN) == {name: name for name in names}


@pytest.mark.parametrize(
    ("line", "stopped"),
    [
        ("[Anna] sah [Peter]. | Da ging [Anna], die ihn kannte, fort.", True),
        ("[Anna] sah [Peter]. | Da ging [Anna], mit der er sprach, fort.", True),
        # Without a comma it is an article.
        ("[Anna] sah [Peter]. | Da gab [Anna] dem Kind ein Buch.", False),
        ("[Anna] sah [Peter]. | Da ging [Anna] mit dem Kind fort.", False),
    ],
)
def test_a_relative_clause_stands_behind_a_comma(line: str, stopped: bool) -> None:
    (view, *_) = views("de", line)
    assert relative_clause(view) is stopped


def test_who_is_told_behind_a_quotation_is_not_quoted() -> None:
    (view, *_) = views("de", "[Anna] sah [Peter]. | »Komm!« sagte [Anna] leise, »komm schnell!«")
    assert not quoted(view)
    (view, *_) = views("de", "[Anna] sah [Peter]. | Er rief: »Hier ist [Anna] gewesen.«")
    assert quoted(view)


def test_names_that_touch_by_chance_are_two_persons() -> None:
    apart = "Dort sah Anna den Wald. Hier sah Peter ihn. " * 30
    known = persons("de", apart, "Ich weiß, daß Anna Peter liebt.")
    assert known.gender("Peter").form == "male"
    assert not known.same("Anna", "Peter")
    assert persons("de", apart, "Anna Holm kam. " * 3 + "Holm ging. " * 9).same("Anna", "Holm")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Dann lag Annas Hut dort.", ["Anna"]),
        ("Dann nahm er [Annas Hand].", ["Anna"]),
        ("Dann gab ihr Anna Wasser.", ["Anna"]),
        ("Dann kam zur Nacht Anna.", ["Anna"]),
        ("Dann kam die Tobsucht Annas.", ["Anna"]),
        ("Dann kam Herr Anna.", ["Herr Anna"]),
        ("Dann kam Anna Seghers.", []),
        ("Dann kam Klara Anna.", []),
    ],
)
def test_a_noun_beside_a_name_is_no_part_of_it(line: str, names: list[str]) -> None:
    assert named("de", "[Anna] kam. Es war [Anna]. Da ging [Anna].", line) == names


def test_a_recogniser_may_leave_out_what_stands_before_a_surname() -> None:
    line = "Herr von [Tann] sah [Anna]. | Dann kam Herr von [Tann]."
    (view, *_) = views("de", line)
    assert view.candidates == ("Herr von Tann", "Anna") and not seldom_person(view)
    (view, *_) = views("de", line, "von Tann. " * 3)
    assert seldom_person(view)


def test_names_that_touch_and_meet_are_two_persons() -> None:
    touch = "Da sah Olivo Casanova kommen. " * 3
    assert persons("de", touch).same("Olivo", "Casanova")
    assert not persons("de", touch + "Casanova kannte Olivo. " * 5).same("Olivo", "Casanova")


def test_a_noun_before_a_given_name_makes_it_no_surname() -> None:
    known = persons("de", "Dort ging Walter. " * 10, "Da kam die Tobsucht Walters. " * 2)
    assert known.gender("Walter").form == "male"


@pytest.mark.parametrize("stops", [in_compound, cut_name])
def test_a_noun_goes_on_behind_a_genitive(stops: ViewFilter) -> None:
    for line, stopped in (
        ("[Anna] sah [Peter]. | Da war [Annas] Tobsucht groß.", False),
        ("[Anna] sah [Peter]. | Da war [Anna] Tobsucht groß.", True),
    ):
        view = views("de", line)[-1]
        words = words_of(view.passage)
        read = Analysis(view.passage, words, ((0, len(view.passage)),), (), upos=_tagged(view))
        assert stops(replace(view, syntax=read)) is stopped, line


def _tagged(view: DraftContext) -> tuple[str, ...]:
    words = (view.passage[start:end] for start, end in words_of(view.passage))
    return tuple("PROPN" if word[0].isupper() and word != "Da" else "VERB" for word in words)


DUTCH = load("nl")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Jan van den Berg] kwam.", ["Jan van den Berg = Jan van den Berg"]),
        # The recogniser cut the name in two, or at its beginning.
        ("Toen kwam [Jan] van den [Berg].", ["Jan van den Berg = Jan van den Berg"]),
        ("Toen kwam De [Vries] binnen.", ["De Vries = de Vries"]),
        # A preposition.
        ("Dit is het boek van [Anna].", ["Anna = Anna"]),
        # Behind an honorific the particle has a capital.
        (
            "Mevrouw Ter [Horst] riep meneer Van [Dam].",
            ["Mevrouw Ter Horst = mevrouw ter Horst", "meneer Van Dam = meneer van Dam"],
        ),
        (
            "[Jan] riep. Het was [Jans] hond en [Anna's] kat.",
            ["Jan = Jan", "Jans = Jan", "Anna = Anna"],
        ),
        ("Hij liep door de [Kerkstraat] naar [Hans].", ["Hans = Hans"]),
    ],
)
def test_what_a_dutch_name_is_called(line: str, wanted: list[str]) -> None:
    assert called("nl", line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("[Van Dam] zag [De Vries]. | Toen ging [Van Dam] weg.", ["Van Dam: [Van Dam] De Vries"]),
        ("[Anna] zag [Jan]. | Dit was [Jans] hond.", ["Jans: Annas [Jans]"]),
    ],
)
def test_examples(line: str, wanted: list[str]) -> None:
    assert made("nl", line) == wanted


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("Jan van den Berg", "Piet van den Heuvel", False),
        ("Jan van den Berg", "van den Berg", True),
        ("Anna de Vries", "Kees de Vries", True),
    ],
)
def test_particles_are_no_shared_words(one: str, other: str, shared: bool) -> None:
    (view, *_) = views("nl", "[Eva] zag [Bram]. | [Eva] ging.")
    assert share_word(view, one, other) is shared


def test_persons_are_told_by_the_last_word() -> None:
    text = "Anna van den Berg kwam. Toen riep Van den Berg. Piet van den Heuvel sliep."
    persons = Persons(Usage(article(text), [], DUTCH), Genders("nl", DUTCH))
    assert persons.same("Anna van den Berg", "van den Berg")
    assert persons.same("Anna", "van den Berg")
    assert not persons.same("Piet", "van den Berg")
    assert not persons.same("Anna van den Berg", "Piet van den Heuvel")
    assert persons.gender("van den Berg").form == "female"
