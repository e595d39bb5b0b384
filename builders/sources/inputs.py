"""Input of a command, a dump or plain text, with its licence and authors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from corefmill.builders.run.stages import Stage, UnitSource
from corefmill.builders.sources.text import TextKind, TextSource, read_text
from corefmill.builders.wiki.articles import LICENCE, DumpSource, ReadDump
from corefmill.builders.wiki.dump.locate import ShippedSample, locate
from corefmill.builders.wiki.markup.templates import OwnTemplates
from corefmill.corpora.files import disk
from corefmill.corpora.files.remote import Place


@dataclass(frozen=True, slots=True)
class Input:
    """A source of units, its reading stage, and the text's licence.

    `says` tells the user the files that are read, and the reason for the choice.
    """

    source: UnitSource
    reader: Stage
    says: str
    licence: str
    attribution: str
    name: str = ""
    """A name for the corpus, by the folder or file of the texts; "" for a dump."""


def from_text(names: Sequence[str], kind: TextKind = TextKind.TEXT) -> Input:
    """Make the input of text files or JSON Lines; raises `UsageError` for a name without a file."""
    source = TextSource(names, kind)
    # The texts are called by their file without its endings, or by their lowest common folder.
    here = [path.resolve() for path in source.paths if isinstance(path, Path)]
    name = ""
    if len(here) == len(source.paths) and not any(map(disk.is_stream, source.paths)):
        parents = [path.parent for path in here]
        lowest = here[0] if len(here) == 1 else Path(os.path.commonpath(parents))
        name = disk.show_name(lowest.name.partition(".")[0])
    passed = source.passed_over
    kept_out = f" (passed over as corpora: {list_names(passed)})" if passed else ""
    number = f"{len(source.paths):,} {kind} file{'s' if len(source.paths) != 1 else ''}"
    return Input(
        source,
        read_text,
        f"reading {number}{kept_out}",
        "that of the texts",
        list_names(source.paths),
        name,
    )


def list_names(paths: Sequence[Place]) -> str:
    """List the names of text files or folders, the first five of many."""
    names = ", ".join(disk.show_name(path.name) for path in paths[:5])
    return f"{names} and more" if len(paths) > 5 else names


def from_dump(
    dump: str,
    lang: str,
    *,
    data_dir: Path,
    date: str | None = None,
    threads: int | None = None,
    quiet: bool = False,
    sample: ShippedSample = ShippedSample.articles,
    templates: OwnTemplates = (),
) -> Input:
    """Find a Wikipedia dump by `locate` and make it the input. Raises what `locate` raises.

    `sample` chooses among corefmill's samples, if one is read; a language without tales gets the
    articles. `templates` are the user's.
    """
    found = locate(dump, lang, data_dir=data_dir, date=date, quiet=quiet, sample=sample)
    places = [path for path in found.paths if not isinstance(path, str)]
    names = [disk.show_name(path.name) for path in places] or [*map(str, found.paths)]
    ours = Path(str(resources.files("corefmill.corpora").joinpath("sample"))).resolve()
    ships = all(ours in Path(path).resolve().parents for path in found.paths)
    tales = resources.files("corefmill.corpora").joinpath("sample", "tales", f"{lang}.txt")
    if sample is ShippedSample.tales and ships and tales.is_file():
        return replace(
            from_text([str(tales)]),
            says=f"reading the small tales that ship with the project, {tales.name} (--text, --dump"
            " and the like name others)",
            licence="CC0 1.0",
            attribution="the sample tales of corefmill",
            name="tales",
        )
    return Input(
        DumpSource(found.paths, lang, threads=threads),
        ReadDump(lang, templates),
        found.sentence,
        "CC0 1.0" if ships else LICENCE,
        "the sample encyclopedia of corefmill"
        if ships
        else f"Wikipedia ({lang}), its authors; from {', '.join(names[:5])}",
    )
