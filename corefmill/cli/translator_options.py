"""The options of all translators, for every command that translates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from corefmill.builders.translation.devices import BATCH_TOKENS, DeviceName, Precision
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
    device: Annotated[
        DeviceName | None,
        typer.Option(
            help="Where a network translates; auto: a GPU if there is one, of several the next one"
            " for each worker.",
            show_default="auto",
        ),
    ] = None
    precision: Annotated[
        Precision | None,
        typer.Option(
            help="Of a network's numbers; auto: bf16 on a GPU that has it, fp16 on another, fp32"
            " elsewhere.",
            show_default="auto",
        ),
    ] = None
    batch_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Tokens, padding included, that a network translates at once.",
            show_default=f"{BATCH_TOKENS['cpu']:,} on the processor, {BATCH_TOKENS['cuda']:,} on a"
            " GPU",
        ),
    ] = None
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

        Raises `UsageError` for a translator, or a device, that there is not.
        """
        return anchored(
            TranslatorRequest(
                name=self.translator,
                source=source,
                target=target,
                model=self.model,
                device=self.device,
                precision=self.precision,
                batch_tokens=self.batch_tokens,
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
