"""Names and fields of a page's templates, on what pages hold and on what attackers write."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.wec.facts import templates
from corefmill.builders.wec.facts.templates import (
    LONGEST_FIELD,
    MOST_FIELDS,
    TemplateCall,
    chain,
    fields,
    find,
    squeeze,
)
from tests.waiting import processor_seconds


def names(text: str) -> list[str]:
    return [template.name for template in find(text, bool)]


def fields_of(text: str) -> dict[str, str]:
    return fields(text, TemplateCall("", 0, len(text)))


def test_a_name_has_one_squeezed_form() -> None:
    written = (
        *("Infobox civilian attack", "infobox Civilian_attack", "Template:Infobox civilian attack"),
        *("subst:Infobox civilian attack", "Infobox\u00a0civilian&nbsp;attack"),
        "Infobox civilian attack\u200e",
    )
    assert {squeeze(name) for name in written} == {"infoboxcivilianattack"}


def test_the_namespace_has_a_name_in_every_language() -> None:
    prefixes = templates.prefix_names(("Plantilla", "Vorlage"))
    assert squeeze("Plantilla:Ficha de atentado", prefixes) == "fichadeatentado"
    assert squeeze("Vorlage:Infobox Erdbeben", prefixes) == "infoboxerdbeben"
    assert squeeze("Template:Infobox Erdbeben", prefixes) == "infoboxerdbeben"
    assert squeeze("Vorlage:Infobox Erdbeben") == "vorlage:infoboxerdbeben"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{Flood}}", "flood"),
        ("{{Flood\n| date = 1\n}}", "flood"),
        ("{{Flood<!-- of 1953 -->\n| date = 1\n}}", "flood"),
        ("{{<!-- a -->Infobox<!-- b --> flood|x}}", "infoboxflood"),
        ("{{Flood|module={{Fire|x}}}} {{Storm}}", "flood fire storm"),
        ("<!-- {{Flood}} --> {{Fire}}", "fire"),
        ("<nowiki>{{Flood}}</nowiki>{{Fire}}", "fire"),
        ("<ref>{{Cite}}</ref><ref name=x />{{Flood}}", "flood"),
        ("<ref>{{Flood}}", "flood"),  # never closed: text
        *((text, "") for text in ("<!-- {{Flood}}", "<includeonly>{{Flood}}</includeonly>")),
        *((text, "") for text in ("{{{Flood|1}}}", "{{{{Flood}}}}", "{{Flood\nfire|1}}")),
        ("{{Flood {{x}}|1}}", "x"),
        ("{{#if:1|{{Flood}}}}", "flood"),
        ("{{Flood", "flood"),
        ("{{Flood|a={{Fire|b}}", "flood fire"),
        ("}}}} {{Flood}} {{", "flood"),
    ],
)
def test_the_templates_of_a_text(text: str, expected: str) -> None:
    assert names(text) == expected.split()


def test_one_that_is_never_closed_has_no_fields() -> None:
    text = "{{Flood\n| date = 1953\n\nThe flood."
    (one,) = find(text, "flood".__eq__)
    assert not one.whole and fields(text, one) == {}


def test_fields() -> None:
    text = """{{Infobox flood
 |  name = North Sea <!-- not the other one --> flood
| Total_Fatalities=2,551
|date = {{start date|1953|1|31}}
| place = [[Zeeland|the province of Zeeland]], [[File:x.jpg|thumb|a=b]]
| note = <ref>{{cite|a|b=c}} | not = a field</ref> done
| empty =
| = nameless
| first
| {{x|y=z}}
}}"""
    assert fields_of(text) == {
        "name": "North Sea  flood",
        "totalfatalities": "2,551",
        "date": "{{start date|1953|1|31}}",
        "place": "[[Zeeland|the province of Zeeland]], [[File:x.jpg|thumb|a=b]]",
        "note": "<ref>{{cite|a|b=c}} | not = a field</ref> done",
        "empty": "",
        "1": "first",
        "2": "{{x|y=z}}",
    }


def test_a_link_that_is_never_closed_swallows_no_fields() -> None:
    assert fields_of("{{a\n| place = [[London\n| date = 1953\n}}")["date"] == "1953"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="{}|[]<!->/= \nanowikref", max_size=60))
def test_any_text(text: str) -> None:
    for template in find(text, bool):
        assert text[template.start : template.start + 2] == "{{"
        fields(text, template)


@pytest.mark.parametrize(
    "unit",
    [
        *("{{", "{{{{{{ ", "{{a|", "{{<!--", "<!--", "<ref>{{", "{{a|[[|"),
        *("{{a|[[" + "| " * 50, "{{flood|" + "{{b|c=" * 100),
    ],
)
def test_hostile_pages_take_linear_time(unit: str) -> None:
    text = "{{flood|" + unit * (100_000 // len(unit)) + "}}"
    with processor_seconds(3):
        for template in find(text, "flood".__eq__)[:3]:
            fields(text, template)
        fields_of(text)


def test_the_lead_ends_at_the_first_heading_and_somewhere() -> None:
    assert templates.lead("a == b\n==C==\n== D ==") == "a == b\n"
    assert templates.lead("==A==") == ""
    assert len(templates.lead("a" * 2**21 + "\n==B==")) == templates.LONGEST_LEAD


def test_fields_without_end_are_bounded() -> None:
    assert len(fields_of("{{a" + "|x" * (MOST_FIELDS + 5) + "}}")) == MOST_FIELDS
    assert fields_of("{{a|x=" + "y" * 99_999 + "}}") == {"x": "y" * LONGEST_FIELD}


def test_chains_end_where_they_close() -> None:
    redirects = {"a": "b", "b": "c", "c": "a"}
    assert list(chain("a", redirects)) == ["a", "b", "c"]
    assert list(chain("x", redirects)) == ["x"]
