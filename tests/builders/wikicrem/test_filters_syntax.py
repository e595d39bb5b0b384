"""Each filter on the parse stops what it is named for, and lets the near miss through."""

from __future__ import annotations

from dataclasses import replace

import pytest

from corefmill.builders.nlp import Analysis, load_pipeline
from corefmill.builders.persons.table import load
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from tests.builders.rows import rows
from tests.builders.wikicrem.passages import marked, parsed, view


def stops(filter: str, line: str, syntax: Analysis | None) -> bool:
    return SYNTAX[filter](view(line, syntax=syntax))


def parse(line: str, relations: str = "") -> Analysis:
    return parsed(marked(line).text, relations)


# A filter, a marked line, and the relations of its parse (see passages.py).
STOPPED = rows("""
    verbless  [Ann] met [Bob]. | The mill of {Ann}.
    verbless  [Ann] and [Bob]. | {Ann} left.
    modified  [Ann] met [Bob]. | Young {Ann} left.  Ann amod Young
    modified  [Ann] met [Bob]. | His niece {Ann} left.  left nsubj niece; niece appos Ann
    in_compound  [Ann] met [Bob] at the {Ann} festival.  festival compound Ann
    in_compound  [Ann] met [Bob]. | {Ann} 2 left.  Ann nummod 2
    cut_name  [Ann] met [Bob] Eve and {Ann} left.
    cut_name  [Ann] met Eve [Bob]. | {Ann} left.
    genitive  [Ann] met [Bob]. | The death of {Ann} came.
    genitive  [Ann] met [Bob]. | It was a film by {Ann}.
    apposition  [Ann] met [Bob]. | Her name, {Ann}, was old.  name appos Ann
    apposition  [Ann] met [Bob]. | {Ann} (old miller) left.  Ann appos miller
    apposition  [Ann] met [Bob]. | {Ann}, a miller, left.
    apposition  [Ann] met [Bob]. | It rained on her, {Ann}, now.
    # Joined clauses, a governing clause, a pronoun that is not the one whom it governs.
    rival_pronoun  [Ann] met [Eve], and {Eve} left.  met nsubj Ann; left nsubj Eve; met conj left
    rival_pronoun  [Ann] told [Eve] {Eve} left.  told nsubj Ann; left nsubj Eve; told ccomp left
    rival_pronoun  [Ann] met [Eve]. | Now she told us {Eve} left.
        met nsubj Ann; told nsubj she; left nsubj Eve; told ccomp left
    rival_pronoun  [Ann] met [Eve] and {Eve}'s hat was lost.
        met nsubj Ann; hat nmod:poss Eve; lost nsubj:pass hat; met conj lost
    # The first sentence's subject is a pronoun for somebody else, or the only subject of the two.
    rival_pronoun  She met [Eve] and [Ann]. | {Eve} left.
        met nsubj She; met obj Eve/1; left nsubj Eve
    rival_pronoun  [Ann] met [Eve]'s dog. | {Eve} left.
        met nsubj Ann; met obj dog; dog nmod:poss Eve/1; left nsubj Eve
    rival_pronoun  [Ann] told [Eve] the dog met {Eve}.
        told nsubj Ann; met nsubj dog; met obj Eve; told ccomp met
    doubtful  [Ann] met [Eve], and {Eve} left.
        met nsubj Ann; met obj Eve/1; left nsubj Eve; met conj left
""")

LET_THROUGH = rows("""
    verbless  [Ann] met [Bob]. | {Ann} was late.
    modified  [Ann] met [Bob]. | Now {Ann} left.
    modified  [Ann] met [Bob]. | In spring, {Ann} left.
    # A noun before the mask that the mask's clause hangs on.
    modified  [Ann] met [Bob] the day {Ann} left.  left nsubj Ann; day acl left
    in_compound  [Ann] met [Bob]. | {Ann}'s hat was lost.
    in_compound  [Ann] met [Bob], and it rained on {Ann}
    cut_name  [Ann] met [Bob] and Eve-[Cyd]. | {Ann} left.
    cut_name  [Ann] met [Bob] there. | Then {Ann} left Eve.
    genitive  [Ann] met [Bob]. | It was built by {Ann}.
    genitive  [Ann] met [Bob]. | He had a gift for {Ann}.
    apposition  [Ann] met [Bob]. | {Ann}, a miller told us, left.  left nsubj Ann
    apposition  [Ann] met [Bob], a miller, and {Ann} left.  Bob appos miller
    # No pause, no apposition, whatever the parser says.
    apposition  [Ann] met [Bob], and it met {Ann} now.  it appos Ann
    apposition  [Ann] met [Bob], and {Ann}, late at the mill, left.
    modified  [Ann] met [Bob]. | In spring {Ann} left.  left nsubj Ann; left obl spring
    genitive  [Ann] met [Bob]. | The death of {Ann}'s niece came.
    # Bob is no "she".
    rival_pronoun  [Bob] met [Ann], and {Ann} left.  met nsubj Bob; left nsubj Ann; met conj left
    # "Eve met her": who meets somebody is somebody else.
    rival_pronoun  [Eve] left [Ann], and [Ann] met {Eve}.  left conj met; met nsubj Ann; met obj Eve
    doubtful  [Bob] met [Ann], and {Ann} left.
        met nsubj Bob; met obj Ann/1; left nsubj Ann; met conj left
""")


@pytest.mark.parametrize("case", STOPPED)
def test_stops(case: list[str]) -> None:
    filter, line, *relations = case
    read = parse(line, *relations)
    assert stops(filter, line, read)
    # Without parts of speech nothing is stopped.
    assert not stops(filter, line, None)
    assert not stops(filter, line, replace(read, upos=(), deprel=(), head=()))


@pytest.mark.parametrize("case", LET_THROUGH)
def test_lets_through(case: list[str]) -> None:
    filter, line, *relations = case
    assert not stops(filter, line, parse(line, *relations))


@pytest.mark.parametrize("cases", [STOPPED, LET_THROUGH])
def test_no_filter_comes_without_a_case(cases: list[list[str]]) -> None:
    assert {filter for filter, *_ in cases} == set(SYNTAX)


@pytest.mark.parametrize("filter", ["apposition", "rival_pronoun", "doubtful"])
def test_without_heads_the_filters_on_relations_stop_nothing(filter: str) -> None:
    for line, *relations in (case[1:] for case in STOPPED if case[0] == filter):
        tagged = replace(parse(line, *relations), deprel=(), head=())
        assert not stops(filter, line, tagged)


@pytest.mark.parametrize("before", ["", "It rained on the old mill that day."])
def test_the_parse_counts_from_the_passage_not_the_paragraph(before: str) -> None:
    line = "[Ann] met [Bob]. | Young {Ann} left."
    seen = view(line, before=before, syntax=parse(line, "Ann amod Young"))
    stopped = [name for name, stops in SYNTAX.items() if stops(seen)]
    assert stopped == ["modified", "doubtful"]  # who is modified has no place in this parse


# Where a pronoun may mean a thing, too; elsewhere all of them are let through.
STRICT = rows("""
    # The parser has no place for the subject; the first sentence was about another.
    [Ann] met [Eve], and {Eve} now left.  met nsubj Ann; met conj Eve  yes
    [Ann] met [Eve]. | {Eve} left.  met nsubj Ann; met obj Eve/1; left nsubj Eve  yes
    # Not even who did something is known; who acted last is another; there are two of them.
    On [Ann] it rained, on [Eve] now, and {Ann}.  rained conj Ann  yes
    [Ann] met us, [Eve] left, and it rained on {Ann}.
        met nsubj Ann/1; left nsubj Eve; met conj left; met conj rained; rained obl Ann  yes
    It met [Ann], [Eve] and [Amy], and it rained on {Ann}.  rained obl Ann  yes
    # One of the two is no "she", or comes too late, or has acted.
    It met [Ann], [Eve] and [Tom], and it rained on {Ann}.  rained obl Ann  no
    It met [Ann], [Eve], and rained on {Ann} and [Amy].  rained obl Ann  no
    [Ann] met us, then [Eve] left. | {Eve} was late.
        met nsubj Ann; met conj left; left nsubj Eve/1; was nsubj Eve  no
""")


@pytest.mark.parametrize(("line", "relations", "stopped"), STRICT)
def test_pronouns_that_may_mean_things_are_read_strictly(
    line: str, relations: str, stopped: bool
) -> None:
    seen = view(line, syntax=parse(line, relations))
    strict = replace(seen, table=replace(seen.table, thing_pronouns=frozenset({"er"})))
    rival = SYNTAX["rival_pronoun"]
    assert rival(strict) is stopped
    assert not rival(seen)


@pytest.mark.parametrize(
    ("line", "filter"),
    [
        ("[Mary] met [Robert] in London. | The young {Mary} was late.", "modified"),
        ("[Mary] met [Robert] in London. | She liked the {Mary} festival.", "in_compound"),
        ("[Mary] met [Robert] in London. | The death of {Mary} was a loss.", "genitive"),
        ("[Mary] met [Robert] in London. | Then {Mary} was late.", ""),
    ],
)
def test_the_shipped_pipeline_sees_the_plain_cases(line: str, filter: str) -> None:
    (syntax,) = load_pipeline("en_mini", "en").full([marked(line).text])
    seen = view(line, syntax=syntax)
    stopped = {name for name, stops in SYNTAX.items() if stops(seen)}
    assert filter in stopped if filter else not stopped


def test_a_preposition_that_holds_its_article_binds_too() -> None:
    line = "[Maria] vide [Marco] a Roma. | La morte della {Maria} fu una perdita."
    (syntax,) = load_pipeline("it_mini", "it").full([marked(line).text])
    seen = replace(view(line, syntax=syntax), table=load("it"))
    assert SYNTAX["genitive"](seen)
