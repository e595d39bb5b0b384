"""The available translators, their options, and the choice among them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType

from corefmill.builders.translate.engines import apertium, argos
from corefmill.builders.translate.engines.answers import Cached
from corefmill.builders.translate.engines.apertium import Apertium
from corefmill.builders.translate.engines.argos import Argos
from corefmill.builders.translate.engines.command import CommandTranslator, split_command
from corefmill.builders.translate.engines.protocol import (
    AnsweringEngine,
    Translator,
    TranslatorRequest,
    find_device,
)
from corefmill.builders.translate.engines.tables import SampleTable, SentenceTable, languages
from corefmill.corpora.files.errors import UsageError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatorEntry:
    """A translator of the list: how it is made, and the options that it takes and needs.

    `takes` maps fields of the request to their descriptions for this translator; it is an error if
    another field is given, or a field of `needs` is not. `model_is_path` says that the model is a
    file or folder, not a name.
    """

    make: Callable[[TranslatorRequest], Translator | AnsweringEngine]
    takes: Mapping[str, str]
    needs: tuple[str, ...] = ()
    model_is_path: bool = True


def _transformers(request: TranslatorRequest) -> Translator:
    """Make the translator by a transformer model."""
    from corefmill.builders.translate.engines.transformer import TransformerTranslator

    name = request.model or ""
    return TransformerTranslator(name, request.source, request.target, device=request.device)


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)


def _openai(request: TranslatorRequest) -> AnsweringEngine:
    from corefmill.builders.translate.engines.services import ChatTranslator

    return ChatTranslator(request)


TRANSLATORS: Mapping[str, TranslatorEntry] = MappingProxyType(
    {
        "argos": TranslatorEntry(
            make=lambda asked: Argos(
                asked.source,
                asked.target,
                model=_path(asked.model),
                cache=asked.cache,
            ),
            takes={"model": "an .argosmodel file, or the folder of a package"},
        ),
        "apertium": TranslatorEntry(
            make=lambda asked: Apertium(asked.source, asked.target, model=_path(asked.model)),
            takes={"model": "a data folder"},
        ),
        "transformers": TranslatorEntry(
            make=_transformers,
            takes={
                "model": "the folder of a Marian, NLLB, M2M100 or MADLAD-400 model, or its name in"
                " the local Hugging Face cache",
            },
            needs=("model",),
        ),
        "openai": TranslatorEntry(
            make=_openai,
            takes={
                "model": "the model's name",
                "url": "the base URL of a server that speaks OpenAI's chat completions, such as"
                " http://localhost:8000/v1",
            },
            needs=("url", "model"),
            model_is_path=False,
        ),
        "command": TranslatorEntry(
            make=CommandTranslator,
            takes={
                "command": "the program and its arguments, as one quoted word; it reads a text a"
                " line and answers each at once with a line, as 'python -u translate.py'",
            },
            needs=("command",),
        ),
        "table": TranslatorEntry(
            make=SentenceTable,
            takes={
                "table": "a file of texts and translations, with a tab between",
                "list_texts": "write the texts without translation to this file",
                "allow_missing": "build the corpus without the texts that the tables lack",
            },
        ),
        "sample": TranslatorEntry(make=SampleTable, takes={}),
    }
)
"""By name; the order is that of help texts and errors."""

NAMES = tuple(TRANSLATORS)
_OF_ALL = ("name", "source", "target", "sample", "cache", "missing", "device", "timeout")


def resolve(request: TranslatorRequest) -> Translator:
    """Make the requested translator; by default an installed one, or the sample's translations.

    Raises `UsageError` for a name not in `TRANSLATORS`, a translator that is not installed, an
    option that the translator does not take, or a missing option that it needs.
    """
    given = [
        field.name
        for field in fields(request)
        if field.name not in _OF_ALL and getattr(request, field.name) != field.default
    ]
    if request.name is None:
        if given:
            raise UsageError(
                f"{_flag(given[0])} has no effect without --translator",
                remedy=f"name one of {', '.join(NAMES)} by --translator",
            )
        request = replace(request, name=_choose_translator(request))
    entry = _look_up_translator(request.name or "")
    for field in given:
        if field not in entry.takes:
            others = [name for name, other in TRANSLATORS.items() if field in other.takes]
            raise UsageError(
                f"the translator {request.name} takes no {_flag(field)}",
                remedy=f"leave the option out; it is for {', '.join(others)}",
            )
    for field in entry.needs:
        if field not in given:
            raise UsageError(
                f"{request.name} needs {_flag(field)}", remedy=f"name {entry.takes[field]}"
            )
    engine = entry.make(request)
    if isinstance(engine, (SentenceTable, SampleTable)):
        return engine
    assert request.cache is not None
    return Cached(engine, request.cache)


def anchor(request: TranslatorRequest) -> TranslatorRequest:
    """Make the request the same for all tasks: absolute paths and a chosen device.

    Raises `UsageError` for a name not in `TRANSLATORS`.
    """
    listed = request.list_texts and request.list_texts.absolute()
    tables = tuple(path.absolute() for path in request.table)
    request = replace(request, table=tables, list_texts=listed)
    if request.name == "transformers":
        from corefmill.builders.translate.engines.transformer import check_packages

        check_packages()
        request = replace(request, device=request.device or find_device())
    if request.command is not None:
        request = replace(request, command=shlex.join(split_command(request.command)))
    by_name = request.name is not None and not _look_up_translator(request.name).model_is_path
    if request.model is None or by_name or not Path(request.model).exists():
        return request
    return replace(request, model=str(Path(request.model).absolute()))


def what_is(field: str) -> str:
    """Describe a field of the request for a help text."""
    taken = ((name, entry.takes.get(field)) for name, entry in TRANSLATORS.items())
    return "; ".join(f"{name}: {what}" for name, what in taken if what)


def _look_up_translator(name: str) -> TranslatorEntry:
    """Look up a translator by name, or raise `UsageError` for an unknown name."""
    if name not in TRANSLATORS:
        raise UsageError(
            f"no translator {name!r}{did_you_mean(name, NAMES)}",
            remedy=f"the translators are {', '.join(NAMES)}",
        )
    return TRANSLATORS[name]


def _flag(field: str) -> str:
    return f"--{field.replace('_', '-')}"


def _choose_translator(request: TranslatorRequest) -> str:
    """Choose a translator for the languages: argos, else apertium, else the sample's."""
    source, target = request.source, request.target
    if argos.is_installed():
        with suppress(UsageError):
            if argos.find(source, target) is not None:
                return "argos"
    if apertium.find_route(source, target, apertium.list_modes()):
        return "apertium"
    if request.sample and source == "en" and target in languages():
        return "sample"
    how = (
        f"either `{apertium.INSTALL}` or `{argos.INSTALL}`"
        if (source, target) == ("en", "it")
        else "`argospm search` lists Argos's packages, `apt-cache search apertium` Apertium's"
    )
    others = [name for name in NAMES if name not in ("argos", "apertium", "sample")]
    raise UsageError(
        f"no translator from {source!r} to {target!r} is installed",
        remedy=f"{how}; or name another by --translator ({', '.join(others)})",
    )
