"""Sentences, names and parts of speech from a spaCy pipeline, as offsets into untouched text."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import NumpyOps, get_current_ops, set_current_ops
from threadpoolctl import threadpool_limits

import models
from corpora.errors import UsageError
from corpora.records import Span

_BATCH = 256
"""Texts in a batch; fewer cost speed, more cost memory and gain none."""
_BEST_FIRST = ("_trf", "_lg", "_md", "_sm")


@dataclass(frozen=True, slots=True)
class Entity:
    """A named entity: half-open offsets and its label in the project's terms (labels.toml)."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text with its tokens (white space is none), sentences and entities, all as offsets.

    `upos`, `deprel` and `head` (index of a token) stand beside `tokens`, and are empty where the
    pipeline was not asked for them or has no such component.
    """

    text: str
    tokens: tuple[Span, ...]
    sentences: tuple[Span, ...]
    entities: tuple[Entity, ...]
    upos: tuple[str, ...] = ()
    deprel: tuple[str, ...] = ()
    head: tuple[int, ...] = ()


@cache
def _labels() -> dict[str, str]:
    table = tomllib.loads(resources.files("builders").joinpath("labels.toml").read_text("utf-8"))
    return {label: ours for ours, theirs in table.items() for label in theirs}


def choose(lang: str) -> str:
    """The best pipeline for a language: an installed one (largest first), else one that ships.

    Raises `UsageError` saying what to install where there is none.
    """
    installed = [name for name in spacy.util.get_installed_models() if name.startswith(f"{lang}_")]
    for ending in _BEST_FIRST:
        for name in sorted(installed):
            if name.endswith(ending):
                return name
    shipped = [name for name in models.names() if name.startswith(f"{lang}_")]
    if shipped:
        return shipped[0]
    raise UsageError(
        f"no pipeline for language {lang!r} is installed and none ships with corefmill",
        remedy=f"install one that has NER, such as `python -m spacy download {lang}_core_news_sm`, "
        "or name yours by --nlp NAME|DIR",
    )


class Pipeline:
    """A spaCy pipeline by name or path, run for sentences, for names too, or for everything.

    Raises `UsageError` where it is not installed, does not load or has no entity recogniser.
    """

    def __init__(self, name: str, lang: str) -> None:
        self.name = name
        _fast_products()
        location: str | Path = models.path(name) if name in models.names() else name
        try:
            self._nlp = spacy.load(location)
        except Exception as error:  # spaCy lets through whatever the readers of its files raise
            lines = [line for line in str(error).splitlines() if line.strip()]
            reason = lines[0].strip()[:160] if lines else type(error).__name__
            raise UsageError(
                f"spaCy pipeline {name!r} does not load: {reason}",
                remedy="--nlp takes an installed pipeline's name or the directory of one; "
                "leave it out for the best that is here",
            ) from None
        if self._nlp.lang not in (lang, "xx"):
            raise UsageError(
                f"pipeline {name!r} is for language {self._nlp.lang!r}, not {lang!r}",
                remedy="name another by --nlp",
            )
        if not any(part in self._nlp.pipe_names for part in ("ner", "beam_ner", "entity_ruler")):
            raise UsageError(
                f"pipeline {name!r} recognises no names (no 'ner' component)",
                remedy="name one with NER by --nlp",
            )
        self.version = (
            f"{self._nlp.meta['lang']}_{self._nlp.meta['name']} {self._nlp.meta['version']}"
        )
        self.identity = f"{self.version} {_digest(Path(self._nlp.path or location))}"
        splitter = self._splitter(self._nlp)
        self._not_for_sentences = self._all_but({splitter})
        self._not_for_names = self._all_but({splitter, "ner", "beam_ner", "entity_ruler"})

    @staticmethod
    def _splitter(nlp: Language) -> str:
        """The cheapest component that cuts sentences, added or enabled where need be."""
        for splitter in ("senter", "sentencizer"):
            if splitter in nlp.disabled:
                nlp.enable_pipe(splitter)
        splitters = [part for part in ("senter", "sentencizer", "parser") if part in nlp.pipe_names]
        if not splitters:
            nlp.add_pipe("sentencizer", first=True)
        return splitters[0] if splitters else "sentencizer"

    def _all_but(self, needed: set[str]) -> list[str]:
        """The components that neither are `needed` nor give those their vectors."""
        listened = {
            name
            for name, component in self._nlp.pipeline
            if needed & set(getattr(component, "listening_components", ()))
        }
        return [name for name in self._nlp.pipe_names if name not in needed | listened]

    def sentences(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Tokens and sentences alone of each text, in order."""
        yield from self._run(texts, self._not_for_sentences)

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Tokens, sentences and entities of each text, in order."""
        yield from self._run(texts, self._not_for_names)

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """The same with parts of speech and the parse, where the pipeline has them."""
        yield from self._run(texts, [])

    def _run(self, texts: Iterable[str], disable: Sequence[str]) -> Iterator[Analysis]:
        for doc in self._nlp.pipe(texts, batch_size=_BATCH, disable=list(disable)):
            yield _analysis(doc)


def _fast_products() -> None:
    """Has matrices multiplied by numpy's BLAS, on one thread.

    It is nearly twice as fast as the library that spaCy takes by default, and worker processes
    already use every core.
    """
    threadpool_limits(1, user_api="blas")
    if isinstance(get_current_ops(), NumpyOps):
        set_current_ops(NumpyOps(use_blis=False))


def _digest(folder: Path) -> str:
    """A hash over all files of a pipeline: two trainings share a version, but not their weights."""
    total = hashlib.blake2b(digest_size=8)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".pyc", ".md"):
            total.update(path.relative_to(folder).as_posix().encode() + b"\0")
            with path.open("rb") as file:
                total.update(hashlib.file_digest(file, "blake2b").digest())
    return total.hexdigest()


def _analysis(doc: Doc) -> Analysis:
    labels = _labels()
    text = doc.text  # made anew at each access
    words = [token for token in doc if not token.is_space]
    number = {token.i: index for index, token in enumerate(words)}
    parsed = doc.has_annotation("DEP")
    return Analysis(
        text=text,
        tokens=tuple((token.idx, token.idx + len(token)) for token in words),
        sentences=tuple(
            span for s in doc.sents for span in _trimmed(text, s.start_char, s.end_char)
        ),
        entities=tuple(
            Entity(start, end, labels.get(e.label_, e.label_))
            for e in doc.ents
            for start, end in _trimmed(text, e.start_char, e.end_char)
        ),
        upos=tuple(token.pos_ for token in words) if doc.has_annotation("POS") else (),
        deprel=tuple(token.dep_ for token in words) if parsed else (),
        head=tuple(number.get(token.head.i, 0) for token in words) if parsed else (),
    )


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    """The span without white space at its ends; none where nothing else is in it."""
    inner = text[start:end]
    left, right = start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())
    return [(left, right)] if left < right else []
