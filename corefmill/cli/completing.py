"""The values of options that a shell completes on tab; nothing is loaded before it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from corefmill.corpora.splits import SPLITS


def languages(incomplete: str) -> list[str]:
    """Languages that a pipeline is known for."""
    from corefmill.builders.nlp.catalogue import offers

    return _last(incomplete, sorted({offer.lang for offer in offers()}))


def corpora(incomplete: str) -> list[str]:
    """The corpora of the catalogue, and folders that a builder wrote to out/."""
    built = [str(path.parent) for path in sorted(Path("out").glob("*/manifest.json"))]
    return [*catalogue(incomplete), *_last(incomplete, built)]


def catalogue(incomplete: str) -> list[str]:
    """The corpora of the catalogue."""
    from corefmill.corpora.catalogue import entries

    return _last(incomplete, entries())


def formats(incomplete: str) -> list[str]:
    """Formats that can be read."""
    from corefmill.corpora.formats.registry import FORMATS

    return _last(incomplete, FORMATS)


def written_formats(incomplete: str) -> list[str]:
    """Formats that can be written."""
    from corefmill.corpora.formats.registry import FORMATS

    return _last(incomplete, (name for name, form in FORMATS.items() if form.write))


def splits(incomplete: str) -> list[str]:
    """The splits of any corpus."""
    return _last(incomplete, SPLITS)


def _last(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that go on with what is typed, after the last comma of a list."""
    before, comma, start = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(start)]
