"""Which translator is asked for, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatorRequest:
    """What a user asks of a translator; None is what was not given.

    `name` is one of `resolve.TRANSLATORS`, None the best that is installed. `source` and `target`
    are ISO 639-1 codes; `sample` says that the texts are those of the sample that ships.
    Translations are kept in `cache`; what a table lacks is noted down in the folder `missing`,
    which is this build's own. All other fields are told to the translator: which of them it takes,
    and what they are to it, its entry says.
    """

    name: str | None = None
    source: str = "en"
    target: str = "it"
    sample: bool = False
    cache: Path | None = None
    missing: Path | None = None
    model: str | None = None
    device: str | None = None
    precision: str | None = None
    batch_tokens: int | None = None
    url: str | None = None
    key_variable: str | None = None
    style: str | None = None
    requests_per_minute: int | None = None
    at_once: int | None = None
    timeout: float | None = None
    command: str | None = None
    table: tuple[Path, ...] = ()
    list_texts: Path | None = None
    allow_missing: bool = False
