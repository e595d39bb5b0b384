"""Persons in Portuguese: "o João", "dos Santos", "D.", old spellings and double hyphens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.persons.names import with_article
from corefmill.builders.persons.prefilter import cut_at_borders
from corefmill.builders.persons.table import load
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.stages import make_clean_example
from tests.builders.persons.documents import masked, named, persons
from tests.builders.wikicrem.passages import analysed, view

PORTUGUESE = load("pt")


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["Veiu o sr. D. [João]."], ["sr. D. João"]),
        (["Veio a viscondessa de [Armar]."], ["viscondessa de Armar"]),
        (["Veio o tio da [Maria]."], ["Maria"]),
        (["Veio Fr. [Dinis]."], ["Fr. Dinis"]),
        (["Veio [Fr]. Dinis."], []),
        (["[Maria dos Santos] riu."], ["Maria dos Santos"]),
        (["[Anna] riu. | Então [Anna] leu.", "O chapéu [d'Anna] caiu."], ["Anna"]),
        (["Veio Luiz [d'Armar], e com [d'Armar] o frade."], ["d'Armar", "d'Armar"]),
    ],
)
def test_names(lines: list[str], names: list[str]) -> None:
    assert named("pt", *lines) == names


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("O [João] riu, e a [Maria] leu.", ["O João", "a Maria"]),
        ("Disse que o padre [Dinis] leu.", ["o padre Dinis"]),
        ("Viu o [João] e falou do [Pedro] a [Maria].", ["João", "Pedro", "Maria"]),
    ],
)
def test_an_article_goes_with_a_subject(line: str, hidden: list[str]) -> None:
    assert masked("pt", line) == hidden


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


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Maria dos Santos", "Maria", True),
        ("Maria dos Santos", "Pedro dos Reis", False),
        ("José da Silva", "José de Sousa", False),
        ("Francisco", "Chico", True),
        ("Joaninha", "Joana", True),
        ("José Costa e Silva", "Costa e Silva", True),
    ],
)
def test_one_person_under_two_names(one: str, other: str, same: bool) -> None:
    assert persons("pt", "").same(one, other) is same


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("Qorl", "Veio a sr.ª Qorl.", "female"),
        ("Qorl", "Qorl riu. Elle leu. Com Qorl ia elle. Qorl viu o livro d'elle.", "male"),
        ("D. Qorl", "", None),
    ],
)
def test_gender(name: str, text: str, form: str | None) -> None:
    assert persons("pt", text).gender(name).form == form


@pytest.mark.parametrize(
    ("line", "stopped"),
    [
        ("-- [Ana] viu [João] -- disse o moço. -- Hontem {Ana} estava triste.", True),
        ("-- [Ana] viu [João] hontem na praça, e {Ana} estava triste.", False),
        ("-- Viu [Ana]? -- perguntou [João], e olhou para a porta onde {Ana} ria.", False),
    ],
)
def test_quoted_by_a_dash(line: str, stopped: bool) -> None:
    assert SURFACE["quoted"](view(line, table=PORTUGUESE)) is stopped


def test_particles_are_no_part_that_two_names_share() -> None:
    line = "[Maria dos Santos] viu [Rui da Costa] dos lados da praça, e {Maria dos Santos} riu."
    seen = view(line, table=PORTUGUESE)
    assert not SURFACE["shared_name_part"](seen) and not SURFACE["part_of_longer_name"](seen)


def test_an_abbreviated_honorific_ends_no_sentence() -> None:
    analysis = analysed("Falou o sr. | Dinis com a Exma. Anna.")
    assert len(cut_at_borders(analysis, PORTUGUESE.titles)) == 1
