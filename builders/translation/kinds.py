"""The kinds of encoder-decoder models of transformers that translate, and which a folder holds."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from corefmill.corpora import beside, disk, model_folder
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.installation import install_command
from corefmill.corpora.spelling import did_you_mean

LOCAL = {"local_files_only": True, "trust_remote_code": False}
"""With which everything is read by transformers: nothing is downloaded, no code of a folder run."""

MOST_TOKENS = 512
"""That a text or a translation has at most; what is longer is cut off. Marian's networks have no
more places for them."""

_SHOWN = 120
"""Languages of a model that an error's line names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelKind:
    """What one kind has, as kinds.toml explains it."""

    name: str
    config: str
    files: list[str]
    packages: list[str]
    uses: list[str]
    network: str
    tokenizer: str
    mark: str
    target: Literal["text", "translation"]
    source: bool
    example: str
    lacks: str = ""


@cache
def kinds() -> dict[str, ModelKind]:
    """By their names, which are those of the translators."""
    table = beside.table(__file__, "kinds")
    return {name: ModelKind(name=name, **row) for name, row in table.items()}


def check_folder(kind: ModelKind, folder: Path) -> None:
    """Raises `UsageError` where the folder or a package is missing, `DataError` for a folder that
    holds no such model, or one that asks for code or a network beyond all bounds."""
    if not folder.is_dir():
        raise UsageError(
            f"no folder {folder}",
            remedy=f"`hf download {kind.example} --local-dir DIR` fetches a model that fits;"
            " name its folder by --model",
        )
    _has(folder, "config.json")
    model_folder.check(folder)
    if (found := _found(folder)) != kind.name:
        fits = found in kinds()
        raise DataError(
            f"holds a model of the kind {found}, not {kind.name}",
            path=folder,
            remedy=f"translate with --translator {found}"
            if fits
            else f"the kinds are {', '.join(kinds())}; {kind.example} is a {kind.name}",
        )
    for name in kind.files:
        _has(folder, name)
    if not any(folder.glob("*.safetensors")):
        pickled = any(folder.glob("*.bin"))
        raise DataError(
            "its weights are pickled, and reading them could run any program"
            if pickled
            else "no model.safetensors in this folder",
            path=folder,
            remedy="save them as model.safetensors, with save_pretrained, where they are trusted",
        )
    check_packages(kind)


def check_packages(kind: ModelKind) -> None:
    """Raises `UsageError` where a package is not installed that the kind needs."""
    for package in ("torch", "transformers", *kind.packages):
        if importlib.util.find_spec(package) is None:
            raise UsageError(
                f"{kind.name} needs {package}, which is not installed",
                remedy=install_command("translators"),
            )


def _found(folder: Path) -> str:
    """The kind that a folder holds, or what its configuration calls it where that is none."""
    config = disk.json(folder / "config.json").get("model_type") or "without a model_type"
    for kind in kinds().values():
        if kind.config == config and not (kind.lacks and (folder / kind.lacks).exists()):
            return kind.name
    return str(config)[:40]


def _has(folder: Path, name: str) -> None:
    if not (folder / name).is_file():
        raise DataError(
            f"no {name} in this folder",
            path=folder,
            remedy="a model's folder is as Hugging Face's save_pretrained writes it",
        )


def marks(kind: ModelKind, vocabulary: Iterable[str]) -> dict[str, str]:
    """The tokens of a vocabulary that stand for languages, by the names that they have in it."""
    matches = (re.fullmatch(kind.mark, token) for token in vocabulary)
    return {match[1]: match[0] for match in matches if match}


def name_of(language: str, kind: ModelKind, known: Mapping[str, str]) -> str | None:
    """What a model that knows such languages calls one that is given by ISO 639-1, or as itself.

    None where it has none for it.
    """
    table = beside.table(__file__, "languages")
    long = table["iso639_3"].get(language, language)
    for name in (language, *table.get(kind.name, {}).get(language, ()), long):
        if name in known:
            return str(name)
    scripts = [name for name in known if name.startswith(f"{long}_")]
    return scripts[0] if len(scripts) == 1 else None


def lacking(language: str, folder: Path, known: Iterable[str]) -> UsageError:
    """The error for a language that a model has no name for, with those that it has."""
    names = sorted(known)
    more = len(names) - _SHOWN
    return UsageError(
        f"this model has no language {language!r}{did_you_mean(language, names)}",
        path=folder,
        remedy=f"it has {', '.join(names[:_SHOWN])}" + (f" and {more} more" if more > 0 else ""),
    )


@contextmanager
def reading(folder: Path, what: str) -> Iterator[None]:
    """Where transformers reads a folder: without its bars and reports, what fails in one line."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except DataError:
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
