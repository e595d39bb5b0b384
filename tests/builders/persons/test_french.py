"""Persons in French: elision, "M. de", "le comte", and who speaks behind a dash."""

from __future__ import annotations

import pytest

from corefmill.builders.persons.name_filters import seldom_person
from corefmill.builders.persons.prefilter import cut_at_borders, windows
from corefmill.builders.persons.table import load
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.stages import make_clean_example
from tests.builders.persons.documents import masked, named, persons, views
from tests.builders.wikicrem.passages import WIKI, analysed, view

FRENCH = load("fr")

DARTAGNAN = "Au soir, M. [d'Artagnan] salua, et de [d'Artagnan] on ne vit plus rien."
EMMA = "[Emma] rit. | Alors [Emma] partit."


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        # Elided words are no part of the name, with either apostrophe.
        (["Il crut [qu'Emma] viendrait."], ["Emma"]),
        (["Il crut [qu’Emma] viendrait."], ["Emma"]),
        (["[L'Emma] du village."], ["Emma"]),
        ([EMMA, "Le chapeau [d'Emma] tomba."], ["Emma"]),
        ([EMMA, "Le chapeau [d’Emma] tomba."], ["Emma"]),
        # Nothing says that it is her name.
        (["Le chapeau [d'Emma] tomba."], ["Emma"]),
        # A particle is, where the document has the name with it alone.
        ([DARTAGNAN, "Puis [d'Artagnan] sortit."], ["d'Artagnan"]),
        ([DARTAGNAN, "Puis d'[Artagnan] sortit."], ["d'Artagnan"]),
        ([DARTAGNAN, "[D'Artagnan] sortit."], ["d'Artagnan"]),
        (["Il vit Charles [d'Ormel]. | [D'Ormel] sortit."], ["d'Ormel", "d'Ormel"]),
        # Honorifics: abbreviated, in small letters, two with an article between, before particles.
        (["M. [Lenoir] et Mme [Lenoir]"], ["M. Lenoir", "Mme Lenoir"]),
        (["Puis M. le comte de la [Tour] vint."], ["M. le comte de la Tour"]),
        (["Puis la marquise d'[Orval] vint."], ["marquise d'Orval"]),
        (["On annonça l'abbé [Morin]."], ["abbé Morin"]),
        (["Vint «monsieur [Morin]»."], ["monsieur Morin"]),
        # Behind kin "de" says whose.
        (["Vint le père de [Julien]."], ["Julien"]),
        (["Vint le père [Julien]."], ["père Julien"]),
        # An accent in the word before was taken for a capital.
        ([EMMA, "Puis [Emma] lut.", "« Oui », répondit Emma."], ["Emma"]),
    ],
)
def test_names(lines: list[str], names: list[str]) -> None:
    assert named("fr", *lines) == names


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("Le comte [Morin] rit.", ["Le comte Morin"]),
        ("Il pleuvait, et l'abbé [Morin] rit.", ["l'abbé Morin"]),
        ("On vit le comte [Morin].", ["comte Morin"]),
    ],
)
def test_an_article_goes_with_a_subject(line: str, hidden: list[str]) -> None:
    assert masked("fr", line) == hidden


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("Mme de Morval", "M. de Morval aima Mme de Morval.", "female"),
        ("Qorl", "Vint M. le baron Qorl.", "male"),
        ("Qorl", "Vint le père de Qorl.", None),
        ("Qorl", "Qorl mangea, dit-elle. Qorl crut qu'elle dormait. Puis Qorl dit ce qu'elle vit.",
         "female"),
        ("Qorl", "Qorl mangea, a-t-il dit. Qorl lut ce qu’il vit. Mais Qorl fut tel qu'il est.",
         "male"),
    ],
)  # fmt: skip
def test_gender(name: str, text: str, form: str | None) -> None:
    assert persons("fr", text).gender(name).form == form


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Marguerite", "Margot", True),
        ("Honoré", "Balzac", True),
        ("M. de Morval", "Mme de Tourvel", False),
        ("Julie d'Orval", "Julie", True),
    ],
)
def test_one_person_under_two_names(one: str, other: str, same: bool) -> None:
    assert persons("fr", "Honoré de Balzac sortit.").same(one, other) is same


SAID = [
    ("— [Emma] vit [Jean] hier, dit le valet, et {Emma} rit beaucoup.", True),  # after the clause
    ("— Il pleut, dit [Emma]; [Jean] lut, et {Emma} rit beaucoup.", True),
    ("— [Emma] vit [Jean] hier au bal, et {Emma} rit beaucoup.", False),  # one speaker named all
    ("— [Emma] vit [Jean] hier au bal, et, {Emma}, je ris beaucoup.", True),  # spoken to
    ("— [Emma] vit [Jean] au bal... — Oui, oui, et puis {Emma} rit beaucoup.", True),
    ("[Emma] vit [Jean] — il pleuvait — et {Emma} rit beaucoup.", False),  # no speech
]


@pytest.mark.parametrize(("line", "stopped"), SAID)
def test_quoted_by_a_dash(line: str, stopped: bool) -> None:
    assert SURFACE["quoted"](view(line, table=FRENCH)) is stopped


@pytest.mark.parametrize(
    ("said", "stopped"), [("« Il pleut, dit {Emma}, et", False), ("« Il pleut, et {Emma}", True)]
)
def test_who_speaks_stands_within_the_marks(said: str, stopped: bool) -> None:
    line = f"[Emma] vit [Jean] au bal. | {said} je ris. »"
    assert SURFACE["quoted"](view(line, table=FRENCH)) is stopped


def test_dialogue_is_prose() -> None:
    line = "— [Emma] vit [Jean] hier au bal, et {Emma} rit beaucoup ! »"
    assert not SURFACE["not_prose"](view(line, table=FRENCH))


def test_who_speaks_behind_a_dash_is_left_open_on_a_wiki() -> None:
    line = "— [Emma] vit [Jean] hier au bal, répondit {Emma}."
    assert SURFACE["speech_tag"](view(line, table=FRENCH, site=WIKI))


def test_the_elided_word_before_the_mask_shows_how_the_name_begins() -> None:
    line = "[Emma] vit [Jean] au bal, et Jean crut l'{Emma} belle."
    assert SURFACE["joined"](view(line, table=FRENCH))
    line = "[Emma] vit [Jean] au bal, et Emma crut que {Jean} riait."
    assert not SURFACE["joined"](view(line, table=FRENCH))


@pytest.mark.parametrize("mark", ["'", "’"])
def test_an_elided_word_before_the_mask_is_written_in_full(mark: str) -> None:
    line = f"[Emma] vit [Jean]. | Il crut qu{mark}{{Emma}} riait, dit-on."
    seen = view(line, table=FRENCH)
    assert not SURFACE["joined"](seen)
    (made,) = make_clean_example(seen, "fr")
    assert made.masked_text == "Emma vit Jean. Il crut que [MASK] riait, dit-on."
    assert made.meta["elided"] == f"qu{mark}"
    start, end = made.target
    assert made.text[start:end] == "Emma"
    assert [made.text[start:end] for _, start, end in made.mentions] == ["Emma", "Jean"]
    assert [made.text[start:end] for start, end in made.sentences] == [
        "Emma vit Jean.",
        "Il crut que Emma riait, dit-on.",
    ]
    tokens = [made.text[start:end] for start, end in made.meta["tokens"]]
    assert tokens[4:8] == ["Il", "crut", "que", "Emma"]
    (plain,) = make_clean_example(view(line.replace(f"qu{mark}", "si "), table=FRENCH), "fr")
    assert "elided" not in plain.meta


def test_particles_are_no_part_that_two_names_share() -> None:
    line = "[M. de Morval] vit [Mme de Tourvel] près de lui, et {M. de Morval} rit."
    seen = view(line, table=FRENCH)
    assert not SURFACE["shared_name_part"](seen) and not SURFACE["part_of_longer_name"](seen)


def test_a_name_behind_an_elided_article_is_a_thing() -> None:
    line = "[Emma] vit [Orval] au bal, et l'Orval coule, et {Emma} rit."
    seen = view(line, table=FRENCH, elsewhere="Dans l'Orval, sur l'Orval.")
    assert SURFACE["used_as_thing"](seen)


def test_an_abbreviated_honorific_ends_no_sentence() -> None:
    analysis = analysed("Emma vit M. | Morin au bal. Mlle. Orval rit.")
    sentences = [analysis.text[s:e] for s, e in cut_at_borders(analysis, FRENCH.titles)]
    assert sentences == ["Emma vit M. Morin au bal.", "Mlle. Orval rit."]


def test_the_prefilter_looks_behind_elisions_and_dashes() -> None:
    text = "— Emma vit Jean. — Qu'Emma rit !"
    assert windows(text, FRENCH.no_names, FRENCH.titles) == [(0, len(text))]
    assert windows("Qu'Emma rit. L'eau. Qu'Anne rit.", FRENCH.no_names, FRENCH.titles) == []


def test_a_recogniser_may_leave_out_an_elided_word_before_a_surname() -> None:
    line = "M. d'[Orval] vit [Emma]. | Puis M. d'[Orval] sortit."
    (view, *_) = views("fr", line)
    assert view.candidates == ("M. d'Orval", "Emma") and not seldom_person(view)


def test_a_frequent_name_is_one_where_the_recogniser_finds_a_quarter() -> None:
    line = "[Zulma] vit [Marc]. | Puis [Zulma] sortit."
    (view, *_) = views("fr", line, "Il chercha [Zulma]. " + "Il oublia Zulma. " * 8)
    assert not seldom_person(view)
    (view, *_) = views("fr", line, "Il chercha [Zulma]. " + "Il resta en Zulma. " * 8)
    assert seldom_person(view)
