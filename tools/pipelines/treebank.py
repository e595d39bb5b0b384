"""CoNLL-U with multiword tokens kept: sentences of written tokens and the words that they hold."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from tools.pipelines.mwt_it import Piece
from tools.pipelines.sources import blocks

Cut = Callable[[str, Sequence[str]], list[Piece]]  # written token, forms -> pieces


def as_words(written: str, forms: Sequence[str]) -> list[Piece]:
    """A token cut into its words as they stand, as English is."""
    return [Piece(form, form) for form in forms]


@dataclass(frozen=True)
class Word:
    """A word of the grammar; its head counts from 0 within the sentence, a root is its own head."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str


@dataclass(frozen=True)
class Token:
    """A written token: its words [first, last) and whether a space follows."""

    text: str
    first: int
    last: int
    space: bool


@dataclass(frozen=True)
class Sentence:
    """One sentence of a treebank."""

    tokens: tuple[Token, ...]
    words: tuple[Word, ...]
    new_paragraph: bool

    @property
    def text(self) -> str:
        """As written, with the space that follows it."""
        return "".join(t.text + " " * t.space for t in self.tokens)

    @property
    def spaces(self) -> list[bool]:
        """Whether a space follows each word; within a token none does."""
        return [
            token.space and i == token.last - 1
            for token in self.tokens
            for i in range(token.first, token.last)
        ]

    def closed(self) -> Self:
        """The same with a space after it, whatever the file says."""
        return replace(self, tokens=(*self.tokens[:-1], replace(self.tokens[-1], space=True)))


def sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file; empty nodes are left out."""
    for rows in blocks(path):
        words, tokens, inside = list[Word](), list[Token](), 0
        for row in rows:
            span = re.fullmatch(r"(\d+)-(\d+)", row[0])
            if span:
                first, inside = int(span[1]) - 1, int(span[2])
                tokens.append(Token(row[1], first, inside, "SpaceAfter=No" not in row[9]))
            elif row[0].isdigit():
                i, head = int(row[0]) - 1, int(row[6]) - 1
                feats = "" if row[5] == "_" else row[5]
                lemma = row[1] if row[2] in ("_", "[PUNCT]") else row[2]
                head = i if head < 0 else head
                words.append(Word(row[1], lemma, row[3], row[4], feats, head, row[7]))
                if i >= inside:
                    tokens.append(Token(row[1], i, i + 1, "SpaceAfter=No" not in row[9]))
        new = any(row[0].startswith(("# newdoc", "# newpar")) for row in rows)
        yield Sentence(tuple(tokens), tuple(words), new)


def groups(found: Iterable[Sentence], most: int) -> Iterator[list[Sentence]]:
    """Consecutive sentences of one paragraph, at most `most` of them together."""
    group: list[Sentence] = []
    for sentence in found:
        if group and (sentence.new_paragraph or len(group) == most):
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group


def example(vocab: Vocab, group: Sequence[Sentence], cut: Cut) -> Example:
    """Sentences as one document with all annotation; the parser is given where they begin."""
    surface, norms, spaces = list[str](), list[str | None](), list[bool]()
    starts: list[bool | int | None] = []
    words, heads = list[Word](), list[int]()
    for sentence in group:
        offset = len(words)
        for token in sentence.tokens:
            forms = [word.form for word in sentence.words[token.first : token.last]]
            parts = cut(token.text, forms) if len(forms) > 1 else [Piece(token.text, token.text)]
            surface += [part.text for part in parts]
            norms += [p.form.lower() if p.form != p.text else None for p in parts]
            spaces += [False] * (len(parts) - 1) + [token.space]
        starts += [i == 0 for i in range(len(sentence.words))]
        words += sentence.words
        heads += [word.head + offset for word in sentence.words]
    reference = Doc(
        vocab,
        words=surface,
        spaces=spaces,
        heads=heads,
        deps=["ROOT" if w.deprel == "root" else w.deprel for w in words],
        tags=[w.xpos for w in words],
        pos=[w.upos for w in words],
        morphs=[w.feats for w in words],
        lemmas=[w.lemma for w in words],
    )
    predicted = Doc(vocab, words=surface, spaces=spaces, sent_starts=starts)
    for doc in (reference, predicted):
        for own, norm in zip(doc, norms, strict=True):
            if norm is not None:
                own.norm_ = norm
    return Example(predicted, reference)
