"""Which translator is taken, and how one is named: apertium, argos or marian."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from corefmill.builders.translation import argos, modes
from corefmill.builders.translation.apertium import Apertium
from corefmill.builders.translation.argos import Argos
from corefmill.builders.translation.cache import Cached
from corefmill.builders.translation.marian import Marian
from corefmill.builders.translation.protocol import Translator
from corefmill.corpora.errors import UsageError
from corefmill.corpora.spelling import did_you_mean

NAMES = ("argos", "apertium", "marian")


def resolve(
    spec: str | None = None,
    *,
    source: str = "en",
    target: str = "it",
    model: Path | None = None,
    cache: Path | None = None,
) -> Translator:
    """The translator of that name, or the best that is installed: argos, else apertium.

    `model` is a .argosmodel file or package folder for argos, a Hugging Face folder for marian, a
    data folder for apertium. Translations are kept in `cache`. Raises `UsageError` for a name that
    is none of NAMES, for what is not installed, and for a model without a name.
    """
    if spec is None and model is not None:
        raise UsageError(
            "--model says nothing without --translator",
            remedy=f"name one of {', '.join(NAMES)} by --translator",
        )
    found = _named(spec or _best(source, target), source, target, model, cache)
    return found if cache is None else Cached(found, cache)


def _named(
    name: str, source: str, target: str, model: Path | None, cache: Path | None
) -> Translator:
    if name == "argos":
        return Argos(source, target, model=model, cache=cache)
    if name == "apertium":
        return Apertium(source, target, model=model)
    if name == "marian":
        if model is None:
            raise UsageError(
                "marian needs a model",
                remedy="name the folder of an opus-mt model by --model DIR",
            )
        return Marian(model, source, target)
    raise UsageError(
        f"no translator {name!r}{did_you_mean(name, NAMES)}", remedy=f"there are {', '.join(NAMES)}"
    )


def _best(source: str, target: str) -> str:
    if argos.is_installed():
        with suppress(UsageError):
            if argos.find(source, target) is not None:
                return "argos"
    if modes.route(source, target, modes.modes()):
        return "apertium"
    raise UsageError(
        f"no translator from {source!r} to {target!r} is installed",
        remedy=f"either `{modes.INSTALL}` or `{argos.INSTALL}`"
        if (source, target) == ("en", "it")
        else "`argospm search` lists Argos's packages, `apt-cache search apertium` Apertium's",
    )
