"""Cache translations on disk, for runs to resume after a stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from corefmill.builders.services.answers import AnswerFile
from corefmill.builders.translate.engines.protocol import AnsweringTranslator, Translator, as_many
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.terminal import one_line

FILE = "translations.sqlite3"
_METHOD = 2
"""How translators are asked. With another number, what is kept is not used: in 1 the translations
of a text's neighbours could go into its own."""
_BATCH = 64
"""Texts that are translated between two commits: what a kill can lose. A translator that has
`batch_texts` is asked for so many."""
_FIRST_DAY = "\n"
"""Stands among the texts, none of which has a line break, for the day of the first translation."""
_ASKED = 500
_COLUMNS = ("translator", "text", "translation")


class Cached:
    """A translator with a cache in front of another.

    Several processes may share the file. Entries of another fingerprint are not seen. Raises
    `UsageError` where something else stands in its place.
    """

    def __init__(self, translator: Translator, folder: Path) -> None:
        self._translator = translator
        self._file = AnswerFile(
            folder / FILE, "translations", _COLUMNS, holds="translations", made="translated"
        )
        self._failed: dict[str, DataError] = {}
        self._key = f"{_METHOD} {translator.fingerprint}"
        self.name = translator.name
        self.source, self.target = translator.source, translator.target
        self.fingerprint = translator.fingerprint
        self._file.check()

    @property
    def inner(self) -> Translator:
        """The translator behind the cache."""
        return self._translator

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it. Raises `UsageError` too where the file fails: no text is to blame
        for that, so none may be left out for it."""
        lines = [one_line(text) for text in texts]
        with self._file.explain_errors():
            known = self._look_up(lines)
        missing = [line for line in dict.fromkeys(lines) if line not in known]
        if isinstance(self._translator, AnsweringTranslator):
            known |= self._ask_each(self._translator, missing)
            return [known[line] for line in lines]
        size = getattr(self._translator, "batch_texts", _BATCH)
        for first in range(0, len(missing), size):
            batch = missing[first : first + size]
            made = as_many(self.name, batch, self._translator.translate(batch))
            with self._file.explain_errors():
                self._keep(zip(batch, made, strict=True))
            known |= dict(zip(batch, made, strict=True))
        return [known[line] for line in lines]

    def first_day(self) -> str | None:
        """The day of the first cached answer, None for a translator with constant answers."""
        if not isinstance(self._translator, AnsweringTranslator):
            return None
        known = {}
        if self._file.path.exists():
            with self._file.explain_errors():
                known = self._look_up([_FIRST_DAY])
        return known.get(_FIRST_DAY, str(date.today()))

    def _ask_each(self, translator: AnsweringTranslator, texts: Sequence[str]) -> dict[str, str]:
        """The translations of texts; each is kept at once, whatever becomes of the others.

        A text that failed is not asked again, since that costs as much as it did before.
        """
        known: dict[str, str] = {text: "" for text in texts if not text}
        asked = [text for text in texts if text and text not in self._failed]
        for text, made in translator.answers(asked):
            if isinstance(made, DataError):
                self._failed[text] = made
                continue
            as_many(self.name, [text], [made])
            with self._file.explain_errors():
                self._keep([(_FIRST_DAY, str(date.today())), (text, made)])
            known[text] = made
        for text in texts:
            if text in self._failed:
                raise self._failed[text]
        return known

    def _look_up(self, texts: Sequence[str]) -> dict[str, str]:
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
        with self._file.open() as base:
            base.executemany(
                "INSERT OR IGNORE INTO translations VALUES (?, ?, ?)",
                [(self._key, *pair) for pair in pairs],
            )


def for_card(translator: Translator) -> str:
    """A translator's name, with the day of its first answer if answers may change."""
    day = translator.first_day() if isinstance(translator, Cached) else None
    return f"{translator.name}, asked from {day} on" if day else translator.name
