"""The facts of a fictional world, drawn by seed.

The world is a row of countries of the same size. Each is drawn from (seed, its index) alone, so
that a large world needs no more memory than a small one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cached_property
from hashlib import blake2b
from typing import Any

from tools.world.facts import LAST_YEAR, Country, Event, Firm, Land, Person, Thing, Town
from tools.world.grammar import Phrase
from tools.world.names import Names, shuffled

TOWNS, RIVERS, MOUNTAINS, PEOPLE = 10, 2, 2, 24
"""In each country; a table may have other numbers of towns and people under [size]."""
FIRST_YEAR = 1905
_OWN = 4
"""Ships, prizes and code names that each country has; kinds of events take turns at them."""


def drawn(*keys: str | int) -> random.Random:
    """A generator that depends on `keys` alone."""
    digest = blake2b(json.dumps(keys).encode(), digest_size=16).digest()
    return random.Random(int.from_bytes(digest, "big"))


class World:
    """The facts of one language's world. `table` is the language's TOML, read.

    `shared` gives the event whose day and figures an event takes, by its country and its number
    there, None where it has its own.
    """

    def __init__(
        self,
        table: Mapping[str, Any],
        seed: int,
        shared: Callable[[int, int], Event | None] = lambda index, number: None,
    ) -> None:
        self.table = table
        self.seed = seed
        self._shared = shared

    def land(self, index: int) -> Land:
        """The country `index`, always the same."""
        rng = drawn("land", self.seed, index)
        country = self._country(index)
        towns = self._towns(index, country, rng)
        people = self._people(index, towns, rng)
        firms = self._firms(country, towns, people, rng)
        kinds = self.table["kind"]
        years = self._years(len(kinds), rng)
        places = _round_robin(towns, len(kinds), rng)
        events: list[Event] = []
        for number, kind in enumerate(kinds):
            events.append(
                self._event(
                    kind, index * len(kinds) + number, years[number], places[number], people, firms,
                    rng,
                )
            )  # fmt: skip
        return Land(index, country, towns, people, firms, tuple(events))

    def date_of(self, day: date, form: str = "date") -> str:
        """A day as the language writes it, in the form of the table's key."""
        grammar = self.table["grammar"]
        months = grammar["months"]
        if form == "month":  # without a day its case may be another one
            months = grammar.get("months_alone", months)
        number = str(day.day)
        if day.day == 1:
            number = grammar.get("first_day", number)
        return str(grammar[form]).format(day=number, month=months[day.month - 1], year=day.year)

    @cached_property
    def _names(self) -> dict[str, Names]:
        table = self.table["names"]
        return {
            kind: Names.of(table, keys, self.seed)
            for kind, keys in {
                "place": ("place_first", "place_middle", "place_last", "place_prefix"),
                "country": ("country_first", "country_middle", "country_last"),
                "river": ("river_first", "river_middle", "river_last", "river_prefix"),
                "ship": ("ship_first", "ship_last"),
                "prize": ("prize_first", "prize_last"),
                "code": ("code_first", "code_last"),
                "last": ("last_first", "last_last"),
                "last_f": ("last_first", "last_last_f" if "last_last_f" in table else "last_last"),
            }.items()
        }

    def _country(self, index: int) -> Country:
        marked = self._names["country"].name(index)
        phrase = Phrase.of(marked, self.table["names"].get("country_flags", "fn"))
        name = phrase.text
        ending, adjective, *feminine = self.table["names"]["demonym"]
        adj = name.removesuffix(ending) + adjective
        adj_f = name.removesuffix(ending) + feminine[0] if feminine else adj
        if self.table["names"].get("adjective_small", False):
            adj, adj_f = adj.lower(), adj_f.lower()
        return Country(phrase, name, adj, adj_f)

    def _size(self, key: str, usual: int) -> int:
        """How many of `key` a country has; fewer where the language has few kinds of events."""
        return int(self.table.get("size", {}).get(key, usual))

    def _named_first(self, kind: str, index: int) -> str:
        """A name whose last piece, a prefix such as "White", comes first."""
        names = self._names[kind]
        *pieces, prefix = names.pick(index)
        name = prefix.strip() + " " * bool(prefix) + "".join(pieces)
        round_ = index // len(names)
        return f"{name} {round_ + 1}" if round_ else name

    def _towns(self, index: int, country: Country, rng: random.Random) -> tuple[Town, ...]:
        prose, names = self.table["prose"], self.table["names"]
        waters = [
            self._named_first("river", index * (RIVERS + MOUNTAINS) + number)
            for number in range(RIVERS + MOUNTAINS)
        ]
        rivers = []
        for name in waters[:RIVERS]:
            phrase = Phrase.of(name, names.get("river_flags", ""))
            rivers.append(Thing(phrase, prose["river"].format(name=phrase.text)))
        mountains = []
        for name in waters[RIVERS:]:
            phrase = Phrase.of(
                prose["mountain"].format(name=name), names.get("mountain_flags", "n")
            )
            mountains.append(Thing(phrase, phrase.text))
        count = self._size("towns", TOWNS)
        towns = []
        for number in range(count):
            name = self._named_first("place", index * count + number)
            phrase = Phrase.of(name, names.get("place_flags", "fn"))
            people = f"{rng.randrange(3, 96)}{prose.get('thousands', ',')}{rng.randrange(1000):03}"
            towns.append(
                Town(
                    phrase, phrase.text, country,
                    rivers[number % RIVERS], mountains[number // 2 % MOUNTAINS], people,
                )
            )  # fmt: skip
        return tuple(towns)

    def _people(self, index: int, towns: Sequence[Town], rng: random.Random) -> tuple[Person, ...]:
        names, lasts = self.table["names"], (self._names["last"], self._names["last_f"])
        span = LAST_YEAR - 40 - 1865
        count = self._size("people", PEOPLE)
        people = []
        for number in range(count):
            at = index * count + number
            feminine = number % 2 == 1
            firsts = names["first_f" if feminine else "first_m"]
            last = lasts[feminine]
            round_, place = divmod(at, len(last))
            first = firsts[shuffled(round_ + place * 7, len(firsts), self.seed)]
            year = 1865 + number * span // count + rng.randrange(4)
            birth = date(year, 1, 1) + timedelta(rng.randrange(365))
            death: date | None = birth + timedelta(rng.randrange(58 * 365, 92 * 365))
            if death is not None and death.year > LAST_YEAR:
                death = None
            jobs = rng.choice(self.table["jobs"]["list"])
            home = towns[number % len(towns)]
            people.append(
                Person(
                    Phrase.of(first, "n"), Phrase.of(last.name(place), "n"), feminine,
                    home.country, home, jobs, birth, death,
                )
            )  # fmt: skip
        return tuple(people)

    def _firms(
        self,
        country: Country,
        towns: Sequence[Town],
        people: Sequence[Person],
        rng: random.Random,
    ) -> tuple[Firm, ...]:
        firms = []
        places = rng.sample(list(towns), len(towns))
        for number, (what, pattern, *flags) in enumerate(self.table["prose"]["orgs"]):
            place = places[number % len(places)]
            name = pattern.format(c=country, place=place.name)
            forms = flags[0] if flags else ""
            phrase = Phrase.of(name, forms)
            firms.append(Firm(phrase, phrase.text, what, place, rng.randrange(1850, 1900)))
        return tuple(firms)

    def _years(self, count: int, rng: random.Random) -> list[int]:
        span = LAST_YEAR - FIRST_YEAR
        years = [FIRST_YEAR + number * span // count + rng.randrange(4) for number in range(count)]
        rng.shuffle(years)
        return years

    def _event(
        self,
        kind: Mapping[str, Any],
        number: int,
        year: int,
        place: Town,
        people: Sequence[Person],
        firms: Sequence[Firm],
        rng: random.Random,
    ) -> Event:
        first = date(year, 1, 1).toordinal()
        day = date.fromordinal(first + rng.randrange(365))
        if kind["family"] == "eclipse":  # named by its day, which so must be its own
            span = (LAST_YEAR - FIRST_YEAR + 1) * 365
            days = shuffled(number // len(self.table["kind"]), span, self.seed)
            day = date(FIRST_YEAR, 1, 1) + timedelta(days)
        country, own = divmod(number, len(self.table["kind"]))
        shared = self._shared(country, own)
        day = day if shared is None else shared.day
        p, q = _cast(kind.get("people", "  "), day.year, people, rng)
        own = country * _OWN + own % _OWN
        org = firms[kind.get("org", 0)]
        nth = rng.choice(self.table["grammar"].get("ordinals", ["24th", "35th", "47th", "58th"]))
        event = Event(
            kind, day, place, p, q, org, rng.randrange(2, 9), nth, rng.randrange(17, 240),
            self._names["ship"].name(own, " "),
            self._names["prize"].name(own % len(self._names["prize"]), " "),
            self._names["code"].name(own, " "),
            {form: self.date_of(day, form) for form in ("date", "month")}
            | {"long": self.date_of(day, "long_date")},
        )  # fmt: skip
        return event if shared is None else replace(event, n=shared.n, deaths=shared.deaths)


def _cast(
    sexes: str, year: int, people: Sequence[Person], rng: random.Random
) -> tuple[Person, Person]:
    """Two persons who were adults in that year, if there are such: f, m, or either by sex."""
    chosen: list[Person] = []
    for sex in sexes:
        others = [
            person
            for person in people
            if person not in chosen and (sex == " " or person.feminine == (sex == "f"))
        ]
        adults = [person for person in others if person.was_adult(year)]
        chosen.append(rng.choice(adults or others))
    return chosen[0], chosen[1]


def _round_robin(towns: Sequence[Town], count: int, rng: random.Random) -> list[Town]:
    """`count` towns, each as often as any other, in random order."""
    places = [towns[number % len(towns)] for number in range(count)]
    rng.shuffle(places)
    return places
