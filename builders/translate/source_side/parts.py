"""The data of the chain: a part of a document, its utterances and their text, their mentions.

Each stage adds to the parts: beta1 tags and trees, beta2 the roots of mentions, gamma the classes
of their entities. A mention keeps its `key` from alpha to delta.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from corefmill.corpora.files import disk
from corefmill.corpora.records import Document, Mention, Sentence, Token


class EntityClass(NamedTuple):
    """The class of an entity in the paper: human or thing, m or f, s or p."""

    type: Literal["human", "thing"]
    gender: Literal["m", "f"]
    number: Literal["s", "p"]


@dataclass(frozen=True, slots=True)
class ChainMention:
    """A mention of the entity `cluster`: its first token, and the token after its last.

    `root` is the index in the utterance of the token that the others depend on, -1 until beta2.
    `entity` is the class that gamma gives its entity. `translation` is the mention translated
    alone, None before gamma and for a mention that is not or cannot be translated alone. A mention
    goes through the translation in marks if `add_marks`, else as a placeholder.
    """

    cluster: int
    start: int
    end: int
    root: int = -1
    entity: EntityClass | None = None
    translation: str | None = None
    marked: bool = False

    @property
    def length(self) -> int:
        """The number of tokens."""
        return self.end - self.start

    @property
    def key(self) -> str:
        """The mention's identifier in its utterance, in both languages."""
        return f"{self.cluster}:{self.start}"

    @property
    def known_entity(self) -> EntityClass:
        """The class of the entity, once gamma has found it."""
        assert self.entity is not None
        return self.entity


@dataclass(frozen=True, slots=True)
class SourceTree:
    """The analysis of an utterance: Penn tags, the index of each word's head (a root's is its own),
    the label of the named entity that each word is part of ("" for none), and its relation."""

    tags: tuple[str, ...]
    heads: tuple[int, ...]
    names: tuple[str, ...]
    relations: tuple[str, ...] = ()

    def root(self, start: int, end: int) -> int:
        """Find the word of [start, end) that is nearest to the root of the sentence.

        Candidates are the words that depend on none of the others; a tree has at least one.
        """
        heads = self.heads
        tops = [
            word
            for word in range(start, end)
            if not start <= heads[word] < end or heads[word] == word
        ]
        best, lowest = start, len(heads) + 1
        for top in tops:
            word, depth = top, 0
            # A parser could give a cycle; no path is longer than the sentence.
            while heads[word] != word and depth < len(heads):
                word, depth = heads[word], depth + 1
            if depth < lowest:
                best, lowest = top, depth
        return best


@dataclass(frozen=True, slots=True)
class SourceUtterance:
    """The paper's quadruple (tokens, Penn Treebank tags, mentions, speaker), section 4.2.1.

    `index` is the sentence's in the source. A tag is None if the source has none and no stage has
    tagged yet; `tree` is None until a stage needs it. `written` has each token's piece of the text,
    with the blank before it, None if the source does not say.
    """

    index: int
    forms: tuple[str, ...]
    tags: tuple[str | None, ...]
    mentions: tuple[ChainMention, ...]
    speaker: str | None = None
    tree: SourceTree | None = None
    written: tuple[str, ...] | None = None

    @property
    def pieces(self) -> tuple[str, ...]:
        """Each token's piece of the text, with the blank before it."""
        return pieces(self.forms, self.tags) if self.written is None else self.written

    @property
    def text(self) -> str:
        """The text of the utterance."""
        return "".join(self.pieces)

    def select(self, *, marked: bool) -> tuple[ChainMention, ...]:
        """Select the mentions translated in marks, or those with placeholders."""
        return tuple(mention for mention in self.mentions if mention.marked == marked)

    def words(self, mention: ChainMention) -> tuple[str, ...]:
        """Take the tokens of a mention."""
        return self.forms[mention.start : mention.end]

    def tags_of(self, mention: ChainMention) -> tuple[str | None, ...]:
        """Take the tags of a mention's tokens."""
        return self.tags[mention.start : mention.end]

    def is_pronoun(self, mention: ChainMention) -> bool:
        """Whether a mention's root is a personal pronoun or a possessive."""
        return self.tags[mention.root] in ("PRP", "PRP$")


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A part of a document of a split, in the language `lang`. Clusters do not reach beyond it.

    `singletons` are the clusters that have one mention in the source.
    """

    split: str
    doc_id: str
    part: int
    utterances: tuple[SourceUtterance, ...]
    lang: str
    singletons: frozenset[int] = frozenset()

    @property
    def key(self) -> str:
        """The part's name in messages."""
        return f"{self.doc_id}#{self.part}"

    def record(
        self, utterance: SourceUtterance, mention: ChainMention, **more: str
    ) -> dict[str, Any]:
        """Describe a rejected mention for the list of rejects."""
        return {"part": self.key, "words": list(utterance.words(mention)), **more}

    def mentions(self) -> Iterator[tuple[SourceUtterance, ChainMention]]:
        """Yield every mention with its utterance, in the order of the text."""
        for utterance in self.utterances:
            for mention in utterance.mentions:
                yield utterance, mention

    def clusters(self) -> dict[int, list[tuple[SourceUtterance, ChainMention]]]:
        """Group the mentions by cluster, in the order of each cluster's first mention."""
        found: dict[int, list[tuple[SourceUtterance, ChainMention]]] = {}
        for utterance, mention in self.mentions():
            found.setdefault(mention.cluster, []).append((utterance, mention))
        return found

    def with_utterances(self, utterances: Iterable[SourceUtterance]) -> DocumentPart:
        """Replace the utterances."""
        return replace(self, utterances=tuple(utterances))

    def with_mentions(
        self, change: Callable[[SourceUtterance, ChainMention], ChainMention | None]
    ) -> DocumentPart:
        """Replace each mention by the result of `change`, dropping it for None."""
        return self.with_utterances(
            replace(
                utterance,
                mentions=tuple(
                    made
                    for mention in utterance.mentions
                    if (made := change(utterance, mention)) is not None
                ),
            )
            for utterance in self.utterances
        )

    def document(self) -> Document:
        """Convert the part to a `Document`, with its places in the source under `meta`."""
        clusters: dict[int, list[Mention]] = {}
        for at, utterance in enumerate(self.utterances):
            for mention in utterance.mentions:
                own = Mention(at, mention.start, mention.end)
                clusters.setdefault(mention.cluster, []).append(own)
        return Document(
            self.doc_id,
            self.part,
            self.lang,
            tuple(
                Sentence(tuple(map(_token, one.forms, one.tags)), one.speaker)
                for one in self.utterances
            ),
            tuple(map(tuple, clusters.values())),
            origin([utterance.index for utterance in self.utterances], list(clusters)),
        )


@lru_cache(1 << 15)
def _token(form: str, tag: str | None) -> Token:
    return Token(form, xpos=tag)


def origin(sentences: list[int], clusters: list[int]) -> dict[str, Any]:
    """Write the `meta` of a record with its sentences and clusters in the source."""
    return {"source": {"sentences": sentences, "clusters": clusters}}


_TABLE = disk.read_package_table(__file__, "classes")

PRONOUNS: dict[str, tuple[str | None, str | None, str | None]] = {
    word: (kind or None, gender or None, number or None)
    for word, (kind, gender, number) in _TABLE["pronouns"].items()
}
"""Third-person pronouns with their type, gender and number, None where they do not show it."""

SPEAKERS: frozenset[str] = frozenset(_TABLE["speakers"]["words"])
PRONOUN_WEIGHT: int = _TABLE["weights"]["pronoun"]
NOUN_WEIGHT: int = _TABLE["weights"]["noun"]
DEFAULTS: dict[str, str] = _TABLE["defaults"]
TITLES: dict[str, str] = {
    word: gender for gender, words in _TABLE["titles"].items() for word in words
}
"""Words before a name, with the gender that they show."""

_PEOPLE = frozenset(_TABLE["people"]["words"])
_PLURALS: dict[str, str] = _TABLE["people"]["plurals"]
_COMPOUNDS = ("man", "woman", "person")


def is_person(noun: str) -> bool:
    """Tell whether a noun, in the singular or plural, is a word for a person."""
    word = noun.lower()
    for ending, one in _PLURALS.items():
        if word.endswith(ending):
            word = word.removesuffix(ending) + one
            break
    forms = {word, word.removesuffix("s"), word.removesuffix("es")}
    if word.endswith("ies"):
        forms.add(f"{word[:-3]}y")
    return not forms.isdisjoint(_PEOPLE) or word.endswith(_COMPOUNDS)


# Turn Penn Treebank tokens into plain English text for a translator.
#
# 1. Brackets and quotes are written as such: -LRB- is (, `` and '' are ". A plain " opens where the
#    last one closed. A single ' closes after an s (plurals' possessive) or an opened `, else opens.
# 2. Clitics and contractions join their word: n't 's 'll ..., gon na, wan na, got ta, can not.
# 3. Commas, full stops and their like join the word before, $ and # the word after, / both. Hyphens
#    join both where tagged HYPH or, without tags, between two words; -- stands apart.
# 4. Words that nobody said are left out: traces (*T*-1, *PRO*, *), transcribers' marks in the
#    speech of OntoNotes (%pw, %um), and words tagged -NONE-. Its /. /, /? /- lose their slash.
#    An escaped slash or star (\/ \*) loses its backslash.

PUNCTUATION = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
    "`": "'",
    "/.": ".",
    "/,": ",",
    "/?": "?",
    "/!": "!",
    "/:": ":",
    "/;": ";",
    "/-": "-",
    "/--": "--",
}
"""Map the punctuation of the Penn Treebank and OntoNotes to the marks that a pipeline knows."""
_OPENING = {"(", "[", "{", "“", "‘", "«", "``", "`", "¿", "¡", "-LRB-", "-LSB-", "-LCB-"}
_CLOSING = {")", "]", "}", "”", "»", "''", "-RRB-", "-RSB-", "-RCB-"}
_STOPS = {",", ".", ";", ":", "?", "!", "%", "...", "…", "/.", "/,", "/?", "/!", "/:", "/;"}
_MONEY = re.compile(r"(?:[A-Z]{0,3}\$|[£€¥#])")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m|em))", re.IGNORECASE)
_HALVES = {
    ("can", "not"),
    ("gim", "me"),
    ("gon", "na"),
    ("got", "ta"),
    ("lem", "me"),
    ("wan", "na"),
}
_SECOND = {second for _, second in _HALVES}
_NO_TEXT = re.compile(r"\*(?:[A-Z?]+\*)?(?:-\d+)*|%[A-Za-z]+|<[A-Z]+>")
_NONE = "-NONE-"
_SLASHES = {"/", "\\/"}
_JOINTS = {*_SLASHES, "-", "–", "‑"}


def detokenise(tokens: Sequence[str], tags: Sequence[str | None] | None = None) -> str:
    """Write the text of a sentence; `tags` are its parts of speech in the Penn tagset, if known."""
    return "".join(pieces(tokens, tags))


def pieces(tokens: Sequence[str], tags: Sequence[str | None] | None = None) -> tuple[str, ...]:
    """Split the text by tokens, each with the blank before it; "" for what is left out."""
    return _pieces(tuple(tokens), (None,) * len(tokens) if tags is None else tuple(tags))


# Several stages of the chain ask for the same utterance.
@lru_cache(1 << 12)
def _pieces(tokens: tuple[str, ...], tags: tuple[str | None, ...]) -> tuple[str, ...]:
    """Split the text of a sentence by tokens, each with the blank before it."""
    kept = [
        at
        for at, (token, tag) in enumerate(zip(tokens, tags, strict=True))
        if tag != _NONE and (token.isalpha() or (token.strip() and not _NO_TEXT.fullmatch(token)))
    ]
    apart = _find_blanks([tokens[at] for at in kept], [tags[at] or "" for at in kept])
    made = [""] * len(tokens)
    for place, at in enumerate(kept):
        made[at] = " " * apart[place]
        made[at] += PUNCTUATION.get(tokens[at]) or tokens[at].replace("\\/", "/").replace(
            "\\*", "*"
        )
    return tuple(made)


def _find_blanks(tokens: Sequence[str], tags: Sequence[str]) -> list[bool]:
    """Decide for each token of a sentence whether a blank stands before it."""
    before = [False] * len(tokens)  # whether a token joins the one before it
    after = [False] * len(tokens)  # whether it joins the one after it
    opened = {'"': False, "'": False}
    for at, (token, tag) in enumerate(zip(tokens, tags, strict=True)):
        last = tokens[at - 1] if at else ""
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        # A word stands apart, unless it is the second half of one (gon na).
        if token.isalpha():
            before[at] = token.lower() in _SECOND and (last.lower(), token.lower()) in _HALVES
            continue
        if token == "`":
            opened["'"] = True
        # What opens joins the word after it; what closes or ends, and clitics, the one before.
        if token in _OPENING or _MONEY.fullmatch(token):
            after[at] = True
        elif token in _CLOSING or token in _STOPS or (last and _CLITIC.fullmatch(token)):
            before[at] = True
        elif token in ('"', "'", "’"):
            # Undirected quotes open and close by turns; ' also closes as a plural's possessive.
            mark = '"' if token == '"' else "'"
            closes = opened[mark]
            if mark == "'":
                closes = closes or tag in ("POS", "''") or (not tag and last.endswith("s"))
            (before if closes else after)[at] = True
            opened[mark] = not closes
        elif token in _JOINTS:
            within = last[-1:].isalnum() and following[:1].isalnum() and tag in ("HYPH", "")
            before[at] = after[at] = within or token in _SLASHES
    return [at > 0 and not (before[at] or after[at - 1]) for at in range(len(tokens))]
