"""Which names are one person's."""

from __future__ import annotations

from corefmill.builders.wiki.markup.records import Link
from tests.builders.chains.parses import read, resolved, told


def test_parts_of_a_name_are_one_person() -> None:
    sentences, people = resolved(
        [read(["[Martha Lang] sang .", "[Lang] bowed .", "[Martha] left ."])]
    )
    assert told(sentences) == ["Martha Lang 0", "Lang 0", "Martha 0"]
    assert people.found[0].gender == "female"
    evidence = [one.evidence for sentence in sentences for one in sentence.referents]
    assert evidence[:2] == ["", "part_of_name"]


def test_a_surname_of_two_is_nobodys_for_sure() -> None:
    text = read(["[Martha Lang] met [John Lang] .", "[Lang] bowed ."])
    assert told(resolved([text])[0])[-1] == "Lang ambiguous_name"


def test_a_married_woman_is_not_taken_for_her_daughter() -> None:
    text = read(["[Mrs. Lang] met [Martha Lang] ."])
    first, second = told(resolved([text])[0])
    assert first.split()[-1] != second.split()[-1]


def test_links_to_two_articles_are_two_persons() -> None:
    text = read(["[Martha Lang] met [Lang] ."])
    assert len(resolved([text])[1].found) == 1
    links = [Link(0, 11, "Martha Lang", None), Link(16, 20, "Fritz Lang", None)]
    assert len(resolved([text], links=links)[1].found) == 2
