"""A translator whose answers are looked at, and punctuated as their language asks for.

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

from corefmill.builders.translation.command import CommandTranslator
from corefmill.builders.translation.protocol import Translator, UnusableAnswer
from corefmill.builders.translation.sentence_table import SentenceTable
from corefmill.corpora.errors import DataError
from corefmill.corpora.languages import other_language
from corefmill.corpora.printable import shown

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
        return list(map(opened, made)) if self.target in _OPENED else made

    def _usable(self, text: str, answer: str) -> str:
        """The answer, or that of a second try. Raises `UnusableAnswer` where both are none."""
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
        raise UnusableAnswer(why, f"{self.name} answers {shown(answer)} to {shown(text)}")

    def _fault(self, text: str, answer: str) -> str | None:
        """Why an answer is no translation, None where it is one."""
        if _REPEATED.search(answer) and not _REPEATED.search(text):
            return "repeats"
        if _UNKNOWN.search(answer) and not _UNKNOWN.search(text):
            return "unknown_sign"
        if other_language(_NUMBERS.sub("", answer), self.target, _LETTERS) is None:
            return None
        return None if answer == text and self._changes_nothing else "language"

    @cached_property
    def _changes_nothing(self) -> bool:
        """Whether it is a program that gives each text back (cat), to measure what the method
        loses; its answers are in the source's language all."""
        inner = getattr(self._translator, "inner", self._translator)
        return isinstance(inner, CommandTranslator) and inner.translate([_UNCHANGED]) == [
            _UNCHANGED
        ]


def opened(text: str) -> str:
    """The text with the marks that open its questions and exclamations, where it has none."""
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
