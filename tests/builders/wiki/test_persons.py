"""What an article's categories and templates say about whether it is about a person."""

from __future__ import annotations

import pytest

from corefmill.builders.wiki.person_signs import is_person


@pytest.mark.parametrize(
    ("categories", "templates", "lang"),
    [
        (["1815 births"], [], "en"),
        (["English mathematicians", "1852 deaths"], [], "en"),
        (["Living people"], [], "en"),
        (["People from London"], [], "en"),
        (["Fictional English people"], [], "en"),
        ([], ["Infobox person"], "en"),
        ([], ["infobox_officeholder"], "en"),
        ([], ["Short description", " Infobox basketball player "], "en"),
        (["Nati nel 1815"], [], "it"),
        (["Morti a Londra"], [], "it"),
        (["Personaggi de I promessi sposi"], [], "it"),
        ([], ["Bio"], "it"),
        ([], ["Artista_musicale"], "it"),
    ],
)
def test_a_person(categories: list[str], templates: list[str], lang: str) -> None:
    assert is_person(categories, templates, lang) is True


@pytest.mark.parametrize(
    ("templates", "lang"),
    [
        (["Infobox settlement"], "en"),
        (["Infobox film"], "en"),
        (["speciesbox"], "en"),
        (["Short description", "Coord"], "en"),
        (["Divisione amministrativa"], "it"),
        (["Film"], "it"),
        (["tassobox"], "it"),
    ],
)
def test_a_thing(templates: list[str], lang: str) -> None:
    assert is_person(["Articles with short description"], templates, lang) is False


@pytest.mark.parametrize(
    ("categories", "templates", "lang"),
    [
        ([], [], "en"),
        (["Counties of England"], ["Short description", "Reflist"], "en"),
        (["Birthsites"], [], "en"),
        (["Living people's rights"], [], "en"),
        (["Fiumi d'Italia"], ["Biografie"], "it"),
        (["1815 births"], ["Infobox person"], "it"),
    ],
)
def test_nothing_tells(categories: list[str], templates: list[str], lang: str) -> None:
    assert is_person(categories, templates, lang) is None
