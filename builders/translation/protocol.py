"""The interface of a translator: all that builders know of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from corefmill.corpora.errors import DataError
from corefmill.corpora.printable import one_line, shown


class Translator(Protocol):
    """A translator from one language to one other, by their ISO 639-1 codes."""

    @property
    def name(self) -> str:
        """As --translator has it, with what distinguishes engines of that name."""

    @property
    def source(self) -> str:
        """The language of the texts."""

    @property
    def target(self) -> str:
        """The language of the translations."""

    @property
    def fingerprint(self) -> str:
        """Two translators that share it give the same translations; the cache's key."""

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation for each text, in order, of one line; that of blanks alone is empty.

        A translation depends on its text alone, not on the texts beside or before it, so that
        neither the number of workers nor a stop nor a cache changes a corpus.

        Raises `DataError` naming the text where the engine fails on one, and can be asked again
        after that; `UsageError` where the engine or its model is not there.
        """


@runtime_checkable
class AnsweringTranslator(Translator, Protocol):
    """A translator whose answers are dear, so that each is to be kept as soon as it is there."""

    def answers(self, texts: Sequence[str]) -> Iterator[tuple[str, str | DataError]]:
        """Each text (of one line, none empty, none twice) with its translation, in any order.

        A text that fails comes with the error, and does not take the others along. Raises
        `UsageError` as `translate` does, and where text after text fails.
        """


class NotAnswered(DataError):
    """Nobody has translated this text yet: to ask for another in its place would be too early."""


class UnusableAnswer(DataError):
    """A translator has answered, but not with a translation; `why` in one word."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


def translated(translator: AnsweringTranslator, texts: Sequence[str]) -> list[str]:
    """What `translate` gives of a translator that answers text by text."""
    lines = [one_line(text) for text in texts]
    found = dict(translator.answers([line for line in dict.fromkeys(lines) if line]))
    return [_whole(found[line]) if line else "" for line in lines]


def _whole(found: str | DataError) -> str:
    if isinstance(found, DataError):
        raise found
    return found


@runtime_checkable
class TellsUnknown(Protocol):
    """A translator that can say which words it does not know."""

    def unknown(self, texts: Sequence[str]) -> list[int]:
        """How many words of each text it does not know."""


def as_many(name: str, texts: Sequence[str], translations: Sequence[str]) -> list[str]:
    """The translations, checked: one for each text, and none empty whose text is not.

    Raises `DataError` naming the translator.
    """
    if len(translations) != len(texts):
        raise DataError(
            f"{name} gave {len(translations)} translations of {len(texts)} texts",
            remedy="it is broken, or its model is: translate with another (--translator)",
        )
    for text, translation in zip(texts, translations, strict=True):
        if text.strip() and not translation.strip():
            raise DataError(
                f"{name} answered nothing to {shown(text)}",
                remedy="leave the text out, or translate with another (--translator)",
            )
    return list(translations)
