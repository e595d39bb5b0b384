"""Analyse only the sentences around given places, with the result of analysing the whole text.

The analysis of a word depends on a few words on either side, the pipeline's `reach`. So a stretch
of a text gets the sentences, trees and names of the whole text, except near the stretch's ends. The
first stretch goes from full stop to full stop around a place, and as far beyond as the pipeline
reaches; if its sentences end elsewhere, a longer stretch is analysed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from corefmill.builders.nlp.backend import Analysis, Entity
from corefmill.builders.nlp.lean import Language
from corefmill.corpora.records import Span

_COMPONENTS = {"tok2vec", "senter", "ner", "tagger", "morphologizer", "parser"}
_COMPONENTS |= {"trainable_lemmatizer"}
_ENCODER = "spacy.MaxoutWindowEncoder.v2"
_NETWORKS = {
    _ENCODER,
    "spacy.Tok2Vec.v2",
    "spacy.Tok2VecListener.v1",
    "spacy.MultiHashEmbed.v2",
    "spacy.Tagger.v2",
    "spacy.TransitionBasedParser.v2",
}
_AHEAD = 3
"""Words ahead that the parser and the entity recogniser also look at, plus one."""

_STOP = re.compile(r"(?<=[^\W\d_]{3})[.?!][\"'”’»)\]]*\s+")
_WORD = re.compile(r"\S+")
_FURTHER = (0, 2)
"""Numbers of full stops beyond the nearest to end a stretch at; at last the whole text is read."""


def compute_reach(nlp: Language) -> int | None:
    """Count the words on either side with influence on a word's analysis; None if not known.

    The number is known if all networks are spaCy's convolutions, and sentences are split before
    parsing and finding names, so that trees and names never cross sentence borders.
    """
    order = nlp.pipe_names
    known = {nlp.get_pipe_meta(name).factory for name in order} <= _COMPONENTS
    if not known or "senter" not in order:
        return None
    if any(
        order.index(name) < order.index("senter") for name in ("ner", "parser") if name in order
    ):
        return None
    networks = [*_list_networks(nlp.config["components"])]
    if not {network["@architectures"] for network in networks} <= _NETWORKS:
        return None
    encoders = [one for one in networks if one["@architectures"] == _ENCODER]
    return max((one["depth"] * one["window_size"] for one in encoders), default=0) + _AHEAD


def _list_networks(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the networks of a configuration, also nested ones."""
    if isinstance(value, dict):
        if "@architectures" in value:
            yield value
        for inner in value.values():
            yield from _list_networks(inner)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A part of a text to analyse, and the places in it."""

    text: _Text
    start: int
    end: int
    places: list[Span]


class _Text:
    """A text with its places still open, its possible cuts, and the sentences found so far."""

    def __init__(self, text: str, places: Iterable[Span], reach: int) -> None:
        self.text = text
        self.open = sorted(set(places))
        self._reach = reach
        words = [match.span() for match in _WORD.finditer(text)]
        self._starts = [start for start, _ in words]
        self._ends = [end for _, end in words]
        self._stops = [0, *(match.end() for match in _STOP.finditer(text)), len(text)]
        self._found: dict[Span, tuple[Analysis, int]] = {}

    def stretches(self, further: int | None) -> list[_Stretch]:
        """List the stretches to analyse for open places: up to the nearest full stops and `further`
        ones, or the whole text (None)."""
        found: list[_Stretch] = []
        for place in self.open:
            whole = 0, len(self.text)
            start, end = whole if further is None else self._find_stretch(place, further)
            if found and start < found[-1].end:
                last = found.pop()
                end = max(end, last.end)
                found.append(_Stretch(self, last.start, end, [*last.places, place]))
            else:
                found.append(_Stretch(self, start, end, [place]))
        self.open = []
        return found

    def _find_stretch(self, place: Span, further: int) -> Span:
        """Find the stretch between full stops around a place, and the reach on both sides."""
        left = self._stops[max(0, bisect_right(self._stops, place[0]) - 1 - further)]
        last = len(self._stops) - 1
        right = self._stops[min(last, bisect_left(self._stops, place[1]) + further)]
        first = bisect_left(self._starts, left) - self._reach
        behind = bisect_right(self._ends, right) + self._reach - 1
        return (
            self._starts[first] if first > 0 else 0,
            self._ends[behind] if behind < len(self._ends) else len(self.text),
        )

    def add(self, stretch: _Stretch, read: Analysis) -> None:
        """Keep the analysed sentences of the stretch's places; reopen places near to an end."""
        for place in stretch.places:
            sentences = [
                (start + stretch.start, end + stretch.start)
                for start, end in read.sentences
                if start + stretch.start < place[1] and place[0] < end + stretch.start
            ]
            if sentences and not self._is_safe(stretch, sentences[0][0], sentences[-1][1]):
                self.open.append(place)
                continue
            for sentence in sentences:
                self._found[sentence] = (read, stretch.start)

    def _is_safe(self, stretch: _Stretch, start: int, end: int) -> bool:
        """Tell whether a sentence is as far from the stretch's ends as the pipeline reaches."""
        before = bisect_left(self._starts, start) - bisect_left(self._starts, stretch.start)
        behind = bisect_right(self._ends, stretch.end) - bisect_right(self._ends, end)
        return (stretch.start == 0 or before >= self._reach) and (
            stretch.end == len(self.text) or behind >= self._reach
        )

    def make_analysis(self, tokens: tuple[Span, ...]) -> Analysis:
        """Join all tokens of the text and the analysed words of the sentences found."""
        columns: dict[str, list[Any]] = {name: [] for name in ("upos", "deprel", "xpos")}
        columns |= {name: [] for name in ("feats", "lemma", "forms")}
        words: list[Span] = []
        heads: list[int] = []
        entities: list[Entity] = []
        cut = False
        for (start, end), (read, shift) in sorted(self._found.items(), key=lambda one: one[0]):
            # The words of the sentence in its stretch, and their new numbers in the text; heads
            # never leave a sentence.
            own = [i for i, (at, _) in enumerate(read.words) if start <= at + shift < end]
            number = {old: len(words) + new for new, old in enumerate(own)}
            words += [(read.words[i][0] + shift, read.words[i][1] + shift) for i in own]
            heads += [number[read.head[i]] for i in own] if read.head else []
            for name, column in columns.items():
                values = getattr(read, name)
                column += [values[i] for i in own] if values else []
            entities += [
                Entity(one.start + shift, one.end + shift, one.label)
                for one in read.entities
                if start <= one.start + shift < end
            ]
            cut = cut or bool(read.spelled)
        forms = tuple(columns.pop("forms"))
        return Analysis(
            text=self.text,
            tokens=tokens,
            sentences=tuple(sorted(self._found)),
            entities=tuple(entities),
            head=tuple(heads),
            words=tuple(words),
            spelled=forms if cut else (),
            **{name: tuple(column) for name, column in columns.items()},
        )


def analyse_around(
    texts_and_places: Iterable[tuple[str, Iterable[Span]]],
    reach: int,
    full: Callable[[Iterable[str]], Iterator[Analysis]],
    tokens: Callable[[Iterable[str]], Iterator[tuple[Span, ...]]],
) -> Iterator[Analysis]:
    """Analyse the sentences around the places of each text.

    `full` analyses texts, a word by `reach` words on either side; `tokens` finds their tokens.
    """
    # First up to the nearest full stops, then two further; at last the whole text.
    texts = [_Text(text, places, reach) for text, places in texts_and_places]
    for further in (*_FURTHER, None):
        stretches = [one for text in texts for one in text.stretches(further)]
        read = full(one.text.text[one.start : one.end] for one in stretches)
        for stretch, analysis in zip(stretches, read, strict=True):
            stretch.text.add(stretch, analysis)
    for text, found in zip(texts, tokens(text.text for text in texts), strict=True):
        yield text.make_analysis(found)
