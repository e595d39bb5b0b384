"""Ask translators for many texts: keep their answers on disk, check them, tidy their punctuation.

`Cached` keeps every answer, so that a stopped run resumes without asking again. `TidyTranslator`
corrects answers:

1. Character entities are undone: `&quot;` is a quotation mark, unless the text has one, too.
2. An answer that repeats a word eight times, holds a sign for an unknown word, is far longer than
   its text, or is not in the target language is not a translation. The text is sent once more,
   with or without its full stop, since translators answer the same text alike; then it fails.
3. Blanks before punctuation and behind an opening quotation mark are removed. In Spanish, questions
   get the mark that opens them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from html.entities import html5
from pathlib import Path

from corefmill.builders.services.answers import AnswerFile
from corefmill.builders.translate.engines.protocol import (
    AnsweringEngine,
    Translator,
    UnusableAnswer,
)
from corefmill.builders.translate.engines.tables import SentenceTable
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import one_line, shorten
from corefmill.corpora.languages import other_language

FILE = "translations.sqlite3"
_METHOD = 2
"""Version of the requests: answers kept under another number are not used. In version 1 a text's
translation could contain parts of its neighbours'."""
_BATCH = 64
"""Texts that are translated between two commits, all that a kill can lose; a translator's own
`batch_texts` goes before."""
_STUBBORN = 5
"""Texts that may fail one after the other before the translator is taken to be broken."""
_FIRST_DAY = "\n"
"""Stands among the texts, none of which has a line break, for the day of the first translation."""
_ASKED = 500
_COLUMNS = ("translator", "text", "translation")


class Cached:
    """Translator with a cache on disk in front of an engine.

    Several processes may share the file. Entries of another fingerprint are not seen. Raises
    `UsageError` if the file is not such a cache.
    """

    def __init__(self, engine: Translator | AnsweringEngine, folder: Path) -> None:
        self._engine = engine
        self._file = AnswerFile(
            folder / FILE, "translations", _COLUMNS, holds="translations", made="translated"
        )
        self._failed: dict[str, DataError] = {}
        self._unanswered: set[str] = set()
        self._key = f"{_METHOD} {engine.fingerprint}"
        self.name = engine.name
        self.source, self.target = engine.source, engine.target
        self.fingerprint = engine.fingerprint
        self._file.check()

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:
        """Translate texts by the cache or the engine; a failed text is not asked for again.

        Raises `UsageError` if the cache file fails, since no text is to blame, or if several texts
        in a row fail.
        """
        lines = [one_line(text) for text in texts]
        with self._file.explain_errors():
            known: dict[str, str | DataError] = {"": "", **self._look_up(lines)}
        done = known.keys() | self._failed.keys()
        missing = [line for line in dict.fromkeys(lines) if line not in done]
        in_a_row = 0
        for answers in self._ask(missing):
            good = [(text, made) for text, made in answers if not isinstance(made, DataError)]
            with self._file.explain_errors():
                self._keep(good)
            known |= good
            for text, made in answers:
                if not isinstance(made, DataError):
                    in_a_row = 0
                    continue
                self._failed[text] = made
                in_a_row += 1
                if in_a_row == _STUBBORN:
                    raise UsageError(
                        f"{self.name} failed on several texts in a row: {made.message}",
                        remedy=made.remedy,
                    )
        self._unanswered |= self._failed.keys() & set(lines)
        return [(known.get(line) or self._failed[line]) if line else "" for line in lines]

    def count_unanswered(self) -> int:
        """Count the texts without an answer since the last call."""
        count = len(self._unanswered)
        self._unanswered.clear()
        return count

    def describe(self) -> str:
        """Describe the translator for the card; for a service, with the day of its first answer."""
        if not isinstance(self._engine, AnsweringEngine):
            return self.name
        known: dict[str, str] = {}
        if self._file.path.exists():
            with self._file.explain_errors():
                known = self._look_up([_FIRST_DAY])
        return f"{self.name}, asked from {known.get(_FIRST_DAY, date.today())} on"

    def _ask(self, texts: Sequence[str]) -> Iterator[list[tuple[str, str | DataError]]]:
        """Yield groups of texts with the engine's answers, saving each group before the next."""
        if isinstance(self._engine, AnsweringEngine):
            for answer in self._engine.answers(texts):
                yield [answer]
            return
        size = getattr(self._engine, "batch_texts", _BATCH)
        for first in range(0, len(texts), size):
            batch = texts[first : first + size]
            try:
                yield list(zip(batch, self._engine.translate(batch), strict=True))
            except DataError:  # one text may be to blame: each goes alone
                for text in batch:
                    try:
                        yield [(text, self._engine.translate([text])[0])]
                    except DataError as error:
                        yield [(text, error)]

    def _look_up(self, texts: Sequence[str]) -> dict[str, str]:
        """Read the translations of the texts that the cache holds."""
        base = self._file.open()
        found: dict[str, str] = {}
        for first in range(0, len(texts), _ASKED):
            asked = texts[first : first + _ASKED]
            marks = ", ".join("?" * len(asked))
            found |= base.execute(
                "SELECT text, translation FROM translations "
                f"WHERE translator = ? AND text IN ({marks})",
                [self._key, *asked],
            ).fetchall()
        return found

    def _keep(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Save texts and translations in the cache, with today's date for a service."""
        rows = [(self._key, *pair) for pair in pairs]
        if rows and isinstance(self._engine, AnsweringEngine):
            rows.append((self._key, _FIRST_DAY, str(date.today())))
        with self._file.open() as base:
            base.executemany("INSERT OR IGNORE INTO translations VALUES (?, ?, ?)", rows)


ANSWERS = ("answer_repeats", "answer_unknown_sign", "answer_too_long", "answer_language")
"""Reasons why an answer is not a translation, as the rejects name them."""


def why_not(error: DataError) -> str:
    """Name the reason of a missing translation in one word."""
    return f"answer_{error.why}" if isinstance(error, UnusableAnswer) else "translator_failed"


_SPACED = ("fr",)
"""Languages that write a blank before ; : ! and ?, and within guillemets: « Qui ? »"""
_OPENED = ("es",)
"""Languages with opening marks for questions and exclamations: ¿Quién?"""
_LOW = frozenset(
    ["bg", "cs", "da", "de", "et", "hr", "is", "ka", "lb", "lt", "mk", "sk", "sl", "sq", "sr"]
)
"""Languages in which “, ‘ and « close what „, ‚ and » open."""
_END = re.compile(r"[.!?…]+(?=[\s\"'”’»)]|\Z)")
_LEAD = re.compile(r"[\s\"'”’»)“‘«(—–-]*")
_QUOTES = {"”": "“", "»": "«", '"': '"'}
_MARKS = {"?": "¿", "!": "¡"}
_SHORT = 3
"""Letters before a full stop that may be an abbreviation's: Sr."""

_REPEATED = re.compile(r"\b(\w+)(?:\W+\1\b){7}", re.IGNORECASE)
_UNKNOWN = re.compile(r"<unk>|\ufffd|\u2047")
_NUMBERS = re.compile(r"[<\[]/?\d+[>\]]")
_LETTERS = 60
"""Shortest answer whose language is checked; shorter ones are mostly names."""
_TIMES, _MORE = 5, 500
"""Times the length of its text, and characters more, that an answer may have. Pipelines refuse a
text of a million characters, and take minutes over one of 10,000 names."""

_ENTITY = re.compile(r"&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_SPACED_ENTITY = re.compile(r"& ?(# ?\d{2,4}|quot|apos|amp|lt|gt|nbsp) ?;", re.IGNORECASE)
"""Entities as translators write them if they take them for words: "& Quot;"."""


def undo_entities(text: str, answer: str) -> str:
    """Replace the character entities of an answer, except those that the source text has, too.

    Only whole entities with a semicolon count: "R&D" and "&lt" are text. An entity that was escaped
    twice ("&amp;quot;") is replaced, too.
    """
    if "&" not in answer:
        return answer

    def replace(match: re.Match[str]) -> str:
        name = match[1].replace(" ", "")
        if f"&{name};".lower() in kept:
            return match[0]
        if name.startswith("#"):
            return html.unescape(f"&{name};")
        return html5.get(f"{name};") or html5.get(f"{name.lower()};") or match[0]

    kept = {found[0].lower() for found in _ENTITY.finditer(text)}
    for pattern in (_ENTITY, _ENTITY, _SPACED_ENTITY):
        answer = pattern.sub(replace, answer)
    return one_line(answer)


class TidyTranslator:
    """Tidies a translator's answers: "... di Marco ." becomes "... di Marco.", and "Es Marco?"
    becomes "¿Es Marco?". If `judged`, bad answers become `UnusableAnswer`.

    If not `corrected`, spacing and quotation marks stay unchanged.
    """

    def __init__(
        self, translator: Translator, *, judged: bool = True, corrected: bool = True
    ) -> None:
        self._translator = translator
        self._judged, self._corrected = judged, corrected
        self.name = translator.name
        self.source, self.target = translator.source, translator.target
        self.fingerprint = translator.fingerprint
        low, spaced = self.target in _LOW, self.target in _SPACED
        closing = "\"'“‘«”’»)" if low else "\"'”’»)"
        tall = "" if spaced else ";:!?"
        self._blank = re.compile(rf" (?=[,.…{tall}]+(?:[\s{closing}\]]|\Z))")
        opening = "„‚" if low else "“„" if spaced else "“„«"
        self._within = re.compile(rf"(?<=[{opening}(¿¡]) +(?=\w)")

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:
        """Translate texts, and correct the spacing and quotation marks of the answers."""
        answers = self._translator.translate(texts)
        return [
            answer
            if isinstance(answer, DataError)
            else self._tidy(text, undo_entities(text, answer))
            for text, answer in zip(texts, answers, strict=True)
        ]

    def _tidy(self, text: str, answer: str) -> str | DataError:
        """Tidy an answer; ask again, with or without full stop, if the answer is bad."""
        if fault := self._find_fault(text, answer):
            bad = answer
            # A table of a person's work is not asked for a changed text.
            if not isinstance(self._translator, SentenceTable):
                ended = text.endswith(".")
                (again,) = self._translator.translate([text[:-1] if ended else f"{text}."])
                if not isinstance(again, DataError):
                    answer = undo_entities(text, again).rstrip().removesuffix(".") + "." * ended
            if answer is bad or self._find_fault(text, answer):
                return UnusableAnswer(
                    fault, f"{self.name} answers {shorten(bad)} to {shorten(text)}"
                )
        if not self._corrected:
            return answer
        answer = self._within.sub("", self._blank.sub("", answer))
        return open_sentences(answer) if self.target in _OPENED else answer

    def _find_fault(self, text: str, answer: str) -> str | None:
        """Name the fault that makes an answer no translation, None for a good answer."""
        # First, because long answers make the other checks slow; this check needs no `judged`.
        if len(answer) > _TIMES * len(text) + _MORE:
            return "too_long"
        if not self._judged:
            return None
        if _REPEATED.search(answer) and not _REPEATED.search(text):
            return "repeats"
        if _UNKNOWN.search(answer) and not _UNKNOWN.search(text):
            return "unknown_sign"
        other = other_language(_NUMBERS.sub("", answer), self.target, _LETTERS)
        return None if other is None else "language"


def open_sentences(text: str) -> str:
    """Add the Spanish marks ¿ and ¡ before questions and exclamations."""
    pieces: list[str] = []
    start = 0
    for found in _END.finditer(text):
        if found[0] == "." and len(text[start : found.start()].rpartition(" ")[2]) <= _SHORT:
            continue
        sentence = text[start : found.end()]
        marks = "".join(
            opening
            for closing, opening in _MARKS.items()
            if closing in found[0] and opening not in sentence
        )
        lead = _LEAD.match(sentence)
        at = lead.end() if lead is not None else 0
        # A question within a quotation opens there: dijo: “¿Quién?”
        quote = _QUOTES.get(text[found.end() : found.end() + 1])
        at = max(at, sentence.rfind(quote) + 1) if quote is not None else at
        pieces += [sentence[:at], marks, sentence[at:]]
        start = found.end()
    return "".join(pieces) + text[start:]
