"""Define the interface of a pipeline (spaCy's, Stanza's, the wiki's own) and its analyses."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from corefmill.builders.wiki.article import Passage
from corefmill.corpora.files import disk
from corefmill.corpora.records import Span, Token
from corefmill.rules.tree import with_features


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity: half-open offsets and its label in the project's terms (labels.toml)."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text with its tokens (white space is none), sentences and entities, all as offsets.

    A token is written, a word is the grammar's: the words of a multiword token ("della": di + la)
    each have the token's span. `words` is `tokens` itself where nobody says otherwise.

    From `upos` on, each column stands beside `words`, and is empty where the pipeline was not asked
    for it or has no such component. `head` is the index of a word; a root is its own head. `feats`
    is written as in CoNLL-U ("Gender=Fem|Number=Sing"), and "" where a word has none.
    """

    text: str
    tokens: tuple[Span, ...]
    sentences: tuple[Span, ...]
    entities: tuple[Entity, ...]
    upos: tuple[str, ...] = ()
    deprel: tuple[str, ...] = ()
    head: tuple[int, ...] = ()
    xpos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    lemma: tuple[str, ...] = ()
    words: tuple[Span, ...] = ()
    spelled: tuple[str, ...] = ()
    """The words' forms, where there is a multiword token; else the text has them."""

    def __post_init__(self) -> None:
        if not self.words:
            object.__setattr__(self, "words", self.tokens)

    @property
    def forms(self) -> tuple[str, ...]:
        """The words' forms: "di" and "la" where the text has "della"."""
        return self.spelled or tuple(self.text[start:end] for start, end in self.words)

    def form(self, index: int) -> str:
        """The form of one word; `forms` goes through all of them."""
        return self.spelled[index] if self.spelled else self.text[slice(*self.words[index])]


@cache
def _labels() -> dict[str, str]:
    table = disk.read_package_table(__file__, "labels")
    return {label: ours for ours, theirs in table.items() for label in theirs}


def entity_label(label: str) -> str:
    """Map a pipeline's label of an entity to the project's; an unknown one stays."""
    return _labels().get(label, label)


def tokens(analysis: Analysis, words: Sequence[int] | None = None) -> tuple[Token, ...]:
    """Convert words to records, with features in UD's order.

    `words` are the indexes of a sentence's words, by default all: heads count within them, and what
    hangs on none of them is a root. `space_after` is of the last word of a written token.
    """
    own = range(len(analysis.words)) if words is None else words
    number = {index: place for place, index in enumerate(own, 1)}
    forms = analysis.forms
    made = []
    for index in own:
        start, end = analysis.words[index]
        inner = index + 1 < len(forms) and analysis.words[index + 1][0] == start
        head = analysis.head[index] if analysis.head else None
        token = Token(
            forms[index],
            lemma=_cell(analysis.lemma, index),
            upos=_cell(analysis.upos, index),
            xpos=_cell(analysis.xpos, index),
            feats=_cell(analysis.feats, index),
            head=None if head is None else 0 if head == index else number.get(head, 0),
            deprel=_cell(analysis.deprel, index),
            space_after=not inner and analysis.text[end : end + 1].isspace(),
        )
        made.append(with_features(token))
    return tuple(made)


def _cell(column: Sequence[str], index: int) -> str | None:
    return (column[index] or None) if column else None


_TENSORS_ALONE = {"TORCH_FORCE_WEIGHTS_ONLY_LOAD": "1", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "0"}


@contextmanager
def guard_loading() -> Iterator[None]:
    """While it lasts, torch reads tensors alone and standard input is at its end.

    Stanza 1.10 falls back to reading any pickle, which can run any program. Transformers, which
    other pipelines bring along, asks whether to run code of a model's: here no question is heard.
    """
    stdin, before = sys.stdin, {name: os.environ.get(name) for name in _TENSORS_ALONE}
    with Path(os.devnull).open() as nothing:
        sys.stdin = nothing
        os.environ.update(_TENSORS_ALONE)
        try:
            yield
        finally:
            sys.stdin = stdin
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


WIKI = "wiki"
"""What --nlp calls the pipeline that is none: the wiki's own titles and links."""
MORE = "corefmill_pipelines"
"""The package, `corefmill-pipelines`, of the small pipelines that ship apart."""

_BY = {
    "sentences": ("senter", "sentencizer", "parser", "tokenize"),
    "tags": ("tagger", "morphologizer", "pos"),
    "lemmas": ("lemmatizer", "trainable_lemmatizer", "lemma"),
    "trees": ("parser", "depparse"),
    "names": ("ner", "beam_ner", "entity_ruler"),
}
"""What a pipeline can do, by the components or processors that do it."""
PARTS = tuple(_BY)


def parts_of(components: Collection[str]) -> tuple[str, ...]:
    """List the PARTS done by components of these names."""
    return tuple(part for part, by in _BY.items() if any(name in components for name in by))


@cache
def _find_shipped() -> dict[str, Path]:
    """Find the folder of each small pipeline by name, those of corefmill first."""
    more = find_spec(MORE)
    homes = [Path(__file__).parent / "pipelines"]
    homes += map(Path, (more.submodule_search_locations or ()) if more else ())
    found: dict[str, Path] = {}
    for home in homes:
        for meta in sorted(home.glob("*/meta.json")):
            found.setdefault(meta.parent.name, meta.parent)
    return dict(sorted(found.items()))


def shipped_names() -> list[str]:
    """List the shipped small pipelines, in alphabetical order."""
    return list(_find_shipped())


def shipped_path(name: str) -> Path:
    """Find a shipped pipeline's folder, fit for `spacy.load`; an unknown name raises ValueError."""
    if name not in _find_shipped():
        legal = ", ".join(_find_shipped()) or "none is built yet"
        raise ValueError(f"no pipeline named {name!r} ships with corefmill; legal names: {legal}")
    return _find_shipped()[name]


class Backend(Protocol):
    """A loaded pipeline. Each method gives one analysis a text, in the texts' order.

    A pipeline that subclasses this and cannot do less than all of its work inherits the last three
    methods.
    """

    name: str
    """As --nlp has it."""
    version: str
    """For the card: which pipeline, in which version."""
    does: Sequence[str]
    """Which of `PARTS` it has."""
    identity: str
    """For the fingerprint of a build: the version, and a digest of the weights."""
    parses_apart: bool = False
    """Whether `trees` costs less than `full`, so that names may be asked for first."""

    def sentences(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens and sentences alone."""

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens, sentences and entities."""

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Fill every column of the pipeline."""

    def trees(self, texts: Iterable[tuple[str, Sequence[Span]]]) -> Iterator[Analysis]:
        """Parse texts with known sentences; entities may be left out."""
        return self.full(text for text, _ in texts)

    def around(self, texts: Iterable[tuple[str, Iterable[Span]]]) -> Iterator[Analysis]:
        """Analyse texts as `full` around given places; other sentences may have tokens alone."""
        return self.full(text for text, _ in texts)

    def on_passages(self, passages: Iterable[Passage]) -> Iterator[Analysis]:
        """Find the names of passages, those of one article following each other."""
        return self.names(passage.text for passage in passages)


class SentenceWords(NamedTuple):
    """The words of one sentence, and whether a space follows each."""

    forms: Sequence[str]
    spaces: Sequence[bool]

    @property
    def text(self) -> str:
        """The words joined, without the last one's space."""
        pairs = zip(self.forms, self.spaces, strict=True)
        return "".join(form + " " * space for form, space in pairs).rstrip()


@runtime_checkable
class WordsBackend(Protocol):
    """A pipeline for sentences cut into words already, too."""

    def on_words(self, sentences: Iterable[SentenceWords]) -> Iterator[Analysis]:
        """As `full`, of `SentenceWords.text`; there is exactly one word for each word given."""
