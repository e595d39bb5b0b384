"""Some of a language's wordings, so that words can be mended by one part and measured on another.

The wordings of an event, its clauses, the sentences around them and those of the traps are lists.
The odd half has the 1st, 3rd ... of each list and is for tuning: its misses may be read, and words
of a table added for them. The even half has the 2nd, 4th ... and is for reporting: its misses are
counted, never read. A list of one is in both, and so is the wording that is used too often. A noun
may still be in both halves, in another wording.

The fresh ones of English and Italian were written after the filters' words: other nouns for each
kind of event (`fresh/en.toml`), in the same sentences, with the same clauses and traps.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

HALVES: Final = {"odd": 0, "even": 1}
FRESH: Final = "fresh"
WORDINGS: Final = (*HALVES, FRESH)
_OF_AN_EVENT = ("short", "dated", "full", "clauses")


def languages_with(wordings: str | None, langs: Sequence[str]) -> list[str]:
    """Which of the languages have that part."""
    folder = resources.files(__package__).joinpath(FRESH)
    return [lang for lang in langs if wordings != FRESH or (folder / f"{lang}.toml").is_file()]


def chosen(table: Mapping[str, Any], wordings: str, lang: str) -> dict[str, Any]:
    """The language's TOML with that part of its wordings, one of `WORDINGS`, as the module has it.

    Raises FileNotFoundError where the language has no fresh ones.
    """
    return _fresh(table, lang) if wordings == FRESH else _halved(table, wordings)


def _fresh(table: Mapping[str, Any], lang: str) -> dict[str, Any]:
    file = resources.files(__package__).joinpath(FRESH, f"{lang}.toml")
    other = tomllib.loads(file.read_text("utf-8"))
    kinds = []
    for kind in table["kind"]:
        short = other["short"][kind["id"]]
        # Where the title has no place, a reader of a paragraph needs the year.
        full = "full" if "{e.place}" in kind["title"] else "dated"
        more = {
            name: [other[form].replace("@", one) for one in short]
            for name, form in (("dated", "dated"), ("full", full))
        }
        kinds.append({**kind, "short": short, **more})
    kinds[0]["full"].insert(0, table["kind"][0]["full"][0])
    return {**table, "kind": kinds}


def _halved(table: Mapping[str, Any], half: str) -> dict[str, Any]:
    start = HALVES[half]
    kinds = [
        {**kind, **{name: _part(kind[name], start) for name in _OF_AN_EVENT}}
        for kind in table["kind"]
    ]
    worn = table["kind"][0]["full"]  # the first is the wording that is used too often
    kinds[0]["full"] = [worn[0], *_part(worn[1:], 1 - start)]
    contexts = {
        family: {role: _part(sentences, start) for role, sentences in roles.items()}
        for family, roles in table["context"].items()
    }
    traps = {
        name: sentences if name in ("decoy", "surplus") else _part(sentences, start)
        for name, sentences in table["trap"].items()
    }
    return {**table, "kind": kinds, "context": contexts, "trap": traps}


def _part(choices: Sequence[str], start: int) -> list[str]:
    return list(choices[start::2] or choices)
