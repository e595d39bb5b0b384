"""Options that commands which read files and print have in common."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

import typer

from corefmill.corpora import seeds
from corefmill.corpora.errors import UsageError

# As in BCP 47, and as Wikipedia's names: en, pt-BR, zh-min-nan, simple.
_LANGUAGE = re.compile("[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*")


def language(value: str | None) -> str | None:
    """The value of any --lang, which becomes part of names of files, pipelines and addresses.

    Raises `UsageError` for what is no code of a language.
    """
    if value is not None and not _LANGUAGE.fullmatch(value):
        raise UsageError(
            f"--lang {value!r} is no code of a language", remedy="such as en, it or zh-min-nan"
        )
    return value


def finite(value: float) -> float:
    """The value of an option that is a number; raises `UsageError` for one without end."""
    if not math.isfinite(value):
        raise UsageError(f"{value} is no number that can be reckoned with")
    return value


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace files that are there already.")
]


def seed_option(text: str, **more: Any) -> Any:
    """The option --seed, of what `text` says; its values are those that every generator takes."""
    return typer.Option(min=0, max=seeds.LARGEST, help=text, **more)


Theirs = Annotated[
    str | None, typer.Option("--from", metavar="FORMAT", help="Their format. (default: told)")
]
Reader = Annotated[
    str | None, typer.Option("--from", metavar="FORMAT", help="Format of IN. (default: told)")
]
Writer = Annotated[
    str | None,
    typer.Option("--to", metavar="FORMAT", help="Format of OUT. (default: by its suffix)"),
]
Lang = Annotated[
    str, typer.Option(callback=language, help="Language, where the format does not say.")
]
