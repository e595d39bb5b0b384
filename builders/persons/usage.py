"""How an article uses a word: how often, how written, behind what, and as whose name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property

from corefmill.builders.nlp import Analysis
from corefmill.builders.wiki.article import Article

_WORD = re.compile(r"\w+")
_FLOWING = re.compile(r".?[^\W\dA-Z_],? ", re.DOTALL)


class Usage:
    """How an article uses a word: in lower case, with a capital, as a person's name."""

    def __init__(self, article: Article, read: Sequence[Analysis]) -> None:
        self.article = article
        self._read = read
        self._found: dict[str, list[int]] = {}
        self._after: dict[tuple[str, frozenset[str]], float] = {}

    def reading(self, read: Sequence[Analysis]) -> Usage:
        """The same, once more of the article is analysed; what was counted is not counted again."""
        other = copy(self)
        other._read = read
        return other

    @cached_property
    def text(self) -> str:
        """The article's running text."""
        # Made, like all below, for the few articles with a draft only.
        return "\n".join(paragraph.text for paragraph in self.article.prose)

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(_WORD.findall(self.text))

    @cached_property
    def _analysed(self) -> str:
        return "\n".join(analysis.text for analysis in self._read)

    @cached_property
    def _persons(self) -> str:
        return "\n".join(
            analysis.text[entity.start : entity.end]
            for analysis in self._read
            for entity in analysis.entities
            if entity.label == "PERSON"
        )

    @cached_property
    def anchors(self) -> dict[str, str]:
        """The targets of the article's links by their anchor's words."""
        return {
            paragraph.text[link.start : link.end]: link.target
            for paragraph in self.article.paragraphs
            for link in paragraph.links
            if link.target
        }

    def offsets(self, name: str) -> list[int]:
        """Where the name stands as a word in `text`."""
        if name not in self._found:
            self._found[name] = list(_offsets(name, self.text))
        return self._found[name]

    def count(self, word: str) -> int:
        """How often the article has this word, case and all."""
        return self._words[word]

    def person_share(self, name: str) -> float:
        """The share of the name's occurrences in what was analysed that are called a person."""
        seen = sum(1 for _ in _offsets(name, self._analysed))
        return sum(1 for _ in _offsets(name, self._persons)) / seen if seen else 1.0

    def share_after(self, name: str, words: frozenset[str]) -> float:
        """The share of the name's occurrences in the article that follow one of the words."""
        if (name, words) not in self._after:
            offsets = self.offsets(name)
            before = (self.text[max(0, offset - 20) : offset].split(" ")[-2:] for offset in offsets)
            # The word before is whole behind a blank, and elided right before the name ("l'").
            times = sum(last[-1 if last[-1] else 0] in words for last in before)
            self._after[name, words] = times / len(offsets) if offsets else 0.0
        return self._after[name, words]

    def within_sentence(self, name: str) -> bool:
        """Whether the name stands after a word in lower case or a comma somewhere."""
        return any(
            _FLOWING.fullmatch(self.text[max(0, offset - 3) : offset])
            for offset in self.offsets(name)
        )


def _offsets(name: str, text: str) -> Iterator[int]:
    """Where the name stands in a text as a whole word."""
    offset = text.find(name)
    while offset >= 0:
        end = offset + len(name)
        if not (_is_letter(text[offset - 1 : offset]) or _is_letter(text[end : end + 1])):
            yield offset
        offset = text.find(name, offset + 1)


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"
