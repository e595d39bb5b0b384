"""Worlds in several languages have events in common, and a links file that tells which."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.tools.world.truths import LANGUAGES
from tools.world.dump import pages, read_table, write_shared

ROOT = Path(__file__).parents[3]
COUNTRIES = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    write_shared(folder, langs=LANGUAGES, countries=COUNTRIES)
    return folder


@pytest.fixture(scope="module")
def pivots(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """By language and title."""
    found = {}
    for lang in LANGUAGES:
        for line in (folder / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["kind"] == "pivot":
                found[lang, record["title"]] = record
    return found


@pytest.fixture(scope="module")
def rows(folder: Path) -> list[tuple[str, str, str]]:
    lines = (folder / "links.tsv").read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        lang, title, item = line.split("\t")
        found.append((lang, title, item))
    return found


def test_some_events_are_in_every_language_some_in_one(
    pivots: dict[tuple[str, str], dict[str, Any]],
) -> None:
    langs = defaultdict(set)
    for (lang, _), pivot in pivots.items():
        langs[pivot["item"]].add(lang)
    assert {len(found) for found in langs.values()} >= {1, 2, len(LANGUAGES)}
    assert len({pivot["item"] for pivot in pivots.values()}) < len(pivots)


def test_an_item_is_one_event_with_its_kind_and_year(
    pivots: dict[tuple[str, str], dict[str, Any]],
) -> None:
    for lang in LANGUAGES:
        items = Counter(pivot["item"] for (of, _), pivot in pivots.items() if of == lang)
        assert max(items.values()) == 1
    types = defaultdict(set)
    for pivot in pivots.values():
        types[pivot["item"]].add(pivot["event_type"])
    assert {len(found) for found in types.values()} == {1}


def test_a_row_is_what_the_truth_says(
    folder: Path,
    pivots: dict[tuple[str, str], dict[str, Any]],
    rows: list[tuple[str, str, str]],
) -> None:
    told = {(lang, item): title for lang, title, item in rows}
    assert len(told) == len(rows)
    titles: dict[str, dict[str, str | None]] = {}
    for lang in LANGUAGES:
        xml = (folder / f"{lang}wiki.xml").read_text(encoding="utf-8")
        titles[lang] = {}
        for page in xml.split("<title>")[1:]:
            title, _, rest = page.partition("</title>")
            leads = rest.partition('<redirect title="')[2].partition('"')[0]
            titles[lang][title] = leads or None
    for (lang, title), pivot in pivots.items():
        row = told.get((lang, pivot["item"]))
        match pivot["row"]:
            case "right":
                assert row == title
            case "redirect":
                assert row is not None
                assert titles[lang][row] == title
            case "missing":
                assert row not in titles[lang]
            case "no_event":
                assert row in titles[lang]
                assert (lang, row) not in pivots
            case "other_event":
                assert row != title
                assert (lang, row) in pivots
            case _:
                assert row is None
    assert {pivot["row"] for pivot in pivots.values()} == {
        "right", "redirect", "missing", "no_event", "other_event", "none",
    }  # fmt: skip


def test_a_shared_event_has_one_day_and_figure_in_every_language(
    pivots: dict[tuple[str, str], dict[str, Any]],
) -> None:
    """The year stands in most titles."""
    years = defaultdict(set)
    for (_, title), pivot in pivots.items():
        found = [word.strip("(,)") for word in title.split() if word.strip("(,)").isdigit()]
        if pivot["event_type"] == "Earthquake":
            years[pivot["item"]].update(found)
    assert {len(found) for found in years.values()} == {1}


def test_alone_a_language_is_written_as_ever() -> None:
    kinds = len(read_table("en")["kind"])
    assert sum(page.pivot is not None for page in pages("en", 1)) == kinds


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--lang", "en,xx", "--out", "w"], "no world in xx"),
        (["--lang", "en,it", "--out", "w", "--truth", "t"], "beside the dumps"),
        (["--lang", "en,en", "--out", "w"], "named twice"),
    ],
)
def test_the_command_refuses(options: list[str], said: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.world", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert said in done.stderr
