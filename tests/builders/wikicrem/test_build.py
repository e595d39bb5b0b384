"""What of a run goes into a corpus of masked names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.wikicrem.build import WikicremContents, find_non_persons
from corefmill.builders.wikicrem.filters import SURFACE, SYNTAX
from corefmill.builders.wikicrem.options import ON_CORPUS
from tests.builders.corpus.finished import example, finished, mill

Page = dict[str, Any]


def page(title: str, person: bool | None = None, redirect: str | None = None) -> Page:
    return {"title": title, "redirect": redirect, "person": person}


MILL, ANN = page("Mill", person=False), page("Ann", person=True)


def test_names_that_link_to_things_go(tmp_path: Path) -> None:
    examples = [
        example(1, links={"Bob": "Mill"}),
        example(2, links={"Ann": "Ann", "Bob": "The mill"}),
        example(3, links={"Ann": "Ann", "Bob": "Bob"}),
    ]
    result = finished(tmp_path, examples, pages=[MILL, ANN, page("The mill", redirect="Mill")])
    for filters, left in ((ON_CORPUS, ["e3"]), ((), ["e1", "e2", "e3"])):
        with WikicremContents.select(
            mill(tmp_path), result, filters=filters, validation=0
        ) as contents:
            assert [found.id for found in contents.split("train")] == left


def test_rejects_of_drafts_are_apart_from_those_of_the_input(tmp_path: Path) -> None:
    drafts = {next(iter(SURFACE)): 3, next(iter(SYNTAX)): 2, "name_not_expressible": 1}
    result = finished(tmp_path, [example(1)], rejects={**drafts, "window_too_long": 4})
    with WikicremContents.select(
        mill(tmp_path), result, filters=ON_CORPUS, validation=0
    ) as contents:
        assert contents.rejects == {"input": {"window_too_long": 4}, "draft": drafts, "corpus": {}}


@pytest.mark.parametrize(
    ("pages", "targets", "things"),
    [
        # Things, and neither persons nor what is unknown.
        (
            [ANN, MILL, page("Éire", False), page("Unlinked", False)],
            "Ann Mill Éire Gone",
            "Mill Éire",
        ),
        # A redirect leads to its article; of two under one title the order does not decide.
        (
            [page("M", redirect="Mill"), page("Annie", redirect="Ann"), MILL, ANN],
            "M Annie",
            "M",
        ),
        ([page("M", redirect="Mill"), page("M", redirect="Ann"), MILL, ANN], "M", ""),
    ],
)
def test_links_to_things(tmp_path: Path, pages: list[Page], targets: str, things: str) -> None:
    """With the pages spread over two shards, in either order."""
    shards = [tmp_path / "0.jsonl", tmp_path / "1.jsonl"]
    for ordered in (pages, pages[::-1]):
        for shard, part in zip(shards, (ordered[::2], ordered[1::2]), strict=True):
            text = "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in part)
            shard.write_text(text, "utf-8")
        assert find_non_persons(shards, targets.split(), scratch=tmp_path) == {*things.split()}
        assert sorted(tmp_path.iterdir()) == shards  # nothing is left behind
