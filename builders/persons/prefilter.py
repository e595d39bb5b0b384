"""Find the passages of a paragraph with a possible example, so that NER reads only those.

An example needs a name twice within a passage's sentences, and another name before the second
occurrence. A name is mostly a whole run of capitalised words. So a passage can give an example only
if a run repeats an earlier run, or repeats it without an honorific or another word that no name
has, and if a third run stands before the repetition. Two kinds of examples are lost: names side by
side without a comma ("told Bob Ann"), and parts of a run ("Rearden" and "Rearden Metal"). Sentences
are cut only where any splitter would cut (a full stop after a word in lower case that is not a
title's abbreviation), so real sentences seldom reach over more than our pieces do.

Where names decline ("Anna", "Annie"), possible forms of one word count as repetitions. Where all
nouns have capitals, the table's `nouns` list the frequent ones that are not names.

In scripts without capitals any repeated word counts, and where words are not spaced, everything.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from corefmill.builders.nlp import Analysis
from corefmill.builders.persons.prose import CLOSING_MARKS, OPENING_MARKS
from corefmill.corpora.records import Span
from corefmill.corpora.words import UNSPACED


def _write_ranges(codes: list[int]) -> str:
    """Write sorted code points as the ranges of a regex character class."""
    parts: list[list[int]] = []
    for code in codes:
        if parts and code == parts[-1][1] + 1:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in parts)


_PLANES = 0x20000  # the first two, which have all letters with case
# All of these are title case to Python, which tells so several times as fast.
_TITLES = map(ord, filter(str.istitle, map(chr, range(_PLANES))))
_CAPITALS = [c for c in _TITLES if unicodedata.category(chr(c)) in ("Lu", "Lt")]
_UPPER = _write_ranges(_CAPITALS)
CAPITALS = _write_ranges([c for c in _CAPITALS if c < 0x10000])
"""All capitals but those of a few rare scripts (Adlam), which make a class ten times as slow."""
_LOWER = _write_ranges([c for c in range(0x250) if unicodedata.category(chr(c)) == "Ll"])  # Latin
_UNCASED = "\u0590-\u139f\u1400-\u18ff\ua980-\ud7ff\ufb1d-\ufdff\ufe70-\ufefc"
# A word begins behind a mark of emphasis ("_Ann_") or of transliteration ("ʿAli"), too, and its
# accents may be characters of their own.
_BEGIN, _REST = r"(?<![^\W_ʰ-˿])", r"[\w\u0300-\u036f]"
# Capitalised words with one blank, apostrophe or hyphen between: one name, or part of one.
_NAMES = rf"[{_UPPER}]{_REST}+(?:[ '’-][{_UPPER}]{_REST}*)*"
_RUN = re.compile(rf"{_BEGIN}{_NAMES}")
_MIXED = re.compile(rf"{_BEGIN}(?:{_NAMES}|(?=[{_UNCASED}])\w+)")
_WORD = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[^\W\d_]")
_CASED = re.compile(rf"[a-z{_UPPER}]")
_HAS_UNCASED = re.compile(f"[{_UNCASED}]")
# A search for the mark itself, looking back from there, is many times as fast as one that looks
# back from every character.
# A blank may stand before the mark that closes (« Oui. »), and a dash before who speaks next.
_OPENS, _CLOSES = re.escape(OPENING_MARKS), re.escape(CLOSING_MARKS)
_AFTER_MARK = rf"(?:[{_CLOSES}]|\s»(?=\s))*\s+(?=[{_OPENS}]*(?:[—–-]{{1,2}}\s?)?[¡¿]?[{_UPPER}])"
_BEFORE_MARK = rf"(?<=\d{{4}}.)|(?<=[{_LOWER}]{{2}}[)\"”»“«].)|(?<=[{_LOWER}]{{3}}\s.)"
_BORDER = re.compile(rf"[.?!](?:(?<=[{_LOWER}]{{3}}.)|{_BEFORE_MARK}){_AFTER_MARK}")
_ANY_BORDER = re.compile(rf"[.?!](?:(?<=[{_LOWER}]{{2}}.)|{_BEFORE_MARK}){_AFTER_MARK}")
# The mark that opens what is said next, which some splitters leave to the sentence before.
_NEXT_QUOTE = re.compile(r"\s+[\"“‘'`«„‚]$")


Key = tuple[str, ...]
"""The words of a run by which it is found again."""


class RunKeys(NamedTuple):
    """The keys of a run, each once: `whole` for the whole run, `parts` for the run without first
    words that are not part of a name."""

    whole: tuple[Key, ...]
    parts: tuple[Key, ...] = ()

    @property
    def all(self) -> tuple[Key, ...]:
        """All of them."""
        return self.whole + self.parts

    @property
    def words(self) -> set[str]:
        """The words of all of them."""
        return {word for key in self.whole for word in key}


class TextSpan(NamedTuple):
    """A part of a paragraph with a possible example; `keys` are its repeated words, if any."""

    start: int
    end: int
    keys: frozenset[Key] = frozenset()


class RecurringNames:
    """Find names that recur in a text; `is_common` tells whether the article has a word in small
    letters."""

    def __init__(
        self,
        no_names: Container[str],
        titles: Container[str] = frozenset(),
        may_be: Callable[[str], Iterable[str]] | None = None,
        *,
        most: int = 2,
        cut: bool = True,
    ) -> None:
        """`no_names` are words that are not a name on their own; `titles` end in a full stop that
        ends no sentence ("Capt."). `may_be` lists the words that a word may be a form of: runs of
        possible forms of one word count as the same. An example has at most `most` pieces. If
        `cut`, a sentence ends with every piece; else two pieces may be of one sentence, and parts
        of names are not looked for."""
        self._no_names = no_names
        self._titles = titles
        self._may_be = may_be
        self._most = most
        self._cut = cut

    def find_spans(self, text: str, is_common: Callable[[str], bool]) -> list[TextSpan]:
        """Find the pieces of a paragraph to be read, in order; neighbours may share a piece."""
        if UNSPACED.search(text):
            return [TextSpan(0, len(text))]
        pattern = _choose_pattern(text)
        # Most paragraphs have no word twice at all, and end here.
        runs = pattern.findall(text)
        words = [word for word in _WORD.findall(" ".join(runs)) if word not in self._no_names]
        if self._may_be is not None:
            words = [one for word in words for one in self._may_be(word)]
        if len(runs) < 3 or len(set(words)) == len(words):
            return []
        inner = (match.end() for match in _find_borders(text, 0, len(text), self._titles))
        borders = [0, *inner, len(text)]
        found: list[TextSpan] = []
        before: deque[list[RunKeys]] = deque(maxlen=self._most - 1)
        for index, end in enumerate(borders[1:]):
            current = [
                keys for keys, _ in self._find_runs(text, borders[index], end, pattern, is_common)
            ]
            keys = _find_repeated(before, current)
            if keys:
                # The run in place of another name may be no name, so read earlier pieces, too.
                named = (at for at, runs in enumerate(before) if runs or not self._cut)
                first = index - len(before) + next(named, len(before))
                found.append(TextSpan(borders[first], end, frozenset(keys)))
            before.append(current)
        return found

    def list_run_keys(
        self, text: str, is_common: Callable[[str], bool]
    ) -> Iterator[tuple[tuple[Key, ...], Span]]:
        """List the keys of each run of a text, with its place."""
        for keys, place in self._find_runs(text, 0, len(text), _choose_pattern(text), is_common):
            yield keys.all, place

    def _find_runs(
        self,
        text: str,
        start: int,
        end: int,
        pattern: re.Pattern[str],
        is_common: Callable[[str], bool],
    ) -> Iterator[tuple[RunKeys, Span]]:
        """List the runs of capitalised words between two offsets, each with keys and place."""
        opens = True
        for match in pattern.finditer(text, start, end):
            words = [word for word in _WORD.findall(match.group()) if word not in self._no_names]
            if words:
                opens = opens and _LETTER.search(text, start, match.start()) is None
                yield self._make_keys(words, is_common, opens), match.span()
            opens = False

    def _make_keys(
        self, words: list[str], is_common: Callable[[str], bool], opens_sentence: bool
    ) -> RunKeys:
        """Make the keys of a run of capitalised words.

        With `may_be` these are the possible forms of each word; unless `cut`, the single words.
        Else they are the whole run, and the run without leading titles and common words
        ("President Ann"), or without a first word that opens a sentence ("Later Ann").
        """
        if self._may_be is not None:
            return RunKeys(tuple({(one,): None for word in words for one in self._may_be(word)}))
        if not self._cut:
            return RunKeys(tuple({(word,): None for word in words}))
        parts: list[Key] = []
        for at, word in enumerate(words[:-1], 1):
            opener = opens_sentence and at == 1
            if not opener and word not in self._titles and not is_common(word.lower()):
                break
            parts.append(tuple(words[at:]))
        return RunKeys((tuple(words),), tuple(parts))


def find_windows(
    text: str,
    no_names: Container[str],
    titles: Container[str] = frozenset(),
    may_be: Callable[[str], Iterable[str]] | None = None,
    most: int = 2,
) -> list[Span]:
    """List the passages for a recogniser, in order and apart from one another.

    The arguments are those of `RecurringNames`; the text stands for its article.
    """
    found = RecurringNames(no_names, titles, may_be, most=most)
    return join_spans(found.find_spans(text, lambda word: f" {word} " in text))


def join_spans(stretches: Iterable[TextSpan]) -> list[Span]:
    """Join the spans that overlap or touch; returns them without their keys."""
    found: list[Span] = []
    for start, end, _ in stretches:
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found


def cut_raw_sentences(text: str, titles: Container[str] = frozenset()) -> Iterator[Span]:
    """Cut a text at its full stops, also behind words of two letters, without blanks at the ends.

    Only abbreviations in `titles` are known, so it cuts behind "Jr." before a capital.
    """
    start = 0
    found = _find_borders(text, 0, len(text), titles, _ANY_BORDER)
    for border in (*(match.end() for match in found), len(text)):
        piece = text[start:border]
        left, right = len(piece) - len(piece.lstrip()), len(piece.rstrip())
        if left < right:
            yield start + left, start + right
        start = border


def split_name_runs(text: str, no_names: Container[str]) -> list[tuple[str, ...]]:
    """Split a text into runs of capitalised words, without those in `no_names`."""
    runs = (_WORD.findall(run) for run in _choose_pattern(text).findall(text))
    return [kept for run in runs if (kept := tuple(w for w in run if w not in no_names))]


def _choose_pattern(text: str) -> re.Pattern[str]:
    """Choose the pattern of name runs for a text's scripts."""
    if not _CASED.search(text):
        return _WORD
    return _MIXED if _HAS_UNCASED.search(text) else _RUN


def _find_borders(
    text: str, start: int, end: int, titles: Container[str], border: re.Pattern[str] = _BORDER
) -> Iterator[re.Match[str]]:
    """Find the ends of sentences that any splitter would see, each with the blanks behind."""
    for match in border.finditer(text, start, end):
        last = text[max(start, match.start() - 20) : match.start() + 1].split()[-1]
        if last.lstrip(OPENING_MARKS) not in titles:
            yield match


def cut_at_borders(analysis: Analysis, titles: Container[str] = frozenset()) -> list[Span]:
    """Cut the analysed sentences once more where any splitter would cut (clean mode).

    Splitters trained on short modern sentences run long ones of other times together. Sentences cut
    behind an honorific's full stop ("M.") are joined.
    """
    text = analysis.text
    whole: list[Span] = []
    for start, end in analysis.sentences:
        last = text[max(0, start - 20) : start].rstrip().rpartition(" ")[2]
        if whole and last.endswith(".") and last.lstrip(OPENING_MARKS) in titles:
            start = whole.pop()[0]
        whole.append((start, end))
    sentences: list[Span] = []
    for start, end in whole:
        for match in _find_borders(text, start, end, titles):
            sentences.append((start, start + len(text[start : match.end()].rstrip())))
            start = match.end()
        if start < end:
            sentences.append((start, end))
    return [(start, start + len(_NEXT_QUOTE.sub("", text[start:end]))) for start, end in sentences]


def _find_repeated(before: Sequence[list[RunKeys]], current: list[RunKeys]) -> set[Key]:
    """Find the keys of the current piece's runs that may be an answer named again.

    An earlier run, in the current piece or the pieces `before`, must have the same key. Another of
    these runs must not have the key: it may be a wrong candidate.
    """
    earlier = [run for piece in before for run in piece]
    named = {key for run in earlier for key in run.all}
    whole = {key for run in earlier for key in run.whole}
    words = Counter(word for run in earlier for word in run.words)
    found: set[Key] = set()
    for number, run in enumerate(current, len(earlier)):
        for key in run.all:
            # "Ann" of "Later Ann" repeats a run that is "Ann" alone: of two runs cut short nothing
            # says that they are one name.
            is_repeated = key in (named if key in run.whole else whole)
            # A word that all `number` runs before have leaves nobody else.
            if is_repeated and any(words[word] < number for word in key):
                found.add(key)
        for word in run.words:
            words[word] += 1
        named.update(run.all)
        whole.update(run.whole)
    return found
