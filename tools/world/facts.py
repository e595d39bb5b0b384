"""What there is in the fictional world: countries, towns, people, firms and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from tools.world.grammar import Phrase

LAST_YEAR = 2014
"""Nobody has died since, and nothing has happened."""


@dataclass(frozen=True, slots=True)
class Thing:
    """What has a name, and often a page with that title; `phrase` is how it stands in a text."""

    phrase: Phrase
    title: str

    @property
    def name(self) -> str:
        return self.phrase.text


@dataclass(frozen=True, slots=True)
class Country(Thing):
    adj: str
    """The adjective: Kestrian. `adj_f` is its feminine where there is one."""
    adj_f: str


@dataclass(frozen=True, slots=True)
class Town(Thing):
    country: Country
    river: Thing
    mountain: Thing
    population: str


@dataclass(frozen=True, slots=True)
class Firm(Thing):
    what: str
    place: Town
    founded: int


def joined(first: Phrase, second: Phrase) -> Phrase:
    """Two names as one, in every case."""
    cases = max(len(first.forms), len(second.forms))
    forms = tuple(f"{first.form(case)} {second.form(case)}" for case in range(cases))
    return replace(second, text=f"{first.text} {second.text}", forms=forms)


@dataclass(frozen=True, slots=True)
class Person:
    """A man or woman with a page of their own."""

    given: Phrase
    family: Phrase
    feminine: bool
    country: Country
    place: Town
    jobs: Sequence[str]
    birth: date
    death: date | None

    @property
    def first(self) -> str:
        return self.given.text

    @property
    def last(self) -> str:
        return self.family.text

    @property
    def full(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def title(self) -> str:
        return self.full

    @property
    def phrase(self) -> Phrase:
        return replace(joined(self.given, self.family), feminine=self.feminine)

    def named(self, part: str) -> Phrase:
        """The name, or its part `first` or `last`, with its forms."""
        return {"first": self.given, "last": self.family, "full": self.phrase}[part]

    @property
    def job(self) -> str:
        return self.jobs[1 if self.feminine else 0]

    @property
    def adj(self) -> str:
        return self.country.adj_f if self.feminine else self.country.adj

    def was_adult(self, year: int) -> bool:
        """Whether they lived in that year and were between 20 and 75."""
        died = self.death.year if self.death else LAST_YEAR + 10
        return 20 <= year - self.birth.year <= 75 and year < died


@dataclass(frozen=True)
class Event:
    """An event, its kind's table of words, and what its sentences may speak of."""

    kind: Mapping[str, Any]
    day: date
    place: Town
    p: Person
    q: Person
    org: Firm
    n: int
    nth: str
    deaths: int
    ship: str
    prize: str
    code: str
    text: Mapping[str, str] = field(default_factory=dict)
    """The day in the language's forms: date, month, long."""
    title: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def country(self) -> Country:
        return self.place.country

    @property
    def river(self) -> Thing:
        return self.place.river

    @property
    def mountain(self) -> Thing:
        return self.place.mountain

    @property
    def year(self) -> int:
        return self.day.year

    @property
    def mm(self) -> int:
        return self.day.month

    @property
    def dd(self) -> int:
        return self.day.day

    @property
    def date(self) -> str:
        return self.text["date"]

    @property
    def month(self) -> str:
        return self.text["month"]

    @property
    def long(self) -> str:
        return self.text["long"]

    @property
    def noun(self) -> str:
        """The plainest word for it: earthquake."""
        return str(self.kind["short"][0]).rpartition("|")[2]


@dataclass(frozen=True, slots=True)
class Land:
    """One country with all that is in it."""

    index: int
    country: Country
    towns: tuple[Town, ...]
    people: tuple[Person, ...]
    firms: tuple[Firm, ...]
    events: tuple[Event, ...]
