"""A translation model's tokenizer, and how the model is told from what language into which."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.corpora import beside, disk
from corefmill.corpora.errors import CorefmillError, DataError, UsageError
from corefmill.corpora.spelling import did_you_mean

LOCAL = {"local_files_only": True, "trust_remote_code": False}
"""With which everything is read by transformers: nothing is downloaded, no code of a folder run."""
MOST_TOKENS = 512
"""That a text or a translation has at most; what is longer is cut off. Marian's networks have no
more places for them."""
EXAMPLE = "facebook/nllb-200-distilled-600M"
_SHOWN = 120
"""Languages of a model that an error's line names."""


class ModelFamily(NamedTuple):
    """How models of one `model_type` are told the languages.

    `mark` matches the tokens of a vocabulary that stand for languages, its groups their names. A
    `forced` one is the first token of a translation, and the tokenizer is told the source language;
    another goes before the text, and nothing is told of the source.
    """

    mark: str
    forced: bool


FAMILIES = {
    "marian": ModelFamily(">>([^<>]+)<<", forced=False),
    "m2m_100": ModelFamily("__([A-Za-z_]{2,8}?)__|([a-z]{3}_[A-Z][a-z]{3})", forced=True),
    "t5": ModelFamily("<2([^<>]+)>", forced=False),  # MADLAD-400
}
"""By `model_type` of config.json; NLLB is an m2m_100 whose languages are called ita_Latn."""


class ModelVocabulary:
    """Pieces of texts to be translated from one language into one other, and texts of pieces.

    `languages` are the names that the model is told, empty where it is told none; `first` is the
    piece with which a translation is forced to begin, if one is. Raises `DataError` for a tokenizer
    that cannot be read or is of another model, `UsageError` where the model lacks a language.
    """

    def __init__(self, folder: Path, source: str, target: str) -> None:
        import transformers

        self._folder = folder
        with reading(folder, "tokenizer"):
            config = disk.json(folder / "config.json")
            family = FAMILIES[config["model_type"]]
            self._rows = int(config.get("vocab_size") or 0)
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(str(folder), **LOCAL)
            known = {
                **getattr(self._tokenizer, "lang_token_to_id", {}),
                **self._tokenizer.get_vocab(),
            }
            self.pad = int(self._tokenizer.pad_token_id)
        matches = (re.fullmatch(family.mark, token) for token, row in known.items())
        marks = {match[match.lastindex or 0]: match[0] for match in matches if match}
        self._marks = {name: mark for name, mark in marks.items() if known[mark] < self._rows}
        self._rows_of_marks = {known[mark] for mark in self._marks.values()}
        told = self._told(target)
        self.languages = (self._told(source) if family.forced else "", told)
        mark = self._marks.get(told, "")
        self.first = known[mark] if family.forced else None
        self._before = f"{mark} " if mark and not family.forced else ""
        if family.forced:
            self._tokenizer.src_lang = self.languages[0]
        if self._before and known[mark] not in self.pieces([""])[0]:
            raise DataError(f"its tokenizer takes {mark} apart", path=folder)

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
        name = name_of(language, self._marks)
        if name is not None:
            return name
        # A Marian model for one language has no marks, or some that came with its texts.
        only = getattr(self._tokenizer, "target_lang", None)
        if only and (not self._marks or name_of(language, {str(only): ""}) is not None):
            return ""
        if not self._marks:
            raise DataError(
                "its vocabulary has no languages, so it is no model that translates",
                path=self._folder,
                remedy=f"take another; {EXAMPLE} is one",
            )
        names = sorted(self._marks)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise UsageError(
            f"this model has no language {language!r}{did_you_mean(language, names)}",
            path=self._folder,
            remedy=f"it has {', '.join(names[:_SHOWN])}{more}",
        )


def name_of(language: str, known: Mapping[str, str]) -> str | None:
    """What a model that knows such languages calls one that is given by ISO 639-1, or as itself.

    None where it has none for it.
    """
    table = beside.table(__file__, "languages")
    long = table["iso639_3"].get(language, language)
    for name in (language, *table["names"].get(language, ()), long):
        if name in known:
            return str(name)
    scripts = [name for name in known if name.startswith(f"{long}_")]
    return scripts[0] if len(scripts) == 1 else None


@contextmanager
def reading(folder: Path, what: str) -> Iterator[None]:
    """Where transformers reads a folder: without its bars and reports, what fails in one line."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except CorefmillError:
        raise
    except (
        BaseException
    ) as error:  # safetensors and tokenizers have errors of no class of their own
        # A panic of theirs is not even an Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DataError(f"its {what} cannot be read: {first_line(error)}", path=folder) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def first_line(error: BaseException) -> str:
    """What a library's error says first; the rest is advice for its own callers."""
    return next(iter(str(error).splitlines()), "")[:200] or type(error).__name__
