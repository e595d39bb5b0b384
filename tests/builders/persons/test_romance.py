"""Persons in French, Spanish and Portuguese: elision, "M. de", "don", "o João", dashes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.persons.name_filters import seldom_person
from corefmill.builders.persons.names import with_article
from corefmill.builders.persons.prefilter import cut_at_borders, windows
from corefmill.builders.persons.table import load
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.stages import make_clean_example
from tests.builders.persons.documents import masked, named, persons, views
from tests.builders.wikicrem.passages import WIKI, analysed, view

FRENCH = load("fr")
DARTAGNAN = "Au soir, M. [d'Artagnan] salua, et de [d'Artagnan] on ne vit plus rien."
EMMA = "[Emma] rit. | Alors [Emma] partit."
SPANISH = load("es")
PORTUGUESE = load("pt")


@pytest.mark.parametrize(
    ("lang", "lines", "names"),
    [
        # Elided words are no part of the name, with either apostrophe.
        ("fr", ["Il crut [qu'Emma] viendrait."], ["Emma"]),
        ("fr", ["Il crut [qu’Emma] viendrait."], ["Emma"]),
        ("fr", ["[L'Emma] du village."], ["Emma"]),
        ("fr", [EMMA, "Le chapeau [d'Emma] tomba."], ["Emma"]),
        ("fr", [EMMA, "Le chapeau [d’Emma] tomba."], ["Emma"]),
        # Nothing says that it is her name.
        ("fr", ["Le chapeau [d'Emma] tomba."], ["Emma"]),
        # A particle is, where the document has the name with it alone.
        ("fr", [DARTAGNAN, "Puis [d'Artagnan] sortit."], ["d'Artagnan"]),
        ("fr", [DARTAGNAN, "Puis d'[Artagnan] sortit."], ["d'Artagnan"]),
        ("fr", [DARTAGNAN, "[D'Artagnan] sortit."], ["d'Artagnan"]),
        ("fr", ["Il vit Charles [d'Ormel]. | [D'Ormel] sortit."], ["d'Ormel", "d'Ormel"]),
        # Honorifics: abbreviated, in small letters, two with an article between, before particles.
        ("fr", ["M. [Lenoir] et Mme [Lenoir]"], ["M. Lenoir", "Mme Lenoir"]),
        ("fr", ["Puis M. le comte de la [Tour] vint."], ["M. le comte de la Tour"]),
        ("fr", ["Vint «monsieur [Morin]»."], ["monsieur Morin"]),
        # Behind kin "de" says whose.
        ("fr", ["Vint le père de [Julien]."], ["Julien"]),
        ("fr", ["Vint le père [Julien]."], ["père Julien"]),
        # An accent in the word before was taken for a capital.
        ("fr", [EMMA, "Puis [Emma] lut.", "« Oui », répondit Emma."], ["Emma"]),
        ("es", ["Vino don [Juan] con doña [Inés]."], ["don Juan", "doña Inés"]),
        ("es", ["Vino el Sr. D. [Juan]."], ["Sr. D. Juan"]),
        ("es", ["Vino la tía de [Juan]."], ["Juan"]),
        ("es", ["[¡Juan], ven!"], ["Juan"]),
        ("es", ["¡Don [Juan]!"], ["Don Juan"]),
        # An accent at the end of the word before was taken for a capital.
        ("es", ["[Juan] rio. | Vio a [Juan]. | Y [Juan] calló.", "—Sí —exclamó Juan."], ["Juan"]),
        ("pt", ["Veiu o sr. D. [João]."], ["sr. D. João"]),
        ("pt", ["Veio o tio da [Maria]."], ["Maria"]),
        ("pt", ["Veio Fr. [Dinis]."], ["Fr. Dinis"]),
        ("pt", ["Veio [Fr]. Dinis."], []),
        ("pt", ["Veio Luiz [d'Armar], e com [d'Armar] o frade."], ["d'Armar", "d'Armar"]),
    ],
)
def test_names(lang: str, lines: list[str], names: list[str]) -> None:
    assert named(lang, *lines) == names


@pytest.mark.parametrize(
    ("lang", "line", "hidden"),
    [
        ("fr", "Le comte [Morin] rit.", ["Le comte Morin"]),
        ("fr", "Il pleuvait, et l'abbé [Morin] rit.", ["l'abbé Morin"]),
        ("fr", "On vit le comte [Morin].", ["comte Morin"]),
        ("es", "El conde [Ruiz] rio.", ["El conde Ruiz"]),
        ("es", "Vio al conde [Ruiz].", ["conde Ruiz"]),
        ("es", "Vio a la [Pepa].", ["Pepa"]),
        ("pt", "O [João] riu, e a [Maria] leu.", ["O João", "a Maria"]),
        ("pt", "Viu o [João] e falou do [Pedro] a [Maria].", ["João", "Pedro", "Maria"]),
    ],
)
def test_an_article_goes_with_a_subject(lang: str, line: str, hidden: list[str]) -> None:
    assert masked(lang, line) == hidden


@pytest.mark.parametrize(
    ("lang", "one", "other", "same"),
    [
        ("fr", "Marguerite", "Margot", True),
        ("fr", "Honoré", "Balzac", True),
        ("fr", "M. de Morval", "Mme de Tourvel", False),
        ("es", "Gabriel", "Ruiz Montes", False),
        ("es", "Ruiz Montes", "Ruiz Lorca", False),
        ("es", "Ruiz y Lagos", "Ruiz", True),
        ("es", "Vega y Lagos", "Ruiz y Soto", False),
        ("es", "María de la Vega", "Ana de la Torre", False),
        ("es", "Sabel", "Sabelita", True),
        ("es", "Juan", "Juana", False),
        ("pt", "Maria dos Santos", "Pedro dos Reis", False),
        ("pt", "José da Silva", "José de Sousa", False),
        ("pt", "José Costa e Silva", "Costa e Silva", True),
    ],
)
def test_one_person_under_two_names(lang: str, one: str, other: str, same: bool) -> None:
    assert persons(lang, "Honoré de Balzac sortit.").same(one, other) is same


@pytest.mark.parametrize(
    ("lang", "name", "text", "form"),
    [
        ("fr", "Mme de Morval", "M. de Morval aima Mme de Morval.", "female"),
        ("fr", "Qorl", "Vint M. le baron Qorl.", "male"),
        ("fr", "Qorl", "Vint le père de Qorl.", None),
        (
            "fr",
            "Qorl",
            "Qorl mangea, dit-elle. Qorl crut qu'elle dormait. Puis Qorl dit ce qu'elle vit.",
            "female",
        ),
        (
            "es",
            "Qorl",
            "Qorl rio. Ella calló. Qorl vio que ella dormía. Con Qorl iba ella.",
            "female",
        ),
        # Whoever follows a dash is another.
        ("es", "Qorl", "—Ven —dijo Qorl—. Ella está. " * 4, None),
        ("pt", "Qorl", "Veio a sr.ª Qorl.", "female"),
        ("pt", "D. Qorl", "", None),
    ],
)
def test_gender(lang: str, name: str, text: str, form: str | None) -> None:
    assert persons(lang, text).gender(name).form == form


@pytest.mark.parametrize(
    ("lang", "line", "stopped"),
    [
        (
            "fr",
            "— [Emma] vit [Jean] hier, dit le valet, et {Emma} rit beaucoup.",
            True,
        ),  # after the clause
        ("fr", "— Il pleut, dit [Emma]; [Jean] lut, et {Emma} rit beaucoup.", True),
        (
            "fr",
            "— [Emma] vit [Jean] hier au bal, et {Emma} rit beaucoup.",
            False,
        ),  # one speaker named all
        ("fr", "— [Emma] vit [Jean] hier au bal, et, {Emma}, je ris beaucoup.", True),  # spoken to
        ("fr", "[Emma] vit [Jean] — il pleuvait — et {Emma} rit beaucoup.", False),  # no speech
        ("es", "—[Ana] vio a [Juan] ayer en la plaza, y {Ana} estaba muy triste.", False),
        (
            "es",
            "—¿Vio a [Ana]? —preguntó [Juan], y miró la puerta mientras {Ana} reía—. No.",
            False,
        ),
        ("es", "-Vi a [Ana] con [Juan] -dijo el mozo-; y luego {Ana} estaba muy triste.", True),
        ("es", "[Juan] vio a [Ana] y dijo: —Ven aquí, y que {Ana} esté tranquila.", True),
        ("pt", "-- [Ana] viu [João] hontem na praça, e {Ana} estava triste.", False),
        ("pt", "-- Viu [Ana]? -- perguntou [João], e olhou para a porta onde {Ana} ria.", False),
    ],
)
def test_quoted_by_a_dash(lang: str, line: str, stopped: bool) -> None:
    assert SURFACE["quoted"](view(line, table=load(lang))) is stopped


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


def test_particles_are_no_part_that_two_names_share_in_french() -> None:
    line = "[M. de Morval] vit [Mme de Tourvel] près de lui, et {M. de Morval} rit."
    seen = view(line, table=FRENCH)
    assert not SURFACE["shared_name_part"](seen) and not SURFACE["part_of_longer_name"](seen)


def test_a_name_behind_an_elided_article_is_a_thing() -> None:
    line = "[Emma] vit [Orval] au bal, et l'Orval coule, et {Emma} rit."
    seen = view(line, table=FRENCH, elsewhere="Dans l'Orval, sur l'Orval.")
    assert SURFACE["used_as_thing"](seen)


def test_an_abbreviated_honorific_ends_no_sentence_in_french() -> None:
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


def test_a_question_is_prose_and_a_border() -> None:
    seen = view("¿[Ana] vio a [Juan] ayer en la plaza? | Sí, {Ana} estaba allí.", table=SPANISH)
    assert not SURFACE["not_prose"](seen)
    analysis = analysed("Juan callaba. ¿Quién era? ¡Ana!")
    assert len(cut_at_borders(analysis, SPANISH.titles)) == 3


def test_the_record_hides_the_article_and_names_without_it() -> None:
    seen = view("[João] viu [Maria], e o {João} riu com ela.", table=PORTUGUESE)
    draft = seen.draft
    target = with_article(draft.target, seen.text, PORTUGUESE)
    names = tuple(target if name == draft.target else name for name in draft.names)
    (record,) = make_clean_example(
        replace(seen, draft=replace(draft, target=target, names=names)), "pt"
    )
    assert record.masked_text == "João viu Maria, e [MASK] riu com ela."
    assert record.candidates == ("João", "Maria")
    assert target.mention == (20, 24) and seen.text[20:24] == "João"


def test_an_abbreviated_honorific_ends_no_sentence_in_portuguese() -> None:
    analysis = analysed("Falou o sr. | Dinis com a Exma. Anna.")
    assert len(cut_at_borders(analysis, PORTUGUESE.titles)) == 1
