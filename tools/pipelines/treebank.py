"""CoNLL-U with multiword tokens kept: sentences of written tokens and the words that they hold."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from tools.pipelines.multiword import Piece
from tools.pipelines.sources import Sample, blocks, letters

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

    def cuttable(self) -> Self:
        """The same with tokens of fewer letters than words ("à": a + a) as their first word."""
        dropped = {
            i: token.first
            for token in self.tokens
            if token.last - token.first > len(token.text)
            for i in range(token.first + 1, token.last)
        }
        if not dropped:
            return self
        kept = [i for i in range(len(self.words)) if i not in dropped]
        place = {old: new for new, old in enumerate(kept)}
        words = [
            replace(self.words[i], head=place[dropped.get(self.words[i].head, self.words[i].head)])
            for i in kept
        ]
        tokens = []
        for token in self.tokens:
            inside = [i for i in range(token.first, token.last) if i not in dropped]
            first = place[inside[0]]
            if len(inside) < token.last - token.first:
                words[first] = replace(words[first], form=token.text)
            tokens.append(replace(token, first=first, last=first + len(inside)))
        return replace(self, tokens=tuple(tokens), words=tuple(words))


def sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file."""
    yield from of_rows(blocks(path))


def of_rows(found: Iterable[Sequence[Sequence[str]]]) -> Iterator[Sentence]:
    """Sentences from their columns; empty nodes are left out."""
    for rows in found:
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


def free_of(found: Iterable[Sentence], kept: set[str]) -> list[Sentence]:
    """The sentences that are none of the kept-out ones, which are given by their `letters`."""
    return [sentence for sentence in found if letters(sentence.text) not in kept]


def token_uses(
    found: Iterable[Sentence],
) -> tuple[Counter[str], dict[str, Counter[tuple[str, ...]]]]:
    """By lower-case written word: how often it is one word, and how often which several."""
    whole = Counter[str]()
    cut: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for sentence in found:
        for token in sentence.tokens:
            low = token.text.lower()
            forms = tuple(w.form.lower() for w in sentence.words[token.first : token.last])
            if len(forms) == 1:
                whole[low] += 1
            else:
                cut[low][forms] += 1
    return whole, dict(cut)


def multiword_tokens(found: Iterable[Sentence]) -> dict[str, tuple[str, ...]]:
    """Lower-case written words that are more often several words than one, with these words.

    A word of fewer letters than words counts for neither.
    """
    whole, cut = token_uses(found)
    words = {}
    for low, every in sorted(cut.items()):
        ways = Counter({forms: n for forms, n in every.items() if len(low) >= len(forms)})
        if ways.total() > whole[low]:
            words[low] = ways.most_common(1)[0][0]
    return words


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


def examples(
    vocab: Vocab, parts: Mapping[str, Sequence[Sentence]], cut: Cut, rng: random.Random
) -> list[Example]:
    """The sentences of all parts, one to three together by part."""
    return [
        example(vocab, group, cut)
        for part in parts.values()
        for group in groups(part, rng.randint(1, 3))
    ]


def known_not_names(group: Sequence[Sentence], capital_nouns: bool = False) -> Sample:
    """Treebank sentences for the names' encoder: where they begin, and which words are no name.

    Of a capitalised word inside a sentence nothing is known, unless nouns have capitals.
    """
    text, starts, unknown = "", [], []
    for sentence in group:
        starts.append(len(text))
        for i, token in enumerate(sentence.tokens):
            kinds = {word.upos for word in sentence.words[token.first : token.last]}
            capital = i and token.text[0].isupper() and not (capital_nouns and "NOUN" in kinds)
            if kinds & {"PROPN", "X", "SYM", "NUM"} or capital:
                unknown.append((len(text), len(text) + len(token.text)))
            text += token.text + (" " if token.space else "")
        text = text if text.endswith(" ") else text + " "
    return Sample(text, (), tuple(unknown), tuple(starts))


def write(found: Iterable[Sequence[Sequence[str]]], path: Path) -> None:
    """Writes sentences of columns as CoNLL-U."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for rows in found:
            out.write("\n".join("\t".join(row) for row in rows) + "\n\n")
