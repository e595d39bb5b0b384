"""A translation model's tokenizer, and how the model is told from what language into which."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from corefmill.builders.translation.kinds import (
    LOCAL,
    MOST_TOKENS,
    ModelKind,
    lacking,
    marks,
    name_of,
    reading,
)
from corefmill.corpora import disk
from corefmill.corpora.errors import DataError


class ModelVocabulary:
    """Pieces of texts to be translated from one language into one other, and texts of pieces.

    `languages` are the names that the model is told, empty where it is told none; `first` is the
    piece with which a translation is forced to begin, if one is. Raises `DataError` for a tokenizer
    that cannot be read or is of another model, `UsageError` where the model lacks a language.
    """

    def __init__(self, kind: ModelKind, folder: Path, source: str, target: str) -> None:
        import transformers

        self._kind, self._folder = kind, folder
        with reading(folder, "tokenizer"):
            self._rows = int(disk.json(folder / "config.json").get("vocab_size") or 0)
            self._tokenizer: Any = getattr(transformers, kind.tokenizer).from_pretrained(
                str(folder), **LOCAL
            )
            known = {
                **getattr(self._tokenizer, "lang_token_to_id", {}),
                **self._tokenizer.get_vocab(),
            }
            self.pad = int(self._tokenizer.pad_token_id)
        self._known = marks(kind, (token for token, row in known.items() if row < self._rows))
        self._rows_of_marks = {known[token] for token in self._known.values()}
        told = self._told(target)
        self.languages = (self._told(source) if kind.source else "", told)
        mark = self._known.get(told, "")
        self.first = known[mark] if kind.target == "translation" else None
        self._before = f"{mark} " if mark and kind.target == "text" else ""
        if kind.source:
            self._tokenizer.src_lang = self.languages[0]
        if self._before and known[mark] not in self.pieces([""])[0]:
            raise DataError(f"its tokenizer takes {mark} apart", path=folder)

    @property
    def helpers(self) -> str:
        """The optional packages that change how a text is read, with their versions."""
        found = []
        for name in self._kind.uses:
            with suppress(importlib.metadata.PackageNotFoundError):
                found.append(f"{name} {importlib.metadata.version(name)}")
        return ", ".join(found)

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The pieces of each text, with those that tell the languages."""
        with reading(self._folder, "tokenizer"):
            found: list[list[int]] = self._tokenizer(
                [self._before + text for text in texts],
                truncation=True,
                # One place is left for padding.
                max_length=MOST_TOKENS - 1,
            )["input_ids"]
        last = max(max(text) for text in found)
        if last >= self._rows:
            raise DataError(
                f"its tokenizer has a piece {last:,}, and its network reads {self._rows:,}",
                path=self._folder,
                remedy="copy the whole folder again",
            )
        return found

    def texts(self, translations: Sequence[Sequence[int]]) -> list[str]:
        """The texts of translations, without what stands for languages."""
        plain = [[row for row in rows if row not in self._rows_of_marks] for rows in translations]
        found: list[str] = self._tokenizer.batch_decode(plain, skip_special_tokens=True)
        return found

    def _told(self, language: str) -> str:
        """What the model calls a language, empty for the only one that it translates into."""
        name = name_of(language, self._kind, self._known)
        if name is not None:
            return name
        if self._kind.name == "marian":
            # A model for one language has no marks, or some that came with its texts.
            only = str(getattr(self._tokenizer, "target_lang", None))
            if not self._known or name_of(language, self._kind, {only: only}) is not None:
                return ""
        if not self._known:
            raise DataError(
                f"its vocabulary has no languages, so it is no model of {self._kind.name}",
                path=self._folder,
                remedy=f"take another; {self._kind.example} is one",
            )
        raise lacking(language, self._folder, self._known)
