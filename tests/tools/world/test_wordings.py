"""The parts of a world's wordings."""

from __future__ import annotations

import pytest

from tests.tools.world.truths import LANGUAGES
from tools.world.dump import pages, read_table
from tools.world.wordings import languages_with


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_wording_is_in_one_half(lang: str) -> None:
    whole, odd, even = (read_table(lang, half) for half in (None, "odd", "even"))
    worn = whole["kind"][0]["full"][0]
    for kind, first, second in zip(whole["kind"], odd["kind"], even["kind"], strict=True):
        for name in ("short", "dated", "full"):
            assert first[name] and second[name]
            assert {*first[name], *second[name]} == {*kind[name]}
            assert {*first[name]} & {*second[name]} <= {worn}
    assert odd["kind"][0]["full"][0] == even["kind"][0]["full"][0] == worn
    for name, sentences in whole["trap"].items():
        both = [*odd["trap"][name], *even["trap"][name]]
        assert len(both) == len(sentences) or odd["trap"][name] == even["trap"][name] == sentences
    assert odd["prose"] == even["prose"] == whole["prose"]


def test_a_world_is_written_of_a_half() -> None:
    texts = {
        half: "".join(p.text for p in pages("en", 1, wordings=half)) for half in ("odd", "even")
    }
    first, second = read_table("en")["trap"]["participant"]
    for half, template in (("odd", first), ("even", second)):
        words = template.partition("]")[2].partition("{")[0]
        assert [name for name, text in texts.items() if words in text] == [half]


@pytest.mark.parametrize("lang", languages_with("fresh", LANGUAGES))
def test_fresh_wordings_are_others(lang: str) -> None:
    for kind, fresh in zip(
        read_table(lang)["kind"], read_table(lang, "fresh")["kind"], strict=True
    ):
        assert len(fresh["short"]) == len(fresh["dated"]) >= 3
        assert not {*fresh["short"]} & {*kind["short"]}
        assert fresh["clauses"] == kind["clauses"]
