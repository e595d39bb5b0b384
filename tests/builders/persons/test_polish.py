"""Polish names: their forms are one name, and an example shows its candidates in one case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.name_filters import (
    odd_name,
    part_of_longer_name,
    seldom_person,
    share_word,
)
from corefmill.builders.persons.names import canonical_names, decline_name
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prefilter import windows
from corefmill.builders.persons.table import load
from corefmill.builders.persons.usage import Usage
from corefmill.builders.wikicrem.filters import not_prose, quoted
from corefmill.builders.wikicrem.filters_syntax import in_compound, modified
from tests.builders.persons.documents import called, made, views
from tests.builders.wikicrem.passages import article, words_of

POLISH = load("pl")


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ("Kowalski,Kowalskiego,Kowalskiemu,Kowalskim", "Kowalski"),
        ("Anna,Anny,Annie,Annę,Anną,Anno", "Anna"),
        ("Kowalska,Kowalskiej,Kowalską", "Kowalska"),
        ("Paweł,Pawła,Pawłowi,Pawłem,Pawle", "Paweł"),
        ("Maciek,Maćka,Maćkowi,Maćkiem", "Maciek"),
        ("Jerzy,Jerzego,Jerzemu,Jerzym", "Jerzy"),
        ("Grzegorz,Grzegorza,Grzegorzem,Grzegorzu", "Grzegorz"),
        ("Magda,Magdy,Magdzie,Magdę,Magdą", "Magda"),
        ("Kościuszko,Kościuszki,Kościuszce,Kościuszkę", "Kościuszko"),
        ("Staś,Stasia,Stasiowi,Stasiem", "Staś"),
        ("Jan Kowalski,Jana Kowalskiego,Janowi Kowalskiemu", "Jan Kowalski"),
        ("Anna Nowak,Anny Nowak,Annie Nowak", "Anna Nowak"),
        ("pan Kowalski,pana Kowalskiego,Panu Kowalskiemu", "pan Kowalski"),
        ("ksiądz Piotr,księdza Piotra,księdzem Piotrem", "ksiądz Piotr"),
        # The nominative stands nowhere.
        ("Jana Kowalskiego,Janem Kowalskim", "Jan Kowalski"),
        ("Nałkowskiej,Nałkowską", "Nałkowska"),
    ],
)
def test_forms_of_one_name(names: str, wanted: str) -> None:
    assert set(canonical_names(names.split(","), POLISH).values()) == {wanted}


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        # A husband and his wife.
        ("Kowalski,Kowalska,Kowalskiego,Kowalskiej", "Kowalski,Kowalska,Kowalski,Kowalska"),
        ("pan Nowak,pani Nowak,panią Nowak", "pan Nowak,pani Nowak,pani Nowak"),
        ("Adam,Ada,Adama,Ady", "Adam,Ada,Adam,Ada"),
        # His genitive, or her nominative: others speak for either.
        ("Józef,Józefa,Józefę", "Józef,Józef/Józefa,Józefa"),
        # The surname, which is in one case with it, and the honorific tell.
        ("Józefa Kowalskiego,Józefa", "Józef Kowalski,Józef"),
        ("Józef,pana Józefa,Józefę", "Józef,pan Józef,Józefa"),
        ("Jan,Jana,Janina,Janiny", "Jan,Jan,Janina,Janina"),
        ("Karol,Karolem,Karolina,Karoliną", "Karol,Karol,Karolina,Karolina"),
    ],
)
def test_names_that_are_two(names: str, wanted: str) -> None:
    read = names.split(",")
    found = canonical_names(read, POLISH)
    assert [found[name] for name in read] == wanted.split(",")


def test_a_name_that_may_be_eithers_is_no_candidate() -> None:
    (view, *_) = views(
        "pl", "[Adam] widział, jak [Józefa] śpi, i [Adam] wyszedł.", "[Józef] i [Józefę]."
    )
    assert view.candidates == ("Adam", "Józef/Józefa")
    assert odd_name(view)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        # Masked in the genitive, the other candidate is put into it.
        ("[Anna] znała [Marka]. | Nie było tam [Anny].", ["Anny: [Anny] Marka"]),
        ("[Anna] i [Basia] czekały. | [Annie] było zimno.", ["Annie: [Annie] Basi"]),
        # The passage has the form that is wanted.
        (
            "[Marek] bał się [Ewy], a ona [Marka].",
            ["Marka: [Marka] Ewy"],
        ),
        ("[Zosia] śmiała się z [Tomka], lecz [Zosi] nie słyszał.", ["Zosi: [Zosi] Tomka"]),
        (
            "[Pan Nowak] ukłonił się [pani Górskiej]. | [Panu Nowakowi] drżały ręce.",
            ["Panu Nowakowi: [Panu Nowakowi] pani Górskiej"],
        ),
    ],
)
def test_examples_show_all_candidates_in_one_case(line: str, wanted: list[str]) -> None:
    assert made("pl", line) == wanted


def test_a_known_name_is_carried_over_in_its_other_forms() -> None:
    """The recogniser missed the dative."""
    line = "[Anna] wstała, [Anny] nikt nie słyszał, [Annę] bolało. | Annie było zimno."
    assert called("pl", line)[-1] == "Annie = Anna"


def test_a_word_in_another_form_outside_all_names_is_seen() -> None:
    line = "[Kowalski] znał [Annę]. | [Kowalski] wszedł do hotelu Kowalskiego."
    (view, *_) = views("pl", line)
    assert part_of_longer_name(view)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("Jan Kowalski", "Kowalskiego", True),
        ("Anna Kowalska", "Kowalski", False),
        ("Annie", "Anna", True),
        ("Ewa", "Adam", False),
    ],
)
def test_words_that_may_be_forms_of_one_are_shared(one: str, other: str, shared: bool) -> None:
    (view, *_) = views("pl", "[Ewa] znała [Adama]. | [Ewa] wyszła.")
    assert share_word(view, one, other) is shared


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Anna poznała Marka. Potem Annie było zimno.", True),
        ("Anna poznała Marka. Potem Basi było zimno.", False),
        ("Kowalski poszedł tam z Ewą. Nie lubiła Kowalskiego.", True),
    ],
)
def test_the_prefilter_sees_a_name_in_another_form(line: str, found: bool) -> None:
    assert bool(windows(line, POLISH.no_names, POLISH.titles, POLISH.may_be)) is found


@pytest.mark.parametrize(
    ("name", "text", "form", "reason"),
    [
        ("Kowalska", "", "female", "ending"),
        ("Zieliński", "", "male", None),
        ("pani Nowak", "", "female", "honorific"),
        # The honorific stands in the genitive elsewhere.
        ("Nowak", "List od pani Nowak leżał obok.", "female", "honorific"),
        # The given name stands in the dative.
        ("Wilk", "Podał rękę Barbarze Wilk.", "female", "given name"),
    ],
)
def test_gender(name: str, text: str, form: str, reason: str | None) -> None:
    known = Persons(Usage(article(text), [], POLISH), Genders("pl", POLISH)).gender(name)
    assert known.form == form and reason in (None, known.reason)


def test_a_pet_form_is_the_person_in_any_case() -> None:
    persons = Persons(
        Usage(article("Zofia Lis, zwana Sową, spała."), [], POLISH), Genders("pl", POLISH)
    )
    assert persons.same("Zosia", "Zofia")
    assert persons.same("Zofia Lis", "Sowa")
    assert not persons.same("Zosia", "Anna")


@pytest.mark.parametrize(
    ("name", "case", "wanted"),
    [
        ("Barbara Górska", 2, "Barbarze Górskiej"),
        ("pan Marek", 1, "pana Marka"),
        ("Andrzej", 4, "Andrzejem"),
        ("Jagienka", 3, "Jagienkę"),
        ("Goethe", 1, "Goethego"),
        ("Zbyszek", 6, "Zbyszku"),
        ("Olga", 5, "Oldze"),
        ("pani Nowak", 1, "pani Nowak"),
        ("hrabina Reuss", 3, "hrabinę Reuss"),
        ("panna Castelli", 4, "panną Castelli"),
        ("panna Zaręba", 2, "pannie Zarębie"),
        ("hrabia Reuss", 1, "hrabiego Reussa"),
        ("Górskich", 1, "Górskich"),
    ],
)
def test_a_name_in_a_case(name: str, case: int, wanted: str) -> None:
    assert decline_name(name, case, POLISH) == wanted


def test_a_given_name_is_one_where_the_recogniser_misses_half_its_forms() -> None:
    missed = "Nikt nie znał Zosi ani Zosi, ani Zulmy. Nikt nie widział Zosi, Zosi, Zulmy ani Zulmy."
    (view, *_) = views("pl", "[Zosia] znała [Marka]. | Potem [Zosia] wyszła.", missed)
    assert not seldom_person(view)
    (view, *_) = views("pl", "[Zulma] znała [Marka]. | Potem [Zulma] wyszła.", f"{missed} Zulmy.")
    assert seldom_person(view)
    (view, *_) = views("pl", "[Zulma] znała [Marka]. | Potem [Zulma] wyszła.", "Szukał Zulmy.")
    assert not seldom_person(view)


def test_a_frequent_name_is_one_where_the_recogniser_finds_a_quarter() -> None:
    line = "[Zulma] znała [Marka]. | Potem [Zulma] wyszła."
    (view, *_) = views("pl", line, "Szukał [Zulmy]. " + "Nie znał Zulmy. " * 8)
    assert not seldom_person(view)
    (view, *_) = views("pl", line, "Szukał [Zulmy]. " + "Nie był w Zulmie. " * 8)
    assert seldom_person(view)


def test_a_name_that_the_table_knows_is_not_in_doubt() -> None:
    line = "[Hieronim] znał [Hieronimę]. Nie było [Hieronima]."
    assert called("pl", line)[-1] == "Hieronima = Hieronim"


def test_who_speaks_behind_a_dash() -> None:
    line = "— Dobrze. — [Ewa] i [Adam] wyszli. | — Dokąd? — spytał [Adam] po chwili."
    (view, *_) = views("pl", line)
    assert not quoted(view) and not not_prose(view)


@pytest.mark.parametrize(
    ("line", "relation", "stopped"),
    [
        # "oczy jego" is as good.
        ("[Anna] znała [Jana]. | Lubiła oczy [Jana].", "nmod Case=Gen", False),
        ("[Anna] znała [Jana]. | Lubiła oczy [Jana].", "flat Case=Gen", True),
        ("[Anna] znała [Jana]. | Ma suknię, którą [Jana] widział.", "nmod Case=Nom", False),
    ],
)
def test_a_possessor_stands_behind_its_noun(line: str, relation: str, stopped: bool) -> None:
    view = views("pl", line)[-1]
    words = words_of(view.passage)
    mask = max(at for at, (start, end) in enumerate(words) if view.passage[start:end] == "Jana")
    deprel, feat = relation.split()
    size = len(words)
    read = Analysis(
        view.passage,
        words,
        ((0, len(view.passage)),),
        (),
        upos=("NOUN",) * size,
        deprel=tuple(deprel if at == mask else "dep" for at in range(size)),
        head=tuple(mask - 1 if at == mask else at for at in range(size)),
        feats=tuple(feat if at == mask else "" for at in range(size)),
    )
    assert modified(replace(view, syntax=read)) is stopped


@pytest.mark.parametrize(
    ("line", "noun", "feats", "stopped"),
    [
        # Another case than the name's, by whatever relation the parser has.
        ("[Anna] znała [Jana]. | Twarz [Jana] zbladła.", "Twarz", "Case=Nom|Gender=Fem", False),
        ("[Anna] znała [Jana]. | Wita kowala [Jana].", "kowala", "Case=Gen|Gender=Masc", True),
        # The case may be the name's, but it is a thing, or of the other gender.
        (
            "[Anna] znała [Jana]. | Na dwór [Jana].",
            "dwór",
            "Animacy=Inan|Case=Acc|Gender=Masc",
            False,
        ),
        ("[Anna] znała [Jana]. | Ma przysięgę [Jana].", "przysięgę", "Case=Acc|Gender=Fem", False),
        # An adjective that was read as a noun.
        ("[Anna] znała [Jana]. | Tu młody [Jan] wyszedł.", "młody", "Case=Nom|Gender=Fem", True),
    ],
)
def test_a_noun_that_does_not_agree_is_no_word_for_the_bearer(
    line: str, noun: str, feats: str, stopped: bool
) -> None:
    view = views("pl", line)[-1]
    assert modified(replace(view, syntax=_beside(view, noun, feats, -1))) is stopped


def test_a_noun_in_another_case_is_no_part_of_a_compound() -> None:
    view = views("pl", "[Jan] znał [Annę]. | Wczoraj [Anna] sukni nie zdjęła.")[-1]
    for feats, stopped in (("Case=Gen", False), ("Case=Nom", True)):
        assert in_compound(replace(view, syntax=_beside(view, "sukni", feats, 1))) is stopped


def _beside(view: DraftContext, noun: str, feats: str, place: int) -> Analysis:
    """A parse in which a noun hangs on the mask, which stands this many words from it."""
    words = words_of(view.passage)
    forms = [view.passage[start:end] for start, end in words]
    at = len(forms) - 1 - forms[::-1].index(noun)
    return Analysis(
        view.passage,
        words,
        ((0, len(view.passage)),),
        (),
        upos=("NOUN",) * len(words),
        deprel=("dep",) * len(words),
        head=tuple(word - place if word == at else word for word in range(len(words))),
        feats=tuple(feats if word == at else "" for word in range(len(words))),
    )
