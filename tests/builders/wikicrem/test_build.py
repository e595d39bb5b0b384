"""What of a run goes into a corpus of masked names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.wikicrem.build import WikicremContents, not_persons
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


Page = dict[str, Any]


def person(title: str) -> Page:
    return {"title": title, "redirect": None, "person": True}


def thing(title: str) -> Page:
    return {"title": title, "redirect": None, "person": False}


def redirect(title: str, target: str) -> Page:
    return {"title": title, "redirect": target, "person": None}


@pytest.fixture
def asked(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Asks of the targets with the pages spread over two shards."""

    def ask(pages: list[Page], *targets: str, memory: str = "512MB") -> set[str]:
        shards = [tmp_path / "0.jsonl", tmp_path / "1.jsonl"]
        for shard, part in zip(shards, (pages[::2], pages[1::2]), strict=True):
            text = "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in part)
            shard.write_text(text, "utf-8")
        found = not_persons(shards, targets, memory=memory, scratch=tmp_path)
        assert sorted(tmp_path.iterdir()) == shards  # nothing is left behind
        return set(found)

    return ask


Ask = Any


def test_things_are_banned_persons_and_the_unknown_are_not(asked: Ask) -> None:
    pages = [person("Ann"), thing("Mill"), thing("Éire"), thing("Unlinked")]
    assert asked(pages, "Ann", "Mill", "Éire", "Missing") == {"Mill", "Éire"}


def test_a_redirect_leads_to_its_article(asked: Ask) -> None:
    pages = [redirect("The Mill", "Mill"), redirect("Annie", "Ann"), thing("Mill"), person("Ann")]
    assert asked(pages, "The Mill", "Annie") == {"The Mill"}


def test_of_two_redirects_under_one_title_the_order_does_not_decide(asked: Ask) -> None:
    pages = [redirect("M", "Mill"), redirect("M", "Ann"), thing("Mill"), person("Ann")]
    assert asked(pages, "M") == asked(pages[::-1], "M") == set()
