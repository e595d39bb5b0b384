"""Sentences with slots, as the language's TOML has them, and how they become a `Passage`."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from tools.world.facts import Event, Person, Thing
from tools.world.grammar import Grammar, Phrase
from tools.world.passage import Anchor, Name, Passage

_TOKEN = re.compile(r"\{([^{}|]+)\}|(?<!\[)\[(\w+)(?:#([^|\]]*))?\||(?<!\])\](?!\])(\w*)")
_WORDINGS = {"ev": "short", "EVd": "dated", "EV": "full", "EVs": "surplus"}

_DATES = frozenset({"e.date", "e.month", "e.long"})  # which take an article in Italian


class Slot(NamedTuple):
    """{...}"""

    text: str


class Open(NamedTuple):
    """[slot| or [slot#section|"""

    slot: str
    section: str | None


class Close(NamedTuple):
    """] and the letters behind it."""

    trail: str


@lru_cache(2048)  # those with a page's name in them come but once
def parsed(template: str) -> tuple[str | Slot | Open | Close, ...]:
    """The pieces of a template in order."""

    def pieces() -> Iterator[str | Slot | Open | Close]:
        position = 0
        for match in _TOKEN.finditer(template):
            if match.start() > position:
                yield template[position : match.start()]
            position = match.end()
            if match[1] is not None:
                yield Slot(match[1])
            elif match[2] is not None:
                yield Open(match[2], match[3])
            else:
                yield Close(match[4])
        if position < len(template):
            yield template[position:]

    return tuple(pieces())


class Target(NamedTuple):
    """What a link of a trap leads to, and what it shows."""

    title: str
    phrase: Phrase

    @property
    def text(self) -> str:
        return self.phrase.text


class Route(NamedTuple):
    """How a link gets to an event: by which title, with what around it."""

    title: str
    how: str


@dataclass(slots=True)
class Scope:
    """What the slots of one paragraph stand for.

    `wording` chooses the words of a mention: (event, class of words) to a phrase, or raises
    `Spent`. `route` chooses how its link is written. `linked` are the titles that the page has
    linked to already; a person or town is linked once.
    """

    slots: dict[str, Any]
    grammar: Grammar
    rng: random.Random
    wording: Callable[[Event, str], Phrase]
    route: Callable[[Event, Phrase, random.Random], Route]
    linked: set[str] = field(default_factory=set)
    trap: str | None = None
    chosen: dict[str, Phrase] = field(default_factory=dict)


class Spent(Exception):
    """An event has been called by each of its names often enough."""


def render(template: str, scope: Scope) -> Passage:
    """The paragraph that the template comes to. Raises `Spent` as `scope.wording` does."""
    passage = Passage()
    scope.chosen = {}
    opened: tuple[Open, int, int] | None = None
    for piece in parsed(template):
        if isinstance(piece, str):
            passage.add(piece)
        elif isinstance(piece, Slot):
            _slot(piece.text, scope, passage, linkable=opened is None)
        elif isinstance(piece, Open):
            opened = piece, len(passage.wiki), len(passage.clean)
        else:
            assert opened is not None, template
            _close(opened, piece.trail, scope, passage)
            opened = None
    return passage


def _close(opened: tuple[Open, int, int], trail: str, scope: Scope, passage: Passage) -> None:
    """Turn what was written since `opened` into a link."""
    link, wiki, clean = opened
    shown = passage.wiki[wiki:]
    passage.wiki = passage.wiki[:wiki]
    passage.clean = passage.clean[:clean]
    passage.names = [name for name in passage.names if name.start < clean]
    target = scope.slots["e" if link.slot == "ev" else link.slot]
    title = target.title
    if link.section is not None:
        section = text_of(link.section, scope)
        passage.link(f"{title}#{section}", shown, trail)
    else:
        passage.link(title, shown, trail)
    event = target if isinstance(target, Event) else None
    if event is not None or scope.trap is not None:
        how = "section" if link.section is not None else "trail" if trail else "words"
        passage.anchors.append(Anchor(clean, len(passage.clean), title, event, scope.trap, how))


def text_of(template: str, scope: Scope) -> str:
    """A template's clean text, with no link made."""
    passage = Passage()
    for piece in parsed(template):
        if isinstance(piece, str):
            passage.add(piece)
        elif isinstance(piece, Slot):
            _slot(piece.text, scope, passage, linkable=False)
    return passage.wiki


def _slot(expression: str, scope: Scope, passage: Passage, *, linkable: bool) -> None:
    capital = expression.startswith("!")
    expression = expression.removeprefix("!")
    word, _, path = expression.rpartition(":")
    if (form := _agreeing(word, path, scope)) is not None:
        passage.add(form if word == "o" else _capital(form, capital))
        return
    if path in _WORDINGS:
        _mention(path, word, scope, passage, capital=capital)
        return
    owner, value = _resolve(path, scope)
    if isinstance(value, Target):
        passage.add(_capital(scope.grammar.before(word, value.phrase), capital))
        start = len(passage.clean)
        passage.link(value.title, scope.grammar.words(word, value.phrase))
        passage.anchors.append(
            Anchor(start, len(passage.clean), value.title, None, scope.trap, "words")
        )
        return
    _thing(word, path, owner, value, scope, passage, capital=capital, linkable=linkable)


def _agreeing(word: str, path: str, scope: Scope) -> str | None:
    """Of a word with several forms, the one that agrees with the path's phrase; else None."""
    if word != "o" and not {*"~^/"} & {*word}:
        return None
    phrase = _phrase(path, scope)
    if "~" in word:
        forms = word.split("~")
        # What has no form for feminine plurals has one for all plurals.
        return forms[min(phrase.agreement, len(forms) - 1)]
    if word == "o":
        return ("ae" if phrase.feminine else "oi")[phrase.plural]
    mark = "^" if "^" in word else "/"
    first, second = word.split(mark)
    return second if (phrase.feminine if mark == "^" else phrase.plural) else first


def _thing(
    word: str,
    path: str,
    owner: Any,
    value: Any,
    scope: Scope,
    passage: Passage,
    *,
    capital: bool,
    linkable: bool,
) -> None:
    """Adds the words for a thing or for what is said of it, with a link if it is the first time."""
    if isinstance(value, (Thing, Phrase)):
        phrase = value if isinstance(value, Phrase) else value.phrase
        passage.add(_capital(scope.grammar.before(word, phrase), capital))
        text = scope.grammar.words(word, phrase)
        if not passage.clean and capital and not phrase.article:
            text = _capital(text, True)
        owner = value
    else:
        phrase = _named(owner, path, value)
        if word:
            passage.add(_capital(scope.grammar.before(word, phrase), capital))
        text = _capital(scope.grammar.words(word, phrase), capital and not word)
    start = len(passage.clean)
    title = getattr(owner, "title", None)
    named = path.rpartition(".")[2] in ("full", "name", path)
    if linkable and named and title and not isinstance(owner, Event) and title not in scope.linked:
        scope.linked.add(title)
        passage.link(title, text)
    else:
        passage.add(text)
    if isinstance(owner, Person) and path.endswith((".full", ".last")):
        passage.names.append(Name(start, len(passage.clean), owner))


def _mention(path: str, word: str, scope: Scope, passage: Passage, *, capital: bool) -> None:
    event: Event = scope.slots["e"]
    phrase = _phrase(path, scope)
    before = scope.grammar.before(word, phrase)
    passage.add(_capital(before, capital))
    shown = _capital(scope.grammar.words(word, phrase), capital and not before)
    route = Route(event.title, "words")  # of a trap, which must be one for one reason only
    if scope.trap is None:
        route = scope.route(event, phrase.with_text(shown), scope.rng)
    start = len(passage.clean)
    how = route.how
    if before.endswith("'") and how in ("italics", "bold"):
        how = "words"  # l'''[[x]]'' is anybody's guess
    if how == "italics":
        passage.wiki += "''"
        passage.link(route.title, shown)
        passage.wiki += "''"
    elif how == "bold":
        passage.wiki += "'''"
        passage.link(route.title, shown)
        passage.wiki += "'''"
    elif how == "trail":
        passage.link(route.title, shown[:-1], shown[-1:])
    else:
        passage.link(route.title, shown)
    trap = scope.trap or ("section_link" if how == "section" else None)
    passage.anchors.append(Anchor(start, len(passage.clean), event.title, event, trap, how))


def _phrase(path: str, scope: Scope) -> Phrase:
    if path in _WORDINGS:
        if path not in scope.chosen:
            scope.chosen[path] = scope.wording(scope.slots["e"], _WORDINGS[path])
        return scope.chosen[path]
    value = _resolve(path, scope)[1]
    if isinstance(value, Phrase):
        return value
    phrase: Phrase = value.phrase
    return phrase


def _named(owner: Any, path: str, value: Any) -> Phrase:
    """A value that is mere words as a phrase: the names of persons have forms, dates an article."""
    part = path.rpartition(".")[2]
    if isinstance(owner, Person) and part in ("first", "last", "full"):
        return owner.named(part)
    return Phrase(str(value), article=path in _DATES)


def _resolve(path: str, scope: Scope) -> tuple[Any, Any]:
    """The value of a path such as e.place.name, and what it is an attribute of."""
    first, *rest = path.split(".")
    owner: Any = None
    value: Any = scope.slots[first]
    for attribute in rest:
        owner = value
        value = value[attribute] if isinstance(value, Mapping) else getattr(value, attribute)
    return owner, value


def _capital(text: str, wanted: bool) -> str:
    return text[:1].upper() + text[1:] if wanted else text
