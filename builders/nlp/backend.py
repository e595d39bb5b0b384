"""Define the interface of language pipelines (spaCy, Stanza, wiki) and their analyses."""

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
    """A text with its tokens (none for white space), sentences and entities, all as offsets.

    Tokens are written, words are grammatical: the words of a multiword token ("della": di + la)
    all have the token's span. By default `words` are the `tokens`.

    From `upos` on, each column has an entry for each word, or is empty if the pipeline was not
    asked for the column or has no such component. `head` is the index of a word; a root is its own
    head. `feats` is in CoNLL-U's form ("Gender=Fem|Number=Sing"), "" for a word without features.
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
    """The words' forms if there is a multiword token; else empty, since the text has them."""

    def __post_init__(self) -> None:
        if not self.words:
            object.__setattr__(self, "words", self.tokens)

    @property
    def forms(self) -> tuple[str, ...]:
        """The words' forms: "di" and "la" where the text has "della"."""
        return self.spelled or tuple(self.text[start:end] for start, end in self.words)

    def form(self, index: int) -> str:
        """Return the form of one word, without making the forms of all."""
        return self.spelled[index] if self.spelled else self.text[slice(*self.words[index])]


@cache
def _read_labels() -> dict[str, str]:
    """Read labels.toml: the project's label for each entity label of a pipeline."""
    table = disk.read_package_table(__file__, "labels")
    return {label: ours for ours, theirs in table.items() for label in theirs}


def map_label(label: str) -> str:
    """Map a pipeline's entity label to the project's; return an unknown label unchanged."""
    return _read_labels().get(label, label)


def make_tokens(analysis: Analysis, words: Sequence[int] | None = None) -> tuple[Token, ...]:
    """Convert the words of an analysis to Tokens, the records of a document's words.

    `words` are the indexes of a sentence's words, by default all: heads are numbered within them,
    and a word whose head is not among them is a root. Features are in UD's order; `space_after` is
    set at the last word of a written token.
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
            lemma=_read_cell(analysis.lemma, index),
            upos=_read_cell(analysis.upos, index),
            xpos=_read_cell(analysis.xpos, index),
            feats=_read_cell(analysis.feats, index),
            head=None if head is None else 0 if head == index else number.get(head, 0),
            deprel=_read_cell(analysis.deprel, index),
            space_after=not inner and analysis.text[end : end + 1].isspace(),
        )
        made.append(with_features(token))
    return tuple(made)


def _read_cell(column: Sequence[str], index: int) -> str | None:
    return (column[index] or None) if column else None


_TENSORS_ALONE = {"TORCH_FORCE_WEIGHTS_ONLY_LOAD": "1", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "0"}


@contextmanager
def guard_loading() -> Iterator[None]:
    """Guard against code in model files: within the block torch loads tensors only, stdin is empty.

    Stanza 1.10 falls back to loading any pickle, which can run any program. Transformers asks on
    standard input whether to run a model's code: here the question gets no answer.
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
"""The value of --nlp for names by a wiki's titles and links, without a pipeline."""
MORE = "corefmill_pipelines"
"""The package `corefmill-pipelines`: further small pipelines, installed separately."""

_BY = {
    "sentences": ("senter", "sentencizer", "parser", "tokenize"),
    "tags": ("tagger", "morphologizer", "pos"),
    "lemmas": ("lemmatizer", "trainable_lemmatizer", "lemma"),
    "trees": ("parser", "depparse"),
    "names": ("ner", "beam_ner", "entity_ruler"),
}
"""The parts of an analysis, each with spaCy's components and Stanza's processors for it."""
PARTS = tuple(_BY)


def list_parts(components: Collection[str]) -> tuple[str, ...]:
    """List the PARTS of an analysis made by components with these names."""
    return tuple(part for part, by in _BY.items() if any(name in components for name in by))


@cache
def _find_shipped() -> dict[str, Path]:
    """Find the folders of the small pipelines of corefmill and of corefmill-pipelines."""
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
    """Find a shipped pipeline's folder, for `spacy.load`; raises ValueError for an unknown name."""
    if name not in _find_shipped():
        legal = ", ".join(_find_shipped()) or "none is built yet"
        raise ValueError(f"no pipeline named {name!r} ships with corefmill; legal names: {legal}")
    return _find_shipped()[name]


class Backend(Protocol):
    """A loaded pipeline. Each method yields one analysis for each text, in the texts' order.

    A pipeline that always does all of its work inherits the last three methods.
    """

    name: str
    """The value of --nlp."""
    version: str
    """Name and version of the pipeline, for the card."""
    does: Sequence[str]
    """The `PARTS` of an analysis that the pipeline makes."""
    identity: str
    """For the fingerprint of a build: the version, and a digest of the weights."""
    parses_apart: bool = False
    """Whether `trees` takes less time than `full`, so that finding names first saves time."""

    def sentences(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens and sentences alone."""

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens, sentences and entities."""

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Make the whole analysis: every column of the pipeline."""

    def trees(self, texts: Iterable[tuple[str, Sequence[Span]]]) -> Iterator[Analysis]:
        """Parse texts with given sentences; entities may be left out."""
        return self.full(text for text, _ in texts)

    def around(self, texts: Iterable[tuple[str, Iterable[Span]]]) -> Iterator[Analysis]:
        """Analyse texts as `full` around given places; elsewhere only tokens may be found."""
        return self.full(text for text, _ in texts)

    def on_passages(self, passages: Iterable[Passage]) -> Iterator[Analysis]:
        """Find the names of passages; the passages of one article follow each other."""
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
    """A pipeline for sentences already split into words, too."""

    def on_words(self, sentences: Iterable[SentenceWords]) -> Iterator[Analysis]:
        """Analyse sentences as `full`, with exactly one word for each given word."""
