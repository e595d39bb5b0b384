"""What of a run goes into a corpus of masked names."""

from __future__ import annotations

from pathlib import Path

from corefmill.builders.wikicrem.assemble import WikicremContents
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.options import ON_CORPUS
from tests.builders.corpus.finished import example, finished, mill

THING = {"title": "Mill", "redirect": None, "person": False}
PERSON = {"title": "Ann", "redirect": None, "person": True}
ROUND = {"title": "The mill", "redirect": "Mill", "person": None}


def test_names_that_link_to_things_go(tmp_path: Path) -> None:
    examples = [
        example(1, links={"Bob": "Mill"}),
        example(2, links={"Ann": "Ann", "Bob": "The mill"}),
        example(3, links={"Ann": "Ann", "Bob": "Bob"}),
    ]
    result = finished(tmp_path, examples, pages=[THING, PERSON, ROUND])
    for filters, left in ((ON_CORPUS, ["e3"]), ((), ["e1", "e2", "e3"])):
        with WikicremContents.chosen(
            mill(tmp_path), result, filters=filters, validation=0
        ) as contents:
            assert [found.id for found in contents.split("train")] == left


def test_rejects_of_drafts_are_apart_from_those_of_the_input(tmp_path: Path) -> None:
    drafts = {next(iter(SURFACE)): 3, next(iter(SYNTAX)): 2, "name_not_expressible": 1}
    result = finished(tmp_path, [example(1)], rejects={**drafts, "window_too_long": 4})
    with WikicremContents.chosen(
        mill(tmp_path), result, filters=ON_CORPUS, validation=0
    ) as contents:
        assert contents.rejects == {"input": {"window_too_long": 4}, "draft": drafts, "corpus": {}}
