"""The names of persons in an article, by its title and its links alone.

Names are: the words of a link to a person that the title of the person shares; the title of a
person's own article, and the bold words of its first paragraph; and from there on any part of such
a name, alone or with other parts: "Einstein", "Albert Einstein". A part does not count

- if the article has it in small letters, too ("Grant"), as a link to something else ("London"),
  or in its title;
- between the first and the last word of a name, if it is no given name;
- if the article used it before a person of that name, and it is not a surname;
- behind a small word that is common in the article ("Louis of France");
- beside another word with a capital ("Lincoln Memorial") or a figure ("May 1916").

In a script without capitals only the last part of a name counts alone, and without spaces between
words, only whole names count.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.markup.records import Link, Paragraph, Span
from corefmill.builders.wiki.markup.settings import without_qualifier
from corefmill.corpora import languages
from corefmill.corpora.words import UNSPACED, marks_class, without_accents

_WORD = re.compile(rf"[^\W\d_](?:[\w{marks_class()}]|['’·-](?=[^\W\d_]))*+")
_ROMAN = re.compile(r"[IVXLC]+")
_AFTER_DAY = re.compile(r"(?<!\d)\d{1,2}\.? $")
_BRACKETED = re.compile(r" *\([^()]*\)\Z")
_APOSTROPHE = re.compile("['’]")

_SHORTEST = 3
"""Least letters of a part of a name that counts alone."""
_SUFFIXES = ("Jr", "Sr")
_MOST_UNSPACED = 200
"""Most names of an article whose later mentions are searched in scripts without spaces."""


class _Word(NamedTuple):
    start: int
    end: int
    text: str


def name_spans(article: Article, persons: Container[str]) -> dict[int, list[Span]]:
    """Find the names of persons in each paragraph of running text, by its index, in order.

    `persons` contains the titles of persons, redirects included.
    """
    reader = _Reader(article, persons)
    found = {paragraph.index: reader.read(paragraph) for paragraph in article.paragraphs}
    return {paragraph.index: found[paragraph.index] for paragraph in article.prose}


class _Reader:
    """Reads an article from its beginning, and remembers the persons met so far."""

    def __init__(self, article: Article, persons: Container[str]) -> None:
        self._article = article
        self._persons = persons
        self._parts: dict[str, str] = {}  # a part of a name -> the small words before it there
        self._within: set[str] = set()  # every word of a name, small ones and figures too
        self._whole: dict[str, None] = {}  # names in scripts that do not space words
        self._used: set[str] = set()  # words that stood outside all names
        self._text = "\n".join(paragraph.text for paragraph in article.prose)
        self._small = {word.text for word in _words(self._text) if _is_small(word.text)}
        self._things: set[str] = set()
        self._title: Sequence[str] = ()
        if article.title not in persons:
            self._title = without_accents(article.title).split()
        else:
            self._meet(without_qualifier(article.title))
            for first in islice(article.prose, 1):
                for start, end in first.bold[:3]:
                    # The full name or another name, not a whole clause.
                    words = _words(name := first.text[start:end])
                    if len(words) <= 8 and not all(_is_small(word.text) for word in words):
                        self._meet(name)
        # Films and books are named after the person of the article, who keeps the name.
        self._things = {
            paragraph.text[link.start : link.end]
            for paragraph in article.paragraphs
            for link in paragraph.links
            if link.target and article.title_of(link.target) not in persons
        }

    def _meet(self, name: str) -> None:
        """From here on, parts of this name are names."""
        if UNSPACED.search(name):
            if len(name) > 1 and len(self._whole) < _MOST_UNSPACED:
                self._whole[name] = None
            return
        before: list[str] = []
        words = [word.text for word in _words(name)]
        self._within.update(words)
        for place, word in enumerate(words):
            if _is_small(word):
                before.append(word)
                continue
            is_last = place == len(words) - 1
            small, before = " ".join(before), []
            if small and not self._is_of_name(small, word):
                continue  # "Louis of Orange" does not make Orange a person
            # Between the first and the last only a given name is the person's: "Cyprus" is none
            # of "Archbishop of Cyprus Makarios".
            if place and not is_last and not languages.genders_of_name(word):
                continue
            if self._counts_alone(word, is_last) and (_is_capital(word) or is_last):
                self._parts.setdefault(word, small)

    def _counts_alone(self, word: str, is_last: bool) -> bool:
        """Check whether a part of a name stands for the person by itself in this article."""
        if len(word) < _SHORTEST or _ROMAN.fullmatch(word) or word in _SUFFIXES:
            return False
        # Surnames do stand before the link: "Dorn and Vesk were brothers. [Jan Dorn] ..."
        if any(_is_akin(without_accents(word), other) for other in self._title):
            return False
        if word in self._things or (word in self._used and not (is_last and _is_capital(word))):
            return False
        return not (_is_capital(word) and word.lower() in self._small)

    def read(self, paragraph: Paragraph) -> list[Span]:
        """Find the names in a paragraph; persons linked in it are known from there on."""
        text, found, position = paragraph.text, list[Span](), 0
        for link in sorted(paragraph.links):
            found += self._free(text, position, link.start)
            position = max(position, link.end)
            name = self._link_name(text, link)
            if name is not None:
                found.append(name)
        found += self._free(text, position, len(text))
        return found

    def _link_name(self, text: str, link: Link) -> Span | None:
        """Find the name in a link's words; None for no person or no name.

        The name goes from the first to the last word of the link that is akin to a word of the
        title. If the link's words are themselves a person's title or redirect, all are the name.
        """
        title = self._article.title_of(link.target) if link.target else ""
        if not title or title not in self._persons:
            return None
        shown, named = text[link.start : link.end], without_qualifier(title)
        if UNSPACED.search(shown):
            if shown not in named and named not in shown:
                return None
            self._meet(shown)
            return link.start, link.end
        words = _words(text, link.start, link.end)
        if self._article.title_of(shown) not in self._persons:
            own = [word.text for word in _words(_BRACKETED.sub("", title))]
            alike = [any(_is_akin(word.text, other) for other in own) for word in words]
            words = (
                words[alike.index(True) : len(alike) - alike[::-1].index(True)]
                if any(alike)
                else []
            )
        if not words or all(_is_small(word.text) for word in words):
            return None
        self._meet(named)
        self._meet(text[words[0].start : words[-1].end])
        return words[0].start, words[-1].end

    def _free(self, text: str, start: int, end: int) -> Iterator[Span]:
        """Find names between two links, by the persons met so far."""
        if self._whole and UNSPACED.search(text, start, end):
            longest_first = sorted(self._whole, key=lambda name: (-len(name), name))
            pattern = re.compile("|".join(map(re.escape, longest_first)))
            yield from (match.span() for match in pattern.finditer(text, start, end))
            return
        run: list[_Word] = []
        for word in _words(text, start, end):
            if run and self._goes_on(text, run[-1], word):
                run.append(word)
                continue
            yield from self._close_run(text, run)
            run = [word] if word.text in self._parts else []
            if not run:
                self._used.add(word.text)
        yield from self._close_run(text, run)

    def _goes_on(self, text: str, last: _Word, word: _Word) -> bool:
        between = text[last.end : word.start]
        joined = between == " " or (between == ". " and len(last.text) == 1)
        return joined and (word.text in self._parts or word.text in self._within)

    def _close_run(self, text: str, run: list[_Word]) -> Iterator[Span]:
        """Yield the run of words as a name, unless it is part of something longer."""
        while run and _is_small(run[-1].text):
            run.pop()
        if not run:
            return
        start, end = run[0].start, run[-1].end
        small = self._parts[run[0].text]
        if (
            small
            and text[:start].lower().endswith(f" {small} ")
            and self._is_of_name(small, run[0].text)
        ):
            start -= len(small) + 1
        if not self._is_longer(text, start, end):
            yield start, end

    def _is_of_name(self, small: str, word: str) -> bool:
        """Check whether small words such as "van" stand mostly before this name in the article."""
        together = self._text.count(f" {small} {word}")
        return self._text.count(f" {small} ") <= 2 * together

    def _is_longer(self, text: str, start: int, end: int) -> bool:
        """Check for a number or capitalised word beside the span, as in another name."""
        behind = text[end : end + 2]
        if behind[:1] == " " and (_is_capital(behind[1:]) or behind[1:].isdigit()):
            return True
        head = text[max(0, start - 40) : start]
        if _AFTER_DAY.search(head):
            return True
        before = _words(head)
        if not before or before[-1].end != len(head) - 1 or not head.endswith(" "):
            return False
        last = before[-1].text
        return _is_capital(last) and last.lower() not in self._small


def _words(text: str, start: int = 0, end: int = sys.maxsize) -> Sequence[_Word]:
    """Split a stretch of text into words, also at an apostrophe beside a name: "Ann's"."""
    found: list[_Word] = []
    for match in _WORD.finditer(text, start, min(end, len(text))):
        left, right = match.span()
        word = match[0]
        if mark := _APOSTROPHE.search(word):
            # "O'Neill" is one word, "d'Alembert" two, and "Ann's" two.
            if len(word) - mark.end() < _SHORTEST:
                right = left + mark.start()
            elif _is_small(word) and _is_capital(word[mark.end() :]):
                left += mark.end()
        found.append(_Word(left, right, text[left:right]))
    return found


def _is_capital(word: str) -> bool:
    """Check whether a word begins with a capital."""
    return word[:1] != word[:1].lower()


def _is_small(word: str) -> bool:
    """Check for a small first letter; a Georgian word has none, as names have no capitals there."""
    return word[:1] != word[:1].title()


def _is_akin(word: str, other: str) -> bool:
    """Check whether two words may be forms of one name: "Kowalski", "Kowalskiego"."""
    if word == other:
        return True
    shorter = min(len(word), len(other))
    alike = next((at for at in range(shorter) if word[at] != other[at]), shorter)
    return alike >= _SHORTEST and alike >= shorter - 2
