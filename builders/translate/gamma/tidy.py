"""A translator whose translations have no blank before punctuation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corefmill.builders.translation.protocol import Translator

_SPACED = ("fr",)
"""Languages that write a blank before what is tall: Qui ?"""
_BEFORE_ALL = re.compile(r" (?=[,.;:!?…]+(?:[\s\"'”’»)\]]|\Z))")
_BEFORE_LOW = re.compile(r" (?=[,.…]+(?:[\s\"'”’»)\]]|\Z))")


class TidyTranslator:
    """Another translator, asked for each text; "la moglie di Marco ." comes as "... di Marco."."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self.name = translator.name
        self.source, self.target = translator.source, translator.target
        self.fingerprint = translator.fingerprint
        self._blank = _BEFORE_LOW if translator.target in _SPACED else _BEFORE_ALL

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it."""
        return [self._blank.sub("", text) for text in self._translator.translate(texts)]
