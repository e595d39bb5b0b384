"""Analyse wiki text without a model: words and sentences by rules, names by the wiki's links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from corefmill.builders.nlp.backend import WIKI, Analysis, Backend, Entity
from corefmill.builders.nlp.lean import (
    ALPHA,
    Language,
    Sentencizer,
    compile_suffix_regex,
    spacy,
)
from corefmill.builders.nlp.spacy_backend import analyse_texts, make_analysis
from corefmill.builders.wiki.article import Passage
from corefmill.builders.wiki.known_persons import KnownPersons
from corefmill.builders.wiki.person_names import name_spans
from corefmill.corpora.records import Span

_UNSPACED = ("ja", "th", "lo", "my", "km", "bo", "shn", "wuu", "yue", "zh-yue", "gan", "hak", "cdo")
"""Languages without spaces between words, for which spaCy has no rules or needs another library:
each character is a word, as in spaCy's rules for Chinese."""

_VERSION = version("spacy")

_ENDS = tuple(mark for mark in Sentencizer.default_punct_chars if mark != ".")

_NO_END = re.compile(r"(?:(?<![^\W_])[^\W\d_]|(?<!\d)\d{1,2})\.$")
"""The end of an initial or an ordinal, at which no sentence ends: "J.", "3."."""


class WikiPipeline(Backend):
    """Finds sentences of any language, and names of persons in a wiki's articles.

    `persons` is the file of `known_persons`; without the file no names are found.
    """

    name = WIKI

    def __init__(self, lang: str, persons: Path | None = None) -> None:
        self._nlp = _load_rules(lang)
        self._persons = None if persons is None else KnownPersons(persons)
        self.does = ("sentences", "names") if persons else ("sentences",)
        rules = "of any language" if self._nlp.lang == "xx" else f"for {self._nlp.lang}"
        self.version = f"{WIKI} (the rules of spaCy {_VERSION} {rules} without a model)"
        self.identity = f"{self.name} {_VERSION} {self._nlp.lang}"

    def sentences(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens and sentences of each text, in order."""
        for found in analyse_texts(self._nlp, texts, make_analysis):
            yield replace(found, sentences=tuple(_join_sentences(found)))

    def names(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens and sentences; names need the article, see `on_passages`."""
        return self.sentences(texts)

    def full(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Find tokens and sentences, the only columns of this backend."""
        return self.sentences(texts)

    def on_passages(self, passages: Iterable[Passage]) -> Iterator[Analysis]:
        """Find tokens, sentences, and names by the links of the passages' articles."""
        unit = list(passages)
        read = self.sentences(passage.text for passage in unit)
        for _, same in groupby(unit, key=lambda passage: id(passage.article)):
            here = list(same)
            known = {} if self._persons is None else name_spans(here[0].article, self._persons)
            for passage in here:
                begin, end = passage.start, passage.start + len(passage.text)
                found = (
                    Entity(first - begin, last - begin, "PERSON")
                    for first, last in known.get(passage.paragraph.index, ())
                    if begin <= first and last <= end
                )
                yield replace(next(read), entities=tuple(found))


def _load_rules(lang: str) -> Language:
    """Load spaCy's word rules for a language, or those for any language."""
    code = lang.partition("-")[0]
    try:
        nlp = spacy.blank("zh" if lang in _UNSPACED else code)
    except ImportError:  # an unknown language, or one that needs a library
        nlp = spacy.blank("xx")
    # spaCy splits off a full stop behind letters of Latin, Greek, Cyrillic and some others only.
    ends = f"[{re.escape(''.join(_ENDS))}]", rf"(?<=(?![{ALPHA}])[^\W\d_])\."
    tokenizer: Any = nlp.tokenizer
    if hasattr(tokenizer, "suffix_search"):  # all but Chinese, with a word for each character
        suffixes = [*(nlp.Defaults.suffixes or ()), *ends]
        tokenizer.suffix_search = compile_suffix_regex(suffixes).search
    nlp.add_pipe("sentencizer")
    return nlp


def _join_sentences(analysis: Analysis) -> Iterator[Span]:
    """Join sentences split behind initials and ordinals, or before small letters."""
    begun: int | None = None
    for place, (start, end) in enumerate(analysis.sentences):
        begun = start if begun is None else begun
        last = place == len(analysis.sentences) - 1
        following = "" if last else analysis.text[analysis.sentences[place + 1][0]]
        is_small = following != following.title()  # Georgian letters have no such form
        if last or not (is_small or _NO_END.search(analysis.text, max(start, end - 4), end)):
            yield begun, end
            begun = None
