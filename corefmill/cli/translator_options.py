"""The options of all translators, for every command that translates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from corefmill.builders.translation.request import TranslatorRequest
from corefmill.builders.translation.resolve import NAMES, anchored, what_is
from corefmill.cli.options import WORK
from corefmill.corpora.ownership import private

TRANSLATOR = "Translator"
"""The panel of the help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatorOptions:
    """Which translator is asked, and what it is told."""

    PANEL: ClassVar[str] = TRANSLATOR

    translator: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(NAMES)}.", show_default="argos or apertium, if installed"),
    ] = None
    model: Annotated[str | None, typer.Option(help=f"{what_is('model')}.")] = None
    url: Annotated[str | None, typer.Option(help=f"{what_is('url')}.")] = None
    key_variable: Annotated[
        str | None,
        typer.Option(
            help="Variable of the environment that holds the service's key, if it wants one.",
            show_default=f"{what_is('key_variable')}",
        ),
    ] = None
    style: Annotated[
        str | None,
        typer.Option(help=f"{what_is('style')}.", show_default="as the URL tells"),
    ] = None
    requests_per_minute: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Most requests a minute to a service, of all workers together.",
            show_default="no bound",
        ),
    ] = None
    at_once: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=256,
            help="Requests that a worker has out at once.",
            show_default="4",
            rich_help_panel=TRANSLATOR,
        ),
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=3600,
            help="Seconds that an answer may take.",
            show_default="60, of a command 120",
        ),
    ] = None
    command: Annotated[str | None, typer.Option(help=f"{what_is('command')}.")] = None
    cache: Annotated[
        Path | None,
        typer.Option(
            help="Folder that keeps translations for later builds.",
            show_default="one that is removed at the end",
            rich_help_panel=WORK,
        ),
    ] = None

    def request(self, source: str, target: str, out: Path) -> TranslatorRequest:
        """What is asked of the translator, for a corpus in `out`, between two languages.

        Raises `UsageError` for a translator that there is not.
        """
        return anchored(
            TranslatorRequest(
                name=self.translator,
                source=source,
                target=target,
                model=self.model,
                url=self.url,
                key_variable=self.key_variable,
                style=self.style,
                requests_per_minute=self.requests_per_minute,
                at_once=self.at_once,
                timeout=self.timeout,
                command=self.command,
                cache=private(out) / "translations"
                if self.cache is None
                else self.cache.absolute(),
            )
        )
