"""A language's table for the masked-name builder: the words its filters stand on."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib import resources

from corefmill.corpora.errors import DataError


@dataclass(frozen=True)
class Table:
    """The sets of words of tables/LANG.toml, where each is explained; empty where unknown."""

    never_names: frozenset[str] = frozenset()
    never_persons: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    naming: frozenset[str] = frozenset()
    relatives: frozenset[str] = frozenset()
    genitive: frozenset[str] = frozenset()
    after_names: frozenset[str] = frozenset()
    possessive: frozenset[str] = frozenset()
    possessors: frozenset[str] = frozenset()
    saying: frozenset[str] = frozenset()
    before_things: frozenset[str] = frozenset()

    @cached_property
    def no_names(self) -> frozenset[str]:
        """The words that are no person's name on their own."""
        return self.never_names | self.never_persons

    @cached_property
    def no_names_or_titles(self) -> frozenset[str]:
        """The same, and honorifics."""
        return self.no_names | self.titles


@cache
def load(lang: str) -> Table:
    """The table of a language, an empty one where none ships.

    Raises `DataError` for a key that no filter knows.
    """
    path = resources.files("corefmill.builders.persons").joinpath("tables", f"{lang}.toml")
    if not path.is_file():
        return Table()
    words = tomllib.loads(path.read_text("utf-8"))
    known = [field.name for field in fields(Table)]
    for key in words:
        if key not in known:
            raise DataError(
                f"unknown key {key!r}, known are {', '.join(known)}", path=f"tables/{lang}.toml"
            )
    return Table(**{key: frozenset(values) for key, values in words.items()})
