"""The tree of a translation, asked about the words around a placeholder."""

from __future__ import annotations

from collections.abc import Iterator

from corefmill.builders.nlp.analysis import Analysis


class Tree:
    """An analysis with what hangs on each word; nothing at all where there is no analysis.

    Words are counted as `Analysis.words` has them.
    """

    def __init__(self, analysis: Analysis | None) -> None:
        usable = analysis is not None and len(analysis.head) == len(analysis.words)
        self._analysis = analysis if usable else None
        self.words = self._analysis.words if self._analysis else ()

    def at(self, start: int) -> int | None:
        """The word that begins at an offset of the analysed text."""
        return next((word for word, span in enumerate(self.words) if span[0] == start), None)

    def head(self, word: int) -> int | None:
        """The word that `word` hangs on, None for a root."""
        assert self._analysis is not None
        head = self._analysis.head[word]
        return None if head == word else head

    def children(self, word: int, *relations: str) -> Iterator[int]:
        """The words that hang on `word` by one of the relations, subtypes as such apart."""
        assert self._analysis is not None
        for child, head in enumerate(self._analysis.head):
            if head == word != child and self.relation(child) in relations:
                yield child

    def relation(self, word: int) -> str:
        """The word's relation, "" where nobody says."""
        assert self._analysis is not None
        return self._analysis.deprel[word] if self._analysis.deprel else ""

    def upos(self, word: int) -> str:
        """The word's part of speech, "" where nobody says."""
        assert self._analysis is not None
        return self._analysis.upos[word] if self._analysis.upos else ""

    def lemma(self, word: int) -> str:
        """The word's lemma, "" where nobody says."""
        assert self._analysis is not None
        return self._analysis.lemma[word] if self._analysis.lemma else ""

    def form(self, word: int) -> str:
        """The word as it is written, of a piece the whole token."""
        assert self._analysis is not None
        return self._analysis.text[slice(*self.words[word])]

    def feature(self, word: int, name: str) -> str:
        """The value of one feature, "" where the word has none."""
        assert self._analysis is not None
        feats = self._analysis.feats[word] if self._analysis.feats else ""
        table = dict(pair.partition("=")[::2] for pair in feats.split("|"))
        return table.get(name, "")

    def alone(self, word: int) -> bool:
        """Whether the word is a written token of its own, no piece of one."""
        return sum(span == self.words[word] for span in self.words) == 1
