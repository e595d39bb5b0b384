"""Links that are no mentions, and pages that are no events: each trap has a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tools.world.facts import Event, Person, Town, joined
from tools.world.grammar import Phrase
from tools.world.pages import Page, infobox, redirect, table
from tools.world.passage import Passage
from tools.world.template import Scope, Target, render, text_of
from tools.world.words import MOST_ALIKE, Words, bold_title, capital, small


class Traps:
    """Sets them."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def on_persons(self, people: Sequence[Page]) -> None:
        """Links to events that are no mentions, on the pages of persons."""
        for trap, templates in self.words.table["trap"].items():
            if trap in ("decoy", "surplus"):
                continue
            for template in templates:
                self._trap(trap, template, people)
        for template in self.words.table["trap"]["surplus"]:
            event = self.words.surplus[0]
            page, person = self._page_of(event, people)
            scope = self.words.scope(page, e=event, p=person)
            told = render(template, scope)
            page.paragraph(self.words.fill(told, page, "person", p=person))

    def _trap(self, trap: str, template: str, people: Sequence[Page]) -> None:
        events = [event for event in self.words.land.events if self._suits(trap, event)]
        event = self.words.rng.choice(events)
        page, person = self._page_of(event, people)
        section, text, *_ = event.kind["parts"]
        part = {
            "section": section,
            "text": self.words.rng.choice(event.kind["parts"][1:] or [text]),
        }
        slots = {"e": event, "p": person, "o": self.words.other(event.place), "part": part}
        told = render(template, self.words.scope(page, trap, **slots))
        page.paragraph(told if trap == "short" else self.words.fill(told, page, "person", p=person))

    def _suits(self, trap: str, event: Event) -> bool:
        if trap == "participant":
            return any(event.p.full in line for line in self._fields(event))
        if trap == "place":
            return event.place.phrase.is_in(event.title)
        if trap == "generic":
            return str(event.year) in event.title and event.place.phrase.is_in(event.title)
        if trap == "demonym":
            return event.country.adj not in event.title
        return True

    def _fields(self, event: Event) -> list[str]:
        scope = Scope(
            {"e": event}, self.words.grammar, self.words.rng, self.words.wording, self.words.route
        )
        return [text_of(line, scope) for line in event.kind["fields"]]

    def _page_of(self, event: Event, people: Sequence[Page]) -> tuple[Page, Person]:
        """The page of somebody who could have been there, the shortest first."""
        by_title = {person.title: person for person in self.words.land.people}
        able = [
            page
            for page in people
            if by_title[page.title].was_adult(event.year)
            and page.title not in (event.p.title, event.q.title)
        ]
        page = min(able or list(people), key=lambda page: len(page.text))
        return page, by_title[page.title]

    def self_link(self, page: Page, event: Event) -> Passage:
        """A sentence in which the event's page links to itself, by one of its titles."""
        scope = self.words.scope(page, "self_link", e=event, ev=event)
        passage = render(self.words.next("self_link"), scope)
        title = self.words.rng.choice([event.title, *event.aliases])
        passage.wiki = passage.wiki.replace(f"[[{event.title}]]", f"[[{title}|{event.title}]]")
        return passage

    def town(self, page: Page, town: Town, here: Sequence[Event]) -> None:
        """Links where no paragraph is: list, table, caption, gallery, reference, comment."""
        if not here:
            return
        words, prose = self.words, self.words.prose
        first, last = here[0], here[-1]
        noun, title = f"[[{first.title}|{first.noun}]]", f"[[{last.title}]]"
        main = prose["main"]
        caption = text_of(prose["caption"], words.scope(page, e=first)).replace("@", noun)
        rows = [(event.year, f"[[{event.title}|{event.noun}]]", event.date) for event in here]
        page.add(words.heading("events"))
        page.add("\n".join(f"* {event.year}: [[{event.title}]]" for event in here))
        page.add(table(prose["table"], rows, title))
        page.add(f"[[File:{town.name} {first.year}.jpg|thumb|left|{caption}]]")
        page.add(f"<gallery>\n{town.name}.jpg|{title}\n</gallery>")
        page.add(f"{{{{{prose['main_template']}|{first.title}}}}}")
        page.add(":''" + main.replace("@", f"[[{first.title}]]") + "''")
        page.add("''" + main.replace("@", title) + "''")
        famous = words.land.people[:2]
        people = words.tell(page, "place_people", x=town, p=famous[0], q=famous[1])
        people.unseen(f"<ref>{prose['reference'].replace('@', noun)}</ref>")
        people.unseen(f"<!-- {prose['comment'].replace('@', title)} -->")
        page.paragraph(people)
        page.add(f"{{{{{prose['navbox']}|title={town.name}|list1={noun}}}}}")
        for event in here:
            page.note(event, "list", event.title)
            page.note(event, "table", event.noun)
        page.note(first, "caption", first.noun)
        page.note(last, "caption", last.title)
        page.note(first, "hatnote", first.title)
        page.note(last, "hatnote", last.title)
        page.note(first, "reference", first.noun)
        page.note(last, "comment", last.title)
        page.note(first, "navbox", first.noun)

    def decoys(self, people: Sequence[Page]) -> Iterator[Page]:
        """Pages that look like events, and links to them."""
        land, table_ = self.words.land, self.words.table
        for number, decoy in enumerate(table_["decoy"]):
            event = land.events[(number * 5 + 2) % len(land.events)]
            initial = Phrase(event.p.last[0] + ".")
            dancer = replace(event.p, given=joined(land.people[-1].given, initial))
            slots: dict[str, Any] = {"e": event, "c": land.country, "x": dancer}
            scope = Scope(
                slots, self.words.grammar, self.words.rng, self.words.wording, self.words.route
            )
            title = capital(text_of(decoy["title"], scope))
            phrase = self.words.parse(decoy["text"], scope)
            page = Page(title)
            page.add(self._decoy_box(decoy, [text_of(line, scope) for line in decoy["fields"]]))
            page.paragraph(
                render(bold_title(decoy["lead"], phrase.text), self.words.scope(page, **slots))
            )
            page.add(self.words.references())
            yield page
            target = Target(title, phrase)
            source, person = self._page_of(event, people)
            self._decoy_link(decoy["trap"], target, source, person, decoy.get("sentence"))
        yield from self._dead_ends(people)

    def _decoy_box(self, decoy: Mapping[str, Any], fields: Sequence[str]) -> str:
        template: str = decoy["template"]
        opening = "{{" + self.words.table["grammar"]["infobox"]
        if template.startswith("<!--"):
            return "<!-- " + infobox(template[4:-3], fields, opening) + " -->"
        if template.startswith("<nowiki>"):
            return "<nowiki>" + infobox(template[8:], fields, opening) + "</nowiki>"
        outer, plus, inner = template.partition("+")
        if plus:
            module = infobox(
                inner, ["name = 1st", f"date = {self.words.land.events[0].date}"], opening
            )
            return infobox(self.words.prose["boxes"][outer], [*fields, f"module = {module}"])
        return infobox(template, fields, opening)

    def _decoy_link(
        self, trap: str, target: Target, page: Page, person: Person, sentence: str | None = None
    ) -> None:
        scope = self.words.scope(page, trap, p=person, o=self.words.other(person.place), x=target)
        told = render(
            sentence or self.words.next("decoy", self.words.table["trap"]["decoy"]), scope
        )
        page.paragraph(self.words.fill(told, page, "person", p=person))

    def _dead_ends(self, people: Sequence[Page]) -> Iterator[Page]:
        """Redirects in a circle, a redirect out of the articles, a disambiguation, a red link."""
        word, prose = self.words.table["grammar"]["redirect"], self.words.prose
        place = self.words.land.towns[0]
        town = place.name
        named = [
            self.words.parse(name, self.words.scope(Page(town), place=place))
            for name in prose["dead_ends"]
        ]
        loop, back, out, unclear, _ = (phrase.text for phrase in named)
        yield redirect(loop, back, word)
        yield redirect(back, loop, word)
        yield redirect(out, f"{prose['category']}:{town}", word)
        page = Page(unclear)
        events = [event for event in self.words.land.events if event.place.name == town] or list(
            self.words.land.events[:2]
        )
        page.add(prose["may_refer"].format(title=unclear))
        for event in events:
            page.add(f"* [[{event.title}]]")
            page.note(event, "disambiguation", event.title)
        page.add(prose["disambiguation"])
        yield page
        traps = ("redirect_loop", "", "redirect_out", "disambiguation", "red_link")
        for trap, phrase in zip(traps, named, strict=True):
            if not trap:
                continue
            source = min(people, key=lambda page: len(page.text))
            person = next(p for p in self.words.land.people if p.title == source.title)
            shown = (
                phrase if self.words.table["grammar"].get("big_nouns") else phrase.changed(small)
            )
            self._decoy_link(trap, Target(phrase.text, shown), source, person)

    def other_pages(self) -> Iterator[Page]:
        """Pages outside of the articles that hold infoboxes of events and links to events."""
        event = self.words.land.events[0]
        for namespace, key in ((1, "talk"), (2, "user")):
            page = Page(f"{self.words.prose[key]}:{event.title}", namespace)
            box = infobox(
                event.kind["template"],
                self._fields(event),
                "{{" + self.words.table["grammar"]["infobox"],
            )
            page.add(box, self.words.prose["talk_text"].replace("@", f"[[{event.title}]]"))
            page.note(event, "other_namespace", event.title)
            yield page

    def settle_surplus(self, pages: Sequence[Page]) -> None:
        """Of the mentions in the same words the first four are kept."""
        event, phrase = self.words.surplus
        seen = 0
        for page in pages:
            for truth in page.truth:
                if (
                    truth.pivot == event.title
                    and truth.trap is None
                    and truth.anchor.casefold() == phrase.text.casefold()
                ):
                    seen += 1
                    if seen > MOST_ALIKE:
                        truth.trap = "surplus"
