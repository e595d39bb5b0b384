"""Run spaCy pipelines (installed, in a folder, or shipped) as backends."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from importlib.metadata import version
from itertools import accumulate, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

from threadpoolctl import threadpool_limits

from corefmill.builders.nlp import lemmas
from corefmill.builders.nlp.around import analyse_around, compute_reach
from corefmill.builders.nlp.backend import (
    Analysis,
    Backend,
    Entity,
    SentenceWords,
    guard_loading,
    list_parts,
    map_label,
    shipped_names,
    shipped_path,
)
from corefmill.builders.nlp.lean import (
    BASE_NORMS,
    Doc,
    Language,
    NumpyOps,
    Token,
    get_current_ops,
    set_current_ops,
    spacy,
)
from corefmill.builders.nlp.lemmas import LemmaRules
from corefmill.builders.nlp.networks import Run, find_fast_components
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import Span

T = TypeVar("T", str, SentenceWords, tuple[str, Sequence[Span]])
Made = TypeVar("Made")

_BATCH_CHARACTERS = 24_000
"""Characters of a batch, some 5,000 words. Matrices of four times the size are allocated and freed
at each layer, which takes a fifth of the time; half the size gains nothing."""
_MOST_TEXTS, _ZONE_CHARACTERS = 2048, 1 << 19
"""Texts and characters of a memory zone, at whose end spaCy forgets the new words."""
_KEPT_WORDS = 100_000
"""Words kept for ever before zones are used, some 70 MB: most words of a text come early."""
_PLACES: list[int | str] = ["IDX", "LENGTH", "IS_SPACE", "SENT_START"]
_NER = ("ner", "beam_ner", "entity_ruler")
_SPLITTERS = ("senter", "sentencizer")

MULTIWORD = "multiword_tokens"
"""Key of meta.json: true for a pipeline that cuts multiword tokens into words.

Its tokens are then words: adjacent pieces without a space make one written token, and a piece's
NORM is its word ("de" + "lla" for di + la).
"""


class SpacyPipeline(Backend):
    """A spaCy pipeline by name or path, run for sentences, for names, or for the whole analysis.

    Raises `UsageError` for a pipeline that is not installed, does not load, is for another language
    than `lang` (None: any) or, unless `names` is False, has no entity recogniser.
    """

    parses_apart = True

    def __init__(self, name: str, lang: str | None, *, names: bool = True) -> None:
        self.name = name
        use_fast_products()
        location: str | Path = shipped_path(name) if name in shipped_names() else name
        try:
            _check_config(Path(location) / "config.cfg")
            with guard_loading(), warnings.catch_warnings():
                warnings.filterwarnings("ignore", r"\[W095\]")  # of spaCy's version; see `version`
                self._nlp = spacy.load(location)
        except Exception as error:  # spaCy lets through whatever the readers of its files raise
            lines = [line for line in str(error).splitlines() if line.strip()]
            reason = lines[0].strip()[:160] if lines else type(error).__name__
            raise UsageError(
                f"spaCy pipeline {name!r} does not load: {reason}",
                remedy="--nlp takes the name or the folder of an installed pipeline; `corefmill"
                " models` lists them; without --nlp the best one is taken",
            ) from None
        if lang is not None and self._nlp.lang not in (lang, "xx"):
            raise UsageError(
                f"pipeline {name!r} is for language {self._nlp.lang!r}, not {lang!r}",
                remedy="name a pipeline of the language by --nlp",
            )
        if names and not any(part in self._nlp.pipe_names for part in _NER):
            raise UsageError(
                f"pipeline {name!r} recognises no names (no 'ner' component)",
                remedy="name a pipeline with NER by --nlp",
            )
        meta = self._nlp.meta
        self._multiword = bool(meta.get(MULTIWORD))
        # Rules correct learned lemmas; words with a vector are known ones.
        known = self._nlp.vocab
        learned = "trainable_lemmatizer" in self._nlp.pipe_names and known.vectors_length
        self._rules = lemmas.load_rules(str(self._nlp.lang), known.has_vector) if learned else None
        self.version = f"{meta['lang']}_{meta['name']} {meta['version']}"
        made_for = str(meta.get("spacy_version", ""))
        if spacy.util.is_compatible_version(version("spacy"), made_for) is False:
            self.version += f" (made for spaCy {made_for}, this is {version('spacy')})"
        self.identity = f"{self.version} {disk.hash_folder(Path(self._nlp.path or location))}"
        # The fastest sentence splitter, added or enabled if necessary.
        for splitter in _SPLITTERS:
            if splitter in self._nlp.disabled:
                self._nlp.enable_pipe(splitter)
        splitters = [part for part in (*_SPLITTERS, "parser") if part in self._nlp.pipe_names]
        if not splitters:
            self._nlp.add_pipe("sentencizer", first=True)
        splitter = splitters[0] if splitters else "sentencizer"
        self.does = list_parts(self._nlp.pipe_names)
        self._not_for_sentences = self._all_but({splitter})
        self._not_for_names = self._all_but({splitter, *_NER})
        givers = {name for name, component in self._nlp.pipeline if _list_listeners(component)}
        parts_of_trees = {*self._nlp.pipe_names} - {*_NER, *_SPLITTERS} - givers
        self._not_for_trees = self._all_but(parts_of_trees)
        self._reach = compute_reach(self._nlp)
        self._fast = find_fast_components(self._nlp)

    def _all_but(self, needed: set[str]) -> list[str]:
        """List the components to disable: neither `needed` nor with vectors for needed ones."""
        listened = {
            name for name, component in self._nlp.pipeline if needed & _list_listeners(component)
        }
        return [name for name in self._nlp.pipe_names if name not in needed | listened]

    def sentences(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens and sentences alone of each text, in order."""
        yield from self._run(texts, self._not_for_sentences)

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens, sentences and entities of each text, in order."""
        yield from self._run(texts, self._not_for_names)

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Make the whole analysis: every column of the pipeline."""
        yield from self._run(texts, [])

    def around(self, texts: Iterable[tuple[str, Iterable[Span]]]) -> Iterator[Analysis]:
        """Analyse texts as `full` around given places; skip other sentences if the pipeline's reach
        is known, so that the result is that of the whole text."""
        if self._reach is None:
            return self.full(text for text, _ in texts)
        make = partial(find_tokens, multiword=self._multiword)

        def cut_tokens(texts: Iterable[str]) -> Iterator[tuple[Span, ...]]:
            return analyse_texts(self._nlp, texts, make, self._nlp.pipe_names)

        return analyse_around(texts, self._reach, self.full, cut_tokens)

    def on_words(self, sentences: Iterable[SentenceWords]) -> Iterator[Analysis]:
        """Analyse sentences already split into words as `full`."""

        def make_doc(words: SentenceWords) -> Doc:
            spaces = [*words.spaces[:-1], False]
            starts: list[bool | int | None] = [index == 0 for index in range(len(words.forms))]
            return Doc(self._nlp.vocab, words=list(words.forms), spaces=spaces, sent_starts=starts)

        yield from self._run(sentences, [], make_doc)

    def trees(self, texts: Iterable[tuple[str, Sequence[Span]]]) -> Iterator[Analysis]:
        """Parse texts with given sentences, without finding names or sentences."""
        yield from self._run(texts, self._not_for_trees, self._cut)

    def _cut(self, given: tuple[str, Sequence[Span]]) -> Doc:
        """Make a Doc of a text with its given sentences."""
        text, sentences = given
        doc = self._nlp.make_doc(text)
        starts = iter(sorted(start for start, _ in sentences))
        following = next(starts, None)
        for token in doc:
            begins = token.i == 0
            while following is not None and following <= token.idx:
                begins = True
                following = next(starts, None)
            token.is_sent_start = begins
        return doc

    def _run(
        self,
        texts: Iterable[T],
        disable: Sequence[str],
        doc_of: Callable[[T], str | Doc] = lambda text: cast(str, text),
    ) -> Iterator[Analysis]:
        """Run the pipeline without the components of `disable`."""
        make = partial(make_analysis, rules=self._rules, multiword=self._multiword)
        yield from analyse_texts(self._nlp, texts, make, disable, doc_of, self._fast)


def _list_listeners(component: object) -> set[str]:
    """List the components with vectors from this one."""
    return set(getattr(component, "listening_components", ()))


def analyse_texts(
    nlp: Language,
    texts: Iterable[T],
    make: Callable[[Doc], Made],
    disable: Sequence[str] = (),
    doc_of: Callable[[T], str | Doc] = lambda text: cast(str, text),
    fast: Mapping[str, Run] = MappingProxyType({}),
) -> Iterator[Made]:
    """Run a pipeline over texts in bounded memory; yield the result of `make` for each Doc.

    `fast` are faster ways to run components, by name.
    """
    for zone in _batch_texts(texts, _ZONE_CHARACTERS):
        # spaCy keeps some 730 bytes for each new word for ever, except in a memory zone. No object
        # of spaCy may leave the zone, so the analyses are made within.
        forgetting = len(nlp.vocab) >= _KEPT_WORDS
        found: list[Made] = []
        with nlp.memory_zone() if forgetting else nullcontext():
            for batch in _batch_texts(zone, _BATCH_CHARACTERS):
                given = map(doc_of, batch)
                docs = [nlp.make_doc(one) if isinstance(one, str) else one for one in given]
                for name, component in nlp.pipeline:
                    if name in fast and name not in disable:
                        fast[name](docs)
                    elif name not in disable and hasattr(component, "pipe"):
                        docs = list(component.pipe(docs, batch_size=len(docs)))
                    elif name not in disable:
                        docs = list(map(component, docs))
                found += map(make, docs)
        yield from found


def _batch_texts(texts: Iterable[T], most: int) -> Iterator[list[T]]:
    """Group texts into lists of `most` characters, or of `_MOST_TEXTS` texts."""
    part: list[T] = []
    size = 0
    for text in texts:
        part.append(text)
        if isinstance(text, SentenceWords):
            size += sum(map(len, text.forms))
        else:
            size += len(text if isinstance(text, str) else text[0])
        if len(part) >= _MOST_TEXTS or size >= most:
            yield part
            part, size = [], 0
    if part:
        yield part


def _check_config(path: Path) -> None:
    """Raise `ValueError` if a pipeline's configuration asks for code from a model folder.

    spaCy itself calls functions of installed packages only, but pipelines of transformers pass
    settings on to a library that would run such code.
    """
    left: list[Any] = [spacy.util.load_config(path)] if path.is_file() else []
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if value.get("trust_remote_code"):
                raise ValueError(f"{path.name} asks to run code that comes with a model")
            left += value.values()
        elif isinstance(value, list):
            left += value


def use_fast_products() -> None:
    """Let spaCy multiply matrices by numpy's BLAS, on one thread.

    This is nearly twice as fast as spaCy's default library, and worker processes already use every
    core.
    """
    threadpool_limits(1, user_api="blas")
    if isinstance(get_current_ops(), NumpyOps):
        set_current_ops(NumpyOps(use_blis=False))


def make_analysis(
    doc: Doc, rules: LemmaRules | None = None, *, multiword: bool = False
) -> Analysis:
    """Convert a spaCy Doc to an Analysis, with lemmas corrected by `rules`; see `MULTIWORD`."""
    text = doc.text  # made anew at each access
    starts, lengths, blank, first = doc.to_array(_PLACES).T.tolist()
    spans = [(start, start + length) for start, length in zip(starts, lengths, strict=True)]
    kept = [index for index, is_blank in enumerate(blank) if not is_blank]
    written = of_words = tuple(spans[index] for index in kept)
    if multiword:
        written, of_words = _join_pieces(text, of_words)
    upos, xpos, feats, deprel, lemma = (
        _list_values(doc, column, kept) for column in ("POS", "TAG", "MORPH", "DEP", "LEMMA")
    )
    if lemma and rules is not None:
        forms = (text[slice(*spans[index])] for index in kept)
        lemma = tuple(map(rules.mend, forms, upos, xpos, lemma))
    borders = [0, *(i for i, mark in enumerate(first) if mark == 1 and i), len(spans)]
    return Analysis(
        text=text,
        tokens=written,
        sentences=tuple(
            span
            for start, end in pairwise(borders)
            if start < end
            for span in _trim_span(text, spans[start][0], spans[end - 1][1])
        ),
        entities=tuple(
            Entity(start, end, map_label(e.label_))
            for e in doc.ents
            for start, end in _trim_span(text, e.start_char, e.end_char)
        ),
        upos=upos,
        # Universal Dependencies write the root's relation in small letters.
        deprel=tuple("root" if relation == "ROOT" else relation for relation in deprel),
        head=_find_heads(doc, blank, kept) if doc.has_annotation("DEP") else (),
        xpos=xpos,
        feats=tuple("" if value == "_" else value for value in feats),
        lemma=lemma,
        words=of_words,
        spelled=tuple(_find_form(doc[i]) for i in kept) if len(written) < len(of_words) else (),
    )


def find_tokens(doc: Doc, *, multiword: bool = False) -> tuple[Span, ...]:
    """Find the spans of a Doc's written tokens, without an analysis."""
    spans = [(token.idx, token.idx + len(token)) for token in doc if not token.is_space]
    return _join_pieces(doc.text, spans)[0] if multiword else tuple(spans)


def _list_values(doc: Doc, column: str, kept: Sequence[int]) -> tuple[str, ...]:
    """List a column of the words numbered `kept`; empty if the pipeline does not write it."""
    if not doc.has_annotation(column):
        return ()
    values = doc.to_array(column).tolist()
    names = {value: doc.vocab.strings[value] for value in set(values)}
    return tuple(names[values[index]] for index in kept)


def _find_heads(doc: Doc, blank: Sequence[int], kept: Sequence[int]) -> tuple[int, ...]:
    """Find the number of each word's head, above white space to which a parser may attach words."""
    # As signed numbers: how far each head is from its word.
    heads = [i + step for i, step in enumerate(doc.to_array("HEAD").astype("int64").tolist())]
    number = {index: n for n, index in enumerate(kept)}
    found = []
    for index in kept:
        head = heads[index]
        while blank[head] and heads[head] != head:
            head = heads[head]
        found.append(number.get(head, number[index]))
    return tuple(found)


def _join_pieces(text: str, pieces: Sequence[Span]) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Join the pieces of multiword tokens; return the written tokens, and each piece's token."""
    opens = [
        index == 0
        or pieces[index - 1][1] < start
        or not (text[start - 1].isalpha() and text[start].isalpha())
        for index, (start, _) in enumerate(pieces)
    ]
    owner = [count - 1 for count in accumulate(opens)]
    starts = [start for (start, _), first in zip(pieces, opens, strict=True) if first]
    ends = dict(zip(owner, (end for _, end in pieces), strict=True))  # the last piece's stays
    tokens = tuple((start, ends[index]) for index, start in enumerate(starts))
    return tokens, tuple(tokens[index] for index in owner)


def _find_form(token: Token) -> str:
    """Find the word of a multiword token's piece, in the piece's case."""
    norm = token.norm_
    # spaCy's NORM of "€" is "$", and of "«" a straight quote.
    if norm in (token.lower_, BASE_NORMS.get(token.text)):
        return token.text
    if token.is_upper and len(token) > 1:
        return norm.upper()
    return norm.capitalize() if token.is_title else norm


def _trim_span(text: str, start: int, end: int) -> list[Span]:
    """Strip white space off a span; return an empty list for a span of white space."""
    inner = text[start:end]
    left, right = start + len(inner) - len(inner.lstrip()), end - len(inner) + len(inner.rstrip())
    return [(left, right)] if left < right else []
