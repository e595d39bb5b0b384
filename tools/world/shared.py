"""Events that the encyclopedias of several languages have in common, and what tells so.

Each language keeps names, people and towns of its own, as if every Wikipedia had its own names for
the places of the world. What the pages of one event share is its kind, its day, its figures, and
its item in the links file, which is the one place where it is told that they are one event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tools.world.draw import World, drawn
from tools.world.facts import Event, Land
from tools.world.words import capital

_FIRST_ITEM = 7_000_000
_ROWS = (
    ("right", 88), ("redirect", 3), ("missing", 3), ("no_event", 3), ("other_event", 1),
    ("none", 2),
)  # fmt: skip
"""How an event's page stands in the links file, with the share of each."""

Key = tuple[str, int]
"""A type of event, and which of the kinds with that type: the same in every language."""


@dataclass(frozen=True, slots=True)
class Item:
    """What the links file has of one language's page of an event.

    `row` says how it leads there: `right` and `redirect` (by another of the event's titles) do;
    `missing` names a page that there is not, `no_event` a town's, `other_event` that of an event
    which has another item, in a row of its own; for `none` there is no row.
    """

    item: str
    row: str
    title: str | None


class SharedEvents:
    """Which events the worlds of `tables` (a language's name to its TOML) have in common. The first
    language's world is what it is alone.

    Of the kinds that several languages know, three fifths of a country's events are in all of
    these languages, a quarter in some of them, and the rest are in each language another event.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, Any]], seed: int) -> None:
        self.langs = list(tables)
        self._seed = seed
        self._keys = {lang: _keys(tables[lang]) for lang in self.langs}
        self._all = sorted({key for keys in self._keys.values() for key in keys})
        self._worlds = {lang: World(tables[lang], seed) for lang in self.langs}
        self._land = lru_cache(maxsize=len(self.langs))(self._drawn_land)

    def facts(self, lang: str, index: int, number: int) -> Event | None:
        """Whose day and figures the event `number` of a country takes: those that it has in the
        first language of its group, None if that is `lang` itself."""
        key = self._keys[lang][number]
        first = self._group(lang, index, key)[0]
        if first == lang:
            return None
        return self._land(first, index).events[self._keys[first].index(key)]

    def items(self, lang: str, land: Land) -> Iterator[Item]:
        """Of each event of the country, whose titles must be there already, its item."""
        for number, key in enumerate(self._keys[lang]):
            first = self._group(lang, land.index, key)[0]
            place = land.index * len(self._all) + self._all.index(key)
            item = _FIRST_ITEM + place * len(self.langs) + self.langs.index(first)
            rng = drawn("row", self._seed, land.index, *key, lang)
            row = rng.choices([row for row, _ in _ROWS], [share for _, share in _ROWS])[0]
            yield Item(f"Q{item}", row, _title(row, number, land.events))

    def _group(self, lang: str, index: int, key: Key) -> list[str]:
        """The languages that have the event which `lang` has."""
        know = [other for other in self.langs if key in self._keys[other]]
        rng = drawn("shared", self._seed, index, *key)
        chance = rng.random()
        # An eclipse is named by its day alone, which no other event of a world has.
        if chance < 0.6 or key[0] == "Solar Eclipse":
            return know
        if chance < 0.85 and len(know) > 2:
            some = sorted(rng.sample(know, rng.randrange(2, len(know))), key=self.langs.index)
            return some if lang in some else [lang]
        return [lang]

    def _drawn_land(self, lang: str, index: int) -> Land:
        return self._worlds[lang].land(index)


def _keys(table: Mapping[str, Any]) -> list[Key]:
    """The keys of the language's kinds, in their order."""
    seen: Counter[str] = Counter()
    keys = []
    for kind in table["kind"]:
        keys.append((str(kind["type"]), seen[kind["type"]]))
        seen[kind["type"]] += 1
    return keys


def _title(row: str, number: int, events: Sequence[Event]) -> str | None:
    """What title a row has for the event `number`."""
    event = events[number]
    if row == "none":
        return None
    if row == "redirect":
        return event.aliases[0]
    if row == "missing":
        return f"{capital(event.noun)} ({event.place.name}, {event.year})"
    if row == "no_event":
        return event.place.title
    if row == "other_event":
        return events[(number + 1) % len(events)].title
    return event.title
