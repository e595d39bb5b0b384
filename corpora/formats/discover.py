"""The files of a folder, each with its format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from corefmill.corpora import manifest
from corefmill.corpora.files import disk
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.form import Format


def named(paths: Iterable[Path], form: Format | None = None) -> dict[Path, Format]:
    """List the files of a command line, each with its format: files, and those below folders.

    Raises `DataError` for a path that is not there, `UsageError` for a folder without a file of a
    format, and what `files` raises.
    """
    found: dict[Path, Format] = {}
    for path in paths:
        disk.require_path(path)
        if path.is_file():
            found[path] = form or registry.of_file(path)
            continue
        below, _ = files(path, form)
        if not below:
            raise registry.no_format(path)
        found |= below
    return found


def files(top: Path, form: Format | None = None) -> tuple[dict[Path, Format], list[Path]]:
    """List the files below a folder of any format, and those of none, hidden ones aside.

    A folder that a format reads whole stands for its files. Of a corpus with a manifest only the
    native files count, since the others hold the same records, and no folder below. With `form`
    given, files that suit it or have its suffix are of it, and no others. Raises `UsageError` for a
    file that suits several formats.
    """
    found: dict[Path, Format] = {}
    others: list[Path] = []
    for here, folders, inner in walk(top):
        whole = [] if (here / manifest.NAME).exists() else registry.candidates(here)
        if len(whole) == 1 and form in (None, whole[0]):
            found[here] = whole[0]
            folders.clear()
            continue
        for path in inner:
            suits = registry.candidates(path)
            if form is None and suits:
                found[path] = registry.of_file(path)
            elif form and (form in suits or path.name.endswith(form.suffix)):
                found[path] = form
            else:
                others.append(path)
    return dict(sorted(found.items())), sorted(others)


def others(top: Path, read: Iterable[Path], schema: str) -> list[Path]:
    """List the files below a folder with records of the schema, apart from those `read`.

    In a folder that holds a corpus of the catalogue only its own files are read: of OntoNotes the
    gold ones, and beside OntoGUM nothing of LitBank.
    """
    taken = {path.absolute() for path in read}
    inner = (path for _, _, names in walk(top) for path in names)
    return [
        path
        for path in inner
        if taken.isdisjoint({path.absolute(), *path.absolute().parents})
        and any(form.schema == schema for form in registry.candidates(path))
    ]


def walk(top: Path) -> Iterator[tuple[Path, list[Path], list[Path]]]:
    """Walk as `disk.walk`, without hidden files, and through native files of a corpus alone."""
    for here, folders, inner in disk.walk(top):
        corpus = (here / manifest.NAME).exists()
        folders[:] = [path for path in folders if not corpus and not path.name.startswith(".")]
        named = (path for path in inner if not path.name.startswith("."))
        yield here, folders, [path for path in named if not corpus or path.suffix == ".jsonl"]
