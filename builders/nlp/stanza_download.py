"""Stanza's models, fetched by Stanza's own downloader, and only when asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from corefmill.builders.nlp.stanza_backend import (
    processors_of,
    resources_dir,
    stanza,
    to_download,
)
from corefmill.corpora.errors import UsageError


def download(lang: str, package: str = "default", folder: Path | None = None) -> Path:
    """Fetches a language's models, into Stanza's own folder or another; returns the folder.

    Raises `UsageError` where there is no such language or package, or no way to them.
    """
    library = stanza()
    where = folder or resources_dir()
    try:
        import_module("stanza.resources.common").download_resources_json(str(where))
    except Exception as error:  # whatever requests and Stanza let through
        raise _failed(lang, package, folder, error) from None
    # A package of trees needs the default names beside it, or it would not load here.
    wanted = processors_of(where, lang, package, "`corefmill models` lists what there is")
    whole = package == "default"
    try:
        library.download(
            lang,
            model_dir=str(where),
            package="default" if whole else None,
            processors={} if whole else wanted,
            download_json=False,
            logging_level="CRITICAL",
        )
    except Exception as error:
        raise _failed(lang, package, folder, error) from None
    return where


def _failed(lang: str, package: str, folder: Path | None, error: Exception) -> UsageError:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    again = to_download(lang, package, folder)
    return UsageError(
        f"Stanza's models for {lang!r} were not downloaded: {reason}",
        remedy=f"is there a way to the network? where there is one, `{again}`; then copy the"
        " folder here and name it by --nlp DIR",
    )
