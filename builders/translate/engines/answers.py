"""Asks translators for many texts, checks their answers and corrects their punctuation.

1. Character entities are undone: `&quot;` is a quotation mark.
2. An answer that repeats a word eight times, holds a sign for what is unknown, or is not in the
   target language is no translation. The text is asked for once more, with or without its full
   stop, since translators answer one text alike each time; then it is given up.
3. Blanks before punctuation go, and behind a quotation mark that opens; Spanish opens what it asks.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cached_property

from corefmill.builders.translate.engines.command import CommandTranslator
from corefmill.builders.translate.engines.protocol import NotAnswered, Translator, UnusableAnswer
from corefmill.builders.translate.engines.tables import SentenceTable
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.terminal import shorten
from corefmill.corpora.languages import other_language

ANSWERS = ("answer_repeats", "answer_unknown_sign", "answer_language")
"""Why answers are no translations, as reasons have it."""
_STUBBORN = 3
"""Texts on which a translator may fail one after the other before it is taken to be broken."""


def translations(texts: Sequence[str], translator: Translator) -> list[str | DataError]:
    """Translations at once; where that fails, one by one, with the error instead of its text."""
    try:
        return list(translator.translate(texts)) if texts else []
    except DataError:
        pass
    found: list[str | DataError] = []
    for text in texts:
        try:
            found += translator.translate([text])
        except DataError as error:
            found.append(error)
            if len(found) >= _STUBBORN and not any(
                isinstance(one, (str, NotAnswered, UnusableAnswer)) for one in found[-_STUBBORN:]
            ):
                raise UsageError(
                    f"{translator.name} fails on every text: {error.message}",
                    remedy=error.remedy,
                ) from error
    return found


def why_not(error: DataError) -> str:
    """Why a text has no translation, in one word."""
    return f"answer_{error.why}" if isinstance(error, UnusableAnswer) else "translator_failed"


_SPACED = ("fr",)
"""Languages that write a blank before what is tall, and within guillemets: « Qui ? »"""
_OPENED = ("es",)
"""Languages that open what they close: ¿Quién?"""
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
"""Of an answer whose language is looked at; shorter ones are mostly names."""
_UNCHANGED = "Nobody in the town knew where the old man had been for so many years."


class TidyTranslator:
    """Another translator, asked for each text; "la moglie di Marco ." comes as "... di Marco.", and
    "Es Marco?" as "¿Es Marco?". Answers that are none raise `UnusableAnswer`, if they are `judged`.
    """

    def __init__(self, translator: Translator, *, judged: bool = True) -> None:
        self._translator = translator
        self._judged = judged
        self.name = translator.name
        self.source, self.target = translator.source, translator.target
        self.fingerprint = translator.fingerprint
        low, spaced = self.target in _LOW, self.target in _SPACED
        closing = "\"'“‘«”’»)" if low else "\"'”’»)"
        tall = "" if spaced else ";:!?"
        self._blank = re.compile(rf" (?=[,.…{tall}]+(?:[\s{closing}\]]|\Z))")
        opening = "„‚" if low else "“„" if spaced else "“„«"
        self._within = re.compile(rf"(?<=[{opening}(¿¡]) +(?=\w)")

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it."""
        answers = list(map(html.unescape, self._translator.translate(texts)))
        if self._judged:
            answers = list(map(self._usable, texts, answers))
        made = [self._within.sub("", self._blank.sub("", answer)) for answer in answers]
        return list(map(open_sentences, made)) if self.target in _OPENED else made

    def _usable(self, text: str, answer: str) -> str:
        """Check the answer, and ask a second time. Raises `UnusableAnswer` where both are none."""
        if (why := self._fault(text, answer)) is None:
            return answer
        # A table is somebody's work: it is not asked for a text that is not the corpus's.
        if not isinstance(getattr(self._translator, "inner", self._translator), SentenceTable):
            ended = text.endswith(".")
            try:
                (again,) = self._translator.translate([text[:-1] if ended else f"{text}."])
            except DataError:
                again = answer
            again = html.unescape(again).rstrip()
            again = again.removesuffix(".") + "." * ended
            if self._fault(text, again) is None:
                return again
        raise UnusableAnswer(why, f"{self.name} answers {shorten(answer)} to {shorten(text)}")

    def _fault(self, text: str, answer: str) -> str | None:
        """Name the fault of an answer, None for a good one."""
        if _REPEATED.search(answer) and not _REPEATED.search(text):
            return "repeats"
        if _UNKNOWN.search(answer) and not _UNKNOWN.search(text):
            return "unknown_sign"
        if other_language(_NUMBERS.sub("", answer), self.target, _LETTERS) is None:
            return None
        return None if answer == text and self._changes_nothing else "language"

    @cached_property
    def _changes_nothing(self) -> bool:
        """Whether the program echoes each text (cat), for measuring the loss of the method; its
        answers are in the source's language all."""
        inner = getattr(self._translator, "inner", self._translator)
        return isinstance(inner, CommandTranslator) and inner.translate([_UNCHANGED]) == [
            _UNCHANGED
        ]


def open_sentences(text: str) -> str:
    """Add the marks before questions and exclamations."""
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
        # What a quotation asks, it alone asks: dijo: “¿Quién?”
        quote = _QUOTES.get(text[found.end() : found.end() + 1])
        at = max(at, sentence.rfind(quote) + 1) if quote is not None else at
        pieces += [sentence[:at], marks, sentence[at:]]
        start = found.end()
    return "".join(pieces) + text[start:]
