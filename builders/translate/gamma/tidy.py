"""A translator whose translations are punctuated as their language asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corefmill.builders.translation.protocol import Translator

_SPACED = ("fr",)
"""Languages that write a blank before what is tall: Qui ?"""
_OPENED = ("es",)
"""Languages that open what they close: ¿Quién?"""
_BEFORE_ALL = re.compile(r" (?=[,.;:!?…]+(?:[\s\"'”’»)\]]|\Z))")
_BEFORE_LOW = re.compile(r" (?=[,.…]+(?:[\s\"'”’»)\]]|\Z))")
_END = re.compile(r"[.!?…]+(?=[\s\"'”’»)]|\Z)")
_LEAD = re.compile(r"[\s\"'”’»)“‘«(—–-]*")
_WITHIN = re.compile(r"(?<=[“«(¿¡]) +(?=\w)")
_QUOTES = {"”": "“", "»": "«", '"': '"'}
_MARKS = {"?": "¿", "!": "¡"}
_SHORT = 3
"""Letters before a full stop that may be an abbreviation's: Sr."""


class TidyTranslator:
    """Another translator, asked for each text; "la moglie di Marco ." comes as "... di Marco.", and
    "Es Marco?" as "¿Es Marco?"."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self.name = translator.name
        self.source, self.target = translator.source, translator.target
        self.fingerprint = translator.fingerprint
        self._blank = _BEFORE_LOW if translator.target in _SPACED else _BEFORE_ALL

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it."""
        made = [
            _WITHIN.sub("", self._blank.sub("", text)) for text in self._translator.translate(texts)
        ]
        return list(map(opened, made)) if self.target in _OPENED else made


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
