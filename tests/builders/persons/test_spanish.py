"""Persons in Spanish: two surnames, "don", "D.", and dashes that part speech from who speaks."""

from __future__ import annotations

import pytest

from corefmill.builders.persons.prefilter import cut_at_borders
from corefmill.builders.persons.table import load
from corefmill.builders.wikicrem.filters import SURFACE
from tests.builders.persons.documents import masked, named, persons
from tests.builders.wikicrem.passages import analysed, view

SPANISH = load("es")


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["Vino don [Juan] con doña [Inés]."], ["don Juan", "doña Inés"]),
        (["Vino el Sr. D. [Juan]."], ["Sr. D. Juan"]),
        (["Vino la señora de la [Vega]."], ["señora de la Vega"]),
        (["Vino la tía de [Juan]."], ["Juan"]),
        (["[¡Juan], ven!"], ["Juan"]),
        (["¡Don [Juan]!"], ["Don Juan"]),
        # An accent at the end of the word before was taken for a capital.
        (["[Juan] rio. | Vio a [Juan]. | Y [Juan] calló.", "—Sí —exclamó Juan."], ["Juan"]),
    ],
)
def test_names(lines: list[str], names: list[str]) -> None:
    assert named("es", *lines) == names


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("El conde [Ruiz] rio.", ["El conde Ruiz"]),
        ("Vio al conde [Ruiz].", ["conde Ruiz"]),
        ("Vio a la [Pepa].", ["Pepa"]),
    ],
)
def test_an_article_goes_with_a_subject(line: str, hidden: list[str]) -> None:
    assert masked("es", line) == hidden


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Gabriel Ruiz Montes", "Ruiz Montes", True),
        ("Gabriel Ruiz Montes", "Ruiz", True),
        ("Ruiz Montes", "Ruiz", True),
        ("Gabriel", "Ruiz Montes", False),
        ("Ruiz Montes", "Ruiz Lorca", False),
        ("Ruiz y Lagos", "Ruiz", True),
        ("Vega y Lagos", "Ruiz y Soto", False),
        ("María de la Vega", "Ana de la Torre", False),
        ("Francisco", "Paco", True),
        ("Sabel", "Sabelita", True),
        ("Juan", "Juana", False),
    ],
)
def test_one_person_under_two_names(one: str, other: str, same: bool) -> None:
    assert persons("es", "").same(one, other) is same


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("Qorl", "Vino doña Qorl.", "female"),
        ("Sr. Qorl", "", "male"),
        ("Qorl", "Qorl rio. Ella calló. Qorl vio que ella dormía. Con Qorl iba ella.", "female"),
        # Whoever follows a dash is another.
        ("Qorl", "—Ven —dijo Qorl—. Ella está. " * 4, None),
    ],
)
def test_gender(name: str, text: str, form: str | None) -> None:
    assert persons("es", text).gender(name).form == form


@pytest.mark.parametrize(
    ("line", "stopped"),
    [
        ("—[Ana] vio a [Juan] —dijo el mozo—. Ayer {Ana} estaba muy triste.", True),
        ("—[Ana] vio a [Juan] ayer en la plaza, y {Ana} estaba muy triste.", False),
        ("—¿Vio a [Ana]? —preguntó [Juan], y miró la puerta mientras {Ana} reía—. No.", False),
        ("-Vi a [Ana] con [Juan] -dijo el mozo-; y luego {Ana} estaba muy triste.", True),
        ("[Juan] vio a [Ana] y dijo: —Ven aquí, y que {Ana} esté tranquila.", True),
    ],
)
def test_quoted_by_a_dash(line: str, stopped: bool) -> None:
    assert SURFACE["quoted"](view(line, table=SPANISH)) is stopped


def test_a_question_is_prose_and_a_border() -> None:
    seen = view("¿[Ana] vio a [Juan] ayer en la plaza? | Sí, {Ana} estaba allí.", table=SPANISH)
    assert not SURFACE["not_prose"](seen)
    analysis = analysed("Juan callaba. ¿Quién era? ¡Ana!")
    assert len(cut_at_borders(analysis, SPANISH.titles)) == 3
