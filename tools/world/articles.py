"""The articles about one country: its towns, people, firms, works and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tools.world.facts import Event, Firm, Person, Thing, Town
from tools.world.grammar import Phrase
from tools.world.pages import Page, infobox, redirect
from tools.world.passage import Passage
from tools.world.template import Spent, render, text_of
from tools.world.traps import Traps
from tools.world.words import SERIES, Words, bold_title, capital, chain

_FEWEST_MENTIONS = 3
"""Of each event, as far as there are people who lived at the time."""


class Articles:
    """Writes them."""

    def __init__(self, words: Words, traps: Traps) -> None:
        self.words = words
        self.traps = traps
        self.land = words.land
        self._persons = {person.title: person for person in words.land.people}

    def country(self) -> Page:
        """The country itself, with its history."""
        words, country = self.words, self.land.country
        page = Page(country.title)
        page.add(words.box(page, "country", x=self.land.towns[0]))
        page.paragraph(words.bold("country_lead", page, country))
        page.add(words.heading("history"))
        for event in words.events(5, "place", self.land.events):
            words.mention(page, "place", event)
        self._close(page, country.name)
        return page

    def person(self, person: Person) -> Page:
        """A life, as yet without its end: `close_person` adds that."""
        words, prose, date_of = self.words, self.words.prose, self.words.world.date_of
        page = Page(person.title)
        life = prose["born"].format(date=date_of(person.birth))
        was = prose["is"]
        if person.death is not None:
            life = f"{date_of(person.birth)} – {date_of(person.death)}"
            was = text_of(prose["was"], words.scope(page, p=person))
        job = Phrase(person.job, person.feminine)
        page.add(words.box(page, "person", p=person))
        lead = words.bold("person_lead", page, person, p=person, life=life, was=was, job=job)
        self._known_for(page, person, lead, was)
        page.paragraph(words.fill(lead, page, "person", p=person) if lead.anchors else lead)
        for part in ("early", "career"):
            words.section(page, part, **self._around(person, person.place))
        lived = [
            event
            for event in self.land.events
            if person.was_adult(event.year) and person not in (event.p, event.q)
        ]
        for event in words.events(3 + words.rng.randrange(2), "person", lived):
            self._remember(page, person, event)
        return page

    def _known_for(self, page: Page, person: Person, lead: Passage, was: str) -> None:
        """Say what event the person took part in, if it is not one of many."""
        for event in self.land.events:
            if person not in (event.p, event.q) or event.kind["family"] in SERIES:
                continue
            scope = self.words.scope(page, e=event, p=person, **{"is": was})
            try:
                said = render(self.words.next("known_for"), scope)
            except Spent:
                continue
            if self.words.take(event, said):
                lead.join(said)
                return

    def _remember(self, page: Page, person: Person, event: Event) -> None:
        self.words.mention(
            page,
            "person",
            event,
            **self._around(person, event.place),
            age=event.year - person.birth.year,
        )

    def _around(self, person: Person, town: Town) -> dict[str, Any]:
        """The person, somebody else, and another town."""
        return {"p": person, "q": self.words.friend(person), "o": self.words.other(town)}

    def last_mentions(self, people: Sequence[Page]) -> None:
        """Mentions of those events that have too few."""
        for event in self.land.events:
            for page in sorted(people, key=lambda page: len(page.text)):
                if self.words.mentioned[event.title] >= _FEWEST_MENTIONS:
                    break
                person = self._persons[page.title]
                if person.was_adult(event.year) and person not in (event.p, event.q):
                    self._remember(page, person, event)

    def close_person(self, page: Page) -> None:
        """The end of a life and of its page."""
        person = self._persons[page.title]
        self.words.section(page, "later", **self._around(person, person.place))
        self._close(page, person.place.name)

    def town(self, town: Town) -> Page:
        """A town and what happened there."""
        words = self.words
        page = Page(town.title)
        page.add(words.box(page, "settlement", x=town))
        page.paragraph(words.bold("place_lead", page, town))
        here = [event for event in self.land.events if event.place.title == town.title]
        page.add(words.heading("history"))
        for event in here:
            words.mention(page, "place", event, o=words.other(town))
        words.section(page, "geography", x=town)
        words.section(page, "economy", x=town, o=words.other(town))
        self.traps.town(page, town, here)
        self._close(page, town.country.name)
        return page

    def firm(self, firm: Firm) -> Page:
        """A firm, newspaper or society."""
        words = self.words
        page = Page(firm.title)
        slots = {
            "x": firm,
            "q": self.land.people[firm.founded % 6],
            "o": words.other(firm.place),
        }
        page.add(words.box(page, "company", **slots))
        page.paragraph(words.bold("org_lead", page, firm, **slots))
        words.section(page, "history", **slots)
        for event in words.events(4, "org", self.land.events):
            words.mention(page, "org", event, org=firm)
        self._close(page, firm.place.name)
        return page

    def works(self) -> Iterator[Page]:
        """Books, films, music, each about an event."""
        words = self.words
        for number, (what, pattern) in enumerate(words.prose["works"]):
            author = self.land.people[(number * 5 + 3) % len(self.land.people)]
            title = pattern.format(place=self.land.towns[number].name)
            page = Page(title)
            year = author.birth.year + 38
            work = {"what": what, "year": str(year)}
            slots = {"x": work, "p": author, "q": words.friend(author)}
            page.paragraph(words.bold("work_lead", page, Thing(Phrase(title), title), **slots))
            page.add(words.heading("plot"))
            earlier = [event for event in self.land.events if event.year <= year]
            for event in words.events(1, "work", earlier):
                words.mention(page, "work", event, **slots)
            words.section(page, "reception", **slots)
            self._close(page, self.land.country.name)
            yield page

    def event(self, event: Event) -> Page:
        """The article of an event."""
        words, kind = self.words, event.kind
        page = Page(event.title, pivot=event)
        slots: dict[str, Any] = {"e": event, "o": words.other(event.place)}
        page.add(self._event_box(page, event))
        lead = bold_title(kind["lead"], event.title)
        page.paragraph(render(lead, words.scope(page, **slots)))
        words.section(page, "background", **slots)
        words.section(page, "course", **slots)
        page.add(words.heading("after"))
        before = [other for other in self.land.events if other.year < event.year]
        alike = [other for other in before if other.kind["family"] == kind["family"]]
        for other in words.events(2, "event", alike or before):
            words.mention(page, "event", other)
        after = words.tell(page, "event_after", **slots)
        after.join(self.traps.self_link(page, event))
        page.paragraph(after)
        self._close(page, event.country.name)
        return page

    def _event_box(self, page: Page, event: Event) -> str:
        """Its infobox, whose name is spelled as it comes."""
        words, kind = self.words, event.kind
        name: str = words.rng.choice([kind["template"], *kind.get("redirects", ())])
        spellings = (name, capital(name), name.replace(" ", "_"), f"{name} <!-- ? -->", f"{name} ")
        scope = words.scope(page, e=event)
        lines = [text_of(line, scope) for line in kind["fields"]]
        if kind.get("nests"):
            lines.append(f"module = {infobox(words.prose['boxes']['person'], ['embed = yes'])}")
        opening = "{{" + words.table["grammar"]["infobox"]
        box = infobox(words.rng.choice(spellings), lines, opening)
        return f"{{{{{words.prose['note_template']}}}}}\n{box}"

    def redirects(self) -> Iterator[Page]:
        """Other titles of the events, one of them a redirect to a redirect."""
        word = self.words.table["grammar"]["redirect"]
        for event in self.land.events:
            for alias in event.aliases:
                yield redirect(alias, event.title, word)
            yield redirect(chain(event), event.aliases[0], word)

    def _close(self, page: Page, category: str) -> None:
        page.add(self.words.references(), self.words.category(category))
