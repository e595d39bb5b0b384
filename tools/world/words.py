"""How one country is written about: which words, which link, in which paragraph."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tools.world.draw import World, drawn
from tools.world.facts import Event, Person, Town
from tools.world.grammar import Phrase, grammar_of
from tools.world.pages import Page, infobox
from tools.world.passage import Passage
from tools.world.template import Route, Scope, Spent, render, text_of

FEWEST_WORDS = 30
"""Of a paragraph with a mention, so that no filter on length can mean it."""
MOST_ALIKE = 4
"""Mentions of one event in the same words; WEC keeps no more of them."""
_ROUTES: Final = (
    ("words", 46), ("alias", 20), ("chain", 8), ("underscores", 4), ("small", 4), ("section", 4),
    ("italics", 5), ("bold", 3), ("space", 3), ("entity", 3),
)  # fmt: skip
SERIES = frozenset({"meeting", "contest", "show", "conclave"})
"""Families whose events are editions of something, distinguished by year or number."""


class Words:
    """The words for one country, and what has been used of them."""

    def __init__(self, world: World, index: int, lang: str) -> None:
        self.table = world.table
        self.prose: Mapping[str, Any] = world.table["prose"]
        self.headings: Mapping[str, str] = self.prose["headings"]
        self.world = world
        self.grammar = grammar_of(lang, world.table["grammar"])
        self.rng = drawn("pages", world.seed, index)
        self.used: Counter[tuple[str, str]] = Counter()
        self.mentioned: Counter[str] = Counter()
        self._told: set[str] = set()
        self._turn: Counter[str] = Counter()
        self._order: dict[str, list[str]] = {}
        land = world.land(index)
        self.land = replace(land, events=tuple(map(self.titled, land.events)))
        self.surplus = self._choose_surplus()

    def _choose_surplus(self) -> tuple[Event, Phrase]:
        """An event that will be called by one name too often, and that name."""
        event = self.land.events[0]
        scope = Scope({"e": event}, self.grammar, self.rng, self.wording, self.route)
        phrase = self.parse(event.kind["full"][0], scope)
        self.used[key(event, phrase.text)] = MOST_ALIKE
        return event, phrase

    def titled(self, event: Event) -> Event:
        """The event with its title and redirects."""
        scope = Scope({"e": event}, self.grammar, self.rng, self.wording, self.route)
        title = text_of(event.kind["title"], scope)
        aliases = [capital(text_of(alias, scope)) for alias in event.kind["aliases"]]
        return replace(
            event,
            title=capital(title),
            aliases=tuple(alias for alias in dict.fromkeys(aliases) if alias != capital(title)),
        )

    def scope(self, page: Page, trap: str | None = None, **slots: Any) -> Scope:
        c = slots.pop("c", self.land.country)
        wording = partial(self.wording, trap=trap is not None)
        return Scope(
            {"c": c, **slots}, self.grammar, self.rng, wording, self.route, page.linked, trap
        )

    def wording(self, event: Event, class_: str, *, trap: bool = False) -> Phrase:
        """The least worn words for an event. Raises `Spent` where all are worn out, but for a trap:
        what is no mention wears nothing out.
        """
        if class_ == "surplus":
            return self.surplus[1]
        kind = event.kind
        choices = [*kind[class_], *(kind["dated"] if class_ == "full" else ())]
        scope = Scope({"e": event}, self.grammar, self.rng, self.wording, self.route)
        phrases = [self.parse(choice, scope) for choice in choices]
        self.rng.shuffle(phrases)
        phrase = min(phrases, key=lambda phrase: self.used[key(event, phrase.text)])
        if self.used[key(event, phrase.text)] >= MOST_ALIKE and not trap:
            raise Spent
        return phrase

    def parse(self, choice: str, scope: Scope) -> Phrase:
        """FLAGS|words, as `Phrase.of` reads them."""
        flags, _, words = choice.rpartition("|")
        return Phrase.of(text_of(words, scope), flags)

    def route(self, event: Event, phrase: Phrase, rng: random.Random) -> Route:
        """How a link to the event is written."""
        trail = self.table["grammar"]["trail"]
        if phrase.plural and phrase.text.endswith(tuple(trail)) and rng.random() < 0.5:
            return Route(event.title, "trail")
        how = rng.choices([how for how, _ in _ROUTES], [weight for _, weight in _ROUTES])[0]
        if "''" in phrase.text and how in ("italics", "bold"):
            how = "words"
        if how == "alias" and event.aliases:
            return Route(rng.choice(event.aliases), how)
        if how == "chain":
            return Route(chain(event), how)
        if how == "underscores":
            return Route(event.title.replace(" ", "_"), how)
        if how == "small":
            return Route(event.title[:1].lower() + event.title[1:], how)
        if how == "section":
            return Route(f"{event.title}#{self.headings['after']}", how)
        if how == "space":
            return Route(f" {event.title} ", how)
        if how == "entity":
            return Route(event.title.replace(" ", "&nbsp;", 1), how)
        return Route(event.title, how)

    def next(self, name: str, templates: Sequence[str] | None = None) -> str:
        """The templates in turn, in an order of this country's own; those of `name` if none are
        given."""
        order = self._order.get(name)
        if order is None:
            choices = self._list(name) if templates is None else list(templates)
            order = self._order[name] = self.rng.sample(choices, len(choices))
        self._turn[name] += 1
        return order[self._turn[name] % len(order)]

    def _list(self, name: str) -> list[str]:
        found = self.prose[name]
        return [found] if isinstance(found, str) else list(found)

    def tell(self, page: Page, name: str, **slots: Any) -> Passage:
        """A sentence or more that speak of no event."""
        return render(self.next(name), self.scope(page, **slots))

    def section(self, page: Page, name: str, **slots: Any) -> None:
        """Add a heading and a paragraph."""
        page.add(self.heading(name))
        page.paragraph(self.tell(page, name, **slots))

    def fill(self, passage: Passage, page: Page, role: str, **slots: Any) -> Passage:
        """The passage with a sentence or more behind it that fit the kind of page."""
        while True:
            template = self.next(f"filler {role}", self.table["filler"][role])
            passage.join(render(template, self.scope(page, **slots)))
            if len(passage.clean.split()) >= FEWEST_WORDS:
                return passage

    def mention(self, page: Page, role: str, event: Event, **slots: Any) -> bool:
        """Add a paragraph that mentions the event; whether that could be done."""
        contexts = self.contexts(role, event)
        for _ in range(3 * len(contexts)):
            template = self.next(f"{role} {event.kind['id']}", contexts)
            if template in page.told:
                continue
            try:
                told = render(template, self.scope(page, e=event, **slots))
            except Spent:
                continue
            if self.take(event, told):
                page.told.add(template)
                page.paragraph(self.decorate(self.fill(told, page, role, **slots)))
                return True
        return False

    def take(self, event: Event, told: Passage) -> bool:
        """Whether a passage may mention the event as it does; if so it is counted."""
        keys = [key(event, words) for words in shown(told)]
        if any(self.used[key] >= MOST_ALIKE for key in keys):
            return False
        if told.clean in self._told or not self.identified(told.clean, event):
            return False
        self._told.add(told.clean)
        self.used.update(keys)
        self.mentioned[event.title] += 1
        return True

    def contexts(self, role: str, event: Event) -> list[str]:
        found = list(self.table["context"][event.kind["family"]][role])
        return found + list(event.kind["clauses"] if role == "person" else ())

    def identified(self, text: str, event: Event) -> bool:
        """Whether a reader of the paragraph alone can tell which event it is.

        Editions of a series are named by year or number, all else by year or place.
        """
        if event.title in text:
            return True
        numbered = str(event.year) in text or (event.nth in event.title and event.nth in text)
        if event.kind["family"] in SERIES:
            return numbered
        return event.place.phrase.is_in(text) and (numbered or self.alone(event))

    def alone(self, event: Event) -> bool:
        """Whether no other event of its family befell the same town."""
        family = event.kind["family"]
        return all(
            other.title == event.title
            or other.place.title != event.place.title
            or other.kind["family"] != family
            for other in self.land.events
        )

    def decorate(self, passage: Passage) -> Passage:
        """Add what leaves no trace in the clean text."""
        if self.rng.random() < 0.4:
            passage.unseen(
                self.rng.choice(self.prose["references"]).format(n=self.rng.randrange(9, 400))
            )
        if self.rng.random() < 0.06:
            passage.unseen(f"<!-- {self.prose['remark']} -->")
        return passage

    def events(self, wanted: int, role: str, allowed: Sequence[Event]) -> list[Event]:
        """Up to `wanted` events, those that were least often mentioned first."""
        usable = [event for event in allowed if self.contexts(role, event)]
        self.rng.shuffle(usable)
        usable.sort(key=lambda event: self.mentioned[event.title])
        return usable[:wanted]

    def bold(self, name: str, page: Page, owner: Any, **slots: Any) -> Passage:
        """A lead with the page's name in bold."""
        template = bold_title(self.next(name), owner.phrase.text)
        return render(template, self.scope(page, **{"x": owner, **slots}))

    def box(self, page: Page, kind: str, **slots: Any) -> str:
        """An infobox of what is no event."""
        scope = self.scope(page, **slots)
        lines = [text_of(line, scope) for line in self.prose["fields"][kind]]
        return infobox(self.prose["boxes"][kind], lines)

    def heading(self, key: str) -> str:
        return f"== {self.headings[key]} =="

    def references(self) -> str:
        return f"== {self.headings['references']} ==\n<references />"

    def category(self, name: str) -> str:
        return f"[[{self.prose['category']}:{name}]]"

    def friend(self, person: Person) -> Person:
        """Somebody of about the same age."""
        others = [p for p in self.land.people if p.title != person.title and p.last != person.last]
        others.sort(key=lambda p: abs((p.birth - person.birth).days))
        return self.rng.choice(others[:4])

    def other(self, town: Town) -> Town:
        return self.rng.choice([other for other in self.land.towns if other.title != town.title])


def bold_title(template: str, text: str) -> str:
    """The template with the page's name in bold for {B}, its first letter small for {Bs}."""
    bold = template.replace("{B}", "'''" + text + "'''")
    return bold.replace("{Bs}", "'''" + small(text) + "'''")


def key(event: Event, words: str) -> tuple[str, str]:
    """What counts as the same words for an event."""
    return event.title, words.replace("''", "").casefold()


def shown(passage: Passage) -> list[str]:
    return [passage.clean[anchor.start : anchor.end] for anchor in passage.anchors]


def chain(event: Event) -> str:
    """The title of a redirect to a redirect to the event."""
    return f"{event.title} ({event.year})"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def small(text: str) -> str:
    return text[:1].lower() + text[1:]
