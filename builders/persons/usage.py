"""Count how an article uses a word: how often, with a capital or not, behind "in", as a name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.prefilter import CAPITALS
from corefmill.builders.persons.table import PersonWords
from corefmill.builders.wiki.article import Article
from corefmill.corpora.records import Span

_WORD = re.compile(r"\w+")
_CAPITALISED = re.compile(rf"[{CAPITALS}](?<!\w.)\w*")
_WORD_BEHIND = re.compile(r" (?P<word>[^\W\d_]\.|[^\W_](?:[\w'’-]*[^\W_])?)")
_FEW = 48
_FLOWING = re.compile(r".?[^\W\dA-Z_],? ", re.DOTALL)

Search: TypeAlias = Callable[[str, str], Iterator[int]]
"""Where a name stands in a text as a whole word."""


class Usage:
    """How an article uses a word: in lower case, with a capital, as a person's name."""

    def __init__(
        self, article: Article, read: Sequence[Analysis], words: PersonWords | None = None
    ) -> None:
        self.article = article
        self._read = read
        self._varied = words if words is not None and words.names_vary else None
        self._found: dict[str, list[Span]] = {}
        self._searched: dict[str, int] = {}
        self._after: dict[tuple[str, frozenset[str]], float] = {}
        self._shares: dict[str, float] = {}
        self._small: dict[str, bool] = {}

    def take_analyses(self, read: Sequence[Analysis]) -> Usage:
        """Return this usage with other analyses of the article; counts of the text are kept."""
        other = copy(self)
        other._read = read
        other._shares = {}
        return other

    @cached_property
    def text(self) -> str:
        """The article's running text."""
        # Computed on demand, like all below: few articles have a draft.
        return "\n".join(paragraph.text for paragraph in self.article.prose)

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(_WORD.findall(self.text))

    @cached_property
    def _capital_offsets(self) -> dict[str, list[int]]:
        """Map each capitalised word to its offsets, so that one reading of the text finds all
        names."""
        found: dict[str, list[int]] = defaultdict(list)
        for match in _CAPITALISED.finditer(self.text):
            found[match.group()].append(match.start())
        return dict(found)

    @cached_property
    def _persons(self) -> str:
        """The texts of all entities that the recogniser calls persons, a line each."""
        return "\n".join(
            analysis.text[entity.start : entity.end]
            for analysis in self._read
            for entity in analysis.entities
            if entity.label == "PERSON"
        )

    @cached_property
    def _analysed_text(self) -> str:
        return "\n".join(analysis.text for analysis in self._read)

    @cached_property
    def anchors(self) -> dict[str, str]:
        """Map the words of each link of the article to the title of the linked article."""
        return {
            paragraph.text[link.start : link.end]: link.target
            for paragraph in self.article.paragraphs
            for link in paragraph.links
            if link.target
        }

    def is_genitive(self, name: str) -> bool:
        """Tell whether a form of a name is the genitive of a name that the article has."""
        last = name.rpartition(" ")[2]
        varied = self._varied
        return varied is not None and varied.is_genitive(last, lambda one: one in self._words)

    def find_places(self, name: str) -> list[Span]:
        """Find the spans of a name in the article's text, in any grammatical form."""
        if name not in self._found:
            self._found[name] = list(self._find_forms(name, self.text, self._find_offsets))
        return self._found[name]

    def count(self, word: str) -> int:
        """Count a word in the article's text, in any grammatical form, by exact capitals."""
        if self._varied is not None:
            return sum(map(self._count_exactly, self._varied.forms_of(word)))
        return self._count_exactly(word)

    def is_oftener_small(self, word: str) -> bool:
        """Tell whether the article has a word oftener in small letters: "Will" beside "will"."""
        if word not in self._small:
            small, times = word.lower(), self.count(word)
            if self._varied is not None:
                self._small[word] = self.count(small) > times
            else:  # one more is enough, and most words stand small hundreds of times
                more = islice(self._find_offsets(small, self.text), times, times + 1)
                self._small[word] = next(more, None) is not None
        return self._small[word]

    def choose_nominative(self, word: str) -> str:
        """Choose the nominative of a word of a name: a listed given name, else the most frequent
        in the article, else the word."""
        if self._varied is None:
            return word
        known = self._varied.name_groups
        return max(self._varied.may_be(word), key=lambda one: (one in known, self._words[one]))

    def compute_person_share(self, name: str) -> float:
        """Compute the share of the analysed places where the recogniser calls a name a person."""
        if name not in self._shares:
            texts = (self._persons, self._analysed_text)
            called, seen = (
                sum(1 for _ in self._find_forms(name, text, _find_whole_word)) for text in texts
            )
            self._shares[name] = called / seen if seen else 1.0
        return self._shares[name]

    def compute_share_after(self, name: str, words: frozenset[str]) -> float:
        """Compute the share of a name's places that are right behind one of the `words`."""
        if (name, words) not in self._after:
            places = self.find_places(name)
            before = (self.text[max(0, start - 20) : start].split(" ")[-2:] for start, _ in places)
            # A whole word has a blank between it and the name, an elided word ("l'") has none.
            times = sum(last[-1 if last[-1] else 0] in words for last in before)
            self._after[name, words] = times / len(places) if places else 0.0
        return self._after[name, words]

    def stands_within_sentence(self, name: str) -> bool:
        """Tell whether a name stands behind a lower-case word or a comma somewhere."""
        return any(
            _FLOWING.fullmatch(self.text[max(0, start - 3) : start])
            for start, _ in self.find_places(name)
        )

    def _count_exactly(self, word: str) -> int:
        """Count the article's occurrences of exactly this word.

        Words with a capital are found by their places, and a few others are quicker searched one
        by one than counted with all others.
        """
        if _CAPITALISED.fullmatch(word):
            return len(self._capital_offsets.get(word, ()))
        if word not in self._searched:
            if _WORD.fullmatch(word) is None:
                return 0
            if len(self._searched) >= _FEW:
                return self._words[word]
            self._searched[word] = sum(1 for _ in _find_whole_word(word, self.text))
        return self._searched[word]

    def _find_offsets(self, name: str, text: str) -> Iterator[int]:
        """Find a name in the article's own text, by its capitals where the name has one."""
        first = _CAPITALISED.match(name)
        if first is None:
            return _find_whole_word(name, text)
        offsets = self._capital_offsets.get(first.group(), [])
        if first.end() == len(name):
            return iter(offsets)
        return (
            offset
            for offset in offsets
            if text.startswith(name, offset)
            and not _is_letter(text[offset + len(name) : offset + len(name) + 1])
        )

    def _find_forms(self, name: str, text: str, at: Search) -> Iterator[Span]:
        """Find the words of a name in sequence in a text, each in any of its forms."""
        if self._varied is None:
            yield from ((offset, offset + len(name)) for offset in at(name, text))
            return
        first, *others = [self._varied.forms_of(word) for word in name.split()]
        starts = sorted((place, place + len(form)) for form in first for place in at(form, text))
        for start, end in starts:
            for forms in others:
                match = _WORD_BEHIND.match(text, end)
                if match is None or match["word"] not in forms:
                    break
                end = match.end()
            else:
                yield start, end


def _find_whole_word(name: str, text: str) -> Iterator[int]:
    """Find the offsets of a name as a whole word in a text."""
    offset = text.find(name)
    while offset >= 0:
        end = offset + len(name)
        if not (_is_letter(text[offset - 1 : offset]) or _is_letter(text[end : end + 1])):
            yield offset
        offset = text.find(name, offset + 1)


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
