"""List every format by name, detect the format of a file, and find the files of a folder.

A new format is a module beside this one, its import and its line in `FORMATS`: reading, detection,
conversion, the checker and the commands find it there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from corefmill.corpora import manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.disk import Packing, detect_packing
from corefmill.corpora.files.errors import DataError, UsageError, did_you_mean
from corefmill.corpora.formats import (
    conll2012,
    conll_ua,
    corefud,
    ecbplus,
    five_line,
    gap,
    json_documents,
    knowref,
    litbank,
    lm_eval,
    masked_conll,
    native,
    ontocorefit,
    parquet,
    projects,
    webanno,
    wec_json,
    winograd,
)
from corefmill.corpora.formats.form import Format
from corefmill.corpora.formats.rows import PARQUET

HEAD = 64 * 1024
"""Bytes of a file that are looked at to detect its format."""

FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        native.MASKED,
        native.EVENTS,
        native.DOCUMENTS,
        conll2012.FORMAT,
        corefud.FORMAT,
        conll_ua.FORMAT,
        json_documents.WL_COREF,
        json_documents.S2E,
        json_documents.MAVERICK,
        json_documents.FASTCOREF,
        litbank.FORMAT,
        ontocorefit.FORMAT,
        masked_conll.FORMAT,
        five_line.FORMAT,
        five_line.PRONOUNS,
        gap.FORMAT,
        winograd.WINOGRANDE,
        winograd.WINOGRANDE_LINES,
        winograd.WINOGENDER,
        winograd.WINOBIAS,
        winograd.WINOBIAS_ROWS,
        winograd.WSC,
        winograd.SUPERGLUE,
        winograd.WNLI,
        knowref.FORMAT,
        knowref.LINES_60K,
        lm_eval.FORMAT,
        wec_json.RELEASED,
        ecbplus.FORMAT,
        parquet.MASKED,
        parquet.EVENTS,
        parquet.DOCUMENTS,
        conll2012.KEY,
        projects.LABEL_STUDIO,
        projects.DOCCANO,
        projects.BRAT,
        webanno.FORMAT,
    )
}

SPECIAL = {"event-key": "conll2012", "litbank": "brat"}
"""By a format the one that it is a case of: what suits the case is not of the general format.

A key has two columns, as a CoNLL file may have, and LitBank has files of brat. A suffix of both
asks for the general one.
"""

_UNPACKS = {
    Packing.BZ2: "bunzip2",
    Packing.GZ: "gunzip",
    Packing.XZ: "unxz",
    Packing.ZST: "unzstd",
}
"""What unpacks a packed file."""


def get_format(name: str) -> Format:
    """Return the format of a name; raise `UsageError` with a list if there is none."""
    if name in FORMATS:
        return FORMATS[name]
    guess = did_you_mean(name, FORMATS)
    raise UsageError(f"no format {name!r}{guess}", remedy=f"there are {', '.join(FORMATS)}")


def candidates(path: Path) -> list[Format]:
    """List the formats suiting a path, by a file's name and head or a folder's listing.

    The name of a folder ends in `/` there, and its listing has one path a line, two levels deep.
    A folder with a manifest is a corpus, whatever else it holds. Raises `DataError` where the
    path cannot be read.
    """
    if path.is_dir():
        if (path / manifest.NAME).exists():
            return [native.BY_SCHEMA[manifest.read(path).schema]]
        names: list[str] = []
        for here, folders, found_here in disk.walk(path):
            inner = sorted((*folders, *found_here))
            if here == path:
                folders[:] = [one for one in folders if not one.name.startswith(".")]
                names += [one.name for one in inner if not one.name.startswith(".")]
            else:  # the second level, and no deeper
                folders.clear()
                names += [f"{here.name}/{one.name}" for one in inner]
        name, head = f"{path.name}/", "\n".join(names)
    else:
        name, head = path.name, disk.read_head(path, HEAD)
        if head.startswith(PARQUET):  # its columns stand at its end
            head = parquet.describe(path)
    found = {form.name: form for form in FORMATS.values() if form.suits(name, head)}
    general = {SPECIAL.get(name) for name in found}
    return [form for form in found.values() if form.name not in general]


def detect_format(path: Path) -> Format:
    """Detect the one format of a file or folder.

    Raises `UsageError` that names --from where none suits or several do, or says that the file is
    empty or packed; and `DataError` for one in UTF-16.
    """
    found = candidates(path)
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(
            f"the format could be any of {', '.join(form.name for form in found)}",
            path=path,
            remedy="name one with --from",
        )
    if not path.is_dir():
        with disk.open_file(path) as file:
            start = file.read(HEAD)
        if not start:
            raise UsageError(
                "this file is empty", path=path, remedy="name another, or its format with --from"
            )
        disk.refuse_utf_16(start, path)
        if program := _UNPACKS.get(detect_packing(start)):
            raise UsageError(
                "this file is compressed", path=path, remedy=f"unpack it with {program}"
            )
    raise make_format_error(path)


_RELATED = (
    (
        r"(?m)\A.*(?i:conll)$|\t(?:\(\d+\)?|\d+\))$",
        "this CoNLL table has no '#begin document (NAME); part 000'",
        "--from conll2012 --lenient reads it, and --columns word=2,coref=-1 names its columns",
    ),
    (
        r"\n\[?CorefResult\(",
        "a printed CorefResult, whose text is cut off",
        "save its text and get_clusters(as_strings=False) as JSON with `text` and `clusters`",
    ),
    (
        r'"annotation_id"\s*:',
        "Label Studio's JSON-MIN holds no relations",
        "export by Export > JSON",
    ),
    (
        r'"(head_span|token_start)"\s*:',
        "spans and relations of Prodigy are not read",
        "convert reads doccano's `entities` with ids, and `relations` with from_id and to_id",
    ),
    (
        r"(?i)\A.*\n(ID,A,B,NEITHER|[^\t,\n]+([\t,](true|false)){2})\n",
        "answers to GAP, without its texts",
        "`corefmill score KEY FILE` scores them by GAP's own table as key",
    ),
    (
        r'"coref_spans"\s*:',
        "rows of the Hub's CoNLL-2012 are not read",
        "convert reads OntoNotes' *_conll files, and JSON Lines of sentences and clusters",
    ),
)
"""What is near a known format: a pattern of the name and the head, a fault and a remedy."""


def make_format_error(
    path: Path, kind: type[DataError | UsageError] = UsageError
) -> DataError | UsageError:
    """Make the error for a file or folder without a known format."""
    if path.is_file():
        head = f"{path.name}\n{disk.read_head(path, HEAD)}"
        for pattern, fault, remedy in _RELATED:
            if re.search(pattern, head):
                return kind(fault, path=path, remedy=remedy)
    return kind(
        "no file in this folder is of a known format"
        if path.is_dir()
        else "the format of this file is not known",
        path=path,
        remedy="list the formats with `corefmill convert --list` and name one with --from; mark"
        " clusters in plain text with `corefmill predict`",
    )


def find_files(paths: Iterable[Path], form: Format | None = None) -> dict[Path, Format]:
    """List the files of a command line, each with its format: files, and those below folders.

    Raises `DataError` for a path that is not there, `UsageError` for a folder without a file of a
    format, and what `files_below` raises.
    """
    found: dict[Path, Format] = {}
    for path in paths:
        disk.require_path(path)
        if path.is_file():
            found[path] = form or detect_format(path)
            continue
        below, _ = files_below(path, form)
        if not below:
            raise make_format_error(path)
        found |= below
    return found


def files_below(top: Path, form: Format | None = None) -> tuple[dict[Path, Format], list[Path]]:
    """List the files below a folder of any format, and those of none, hidden ones aside.

    A folder that a format reads whole stands for its files. Of a corpus with a manifest only the
    native files count, since the others hold the same records, and no folder below. With `form`
    given, files that suit it or have its suffix are of it, and no others. Raises `UsageError` for a
    file that suits several formats.
    """
    found: dict[Path, Format] = {}
    others: list[Path] = []
    for here, folders, inner in _walk(top):
        whole = [] if (here / manifest.NAME).exists() else candidates(here)
        if len(whole) == 1 and form in (None, whole[0]):
            found[here] = whole[0]
            folders.clear()
            continue
        for path in inner:
            suits = candidates(path)
            if form is None and suits:
                found[path] = detect_format(path)
            elif form and (
                form.name in {one.name for one in suits} or path.name.endswith(form.suffix)
            ):
                found[path] = form
            else:
                others.append(path)
    # The text beside an annotation is read with it.
    beside = (litbank.FORMAT, projects.BRAT)
    texts = {path.with_suffix(".txt") for path, one in found.items() if one in beside}
    others = [path for path in others if path not in texts]
    return {path: found[path] for path in sorted(found) if path not in texts}, sorted(others)


def other_files(top: Path, read: Iterable[Path], schema: str) -> list[Path]:
    """List the files below a folder with records of the schema, apart from those `read`.

    In a folder that holds a corpus of the catalogue only its own files are read: of OntoNotes the
    gold ones, and beside OntoGUM nothing of LitBank.
    """
    taken = {path.absolute() for path in read}
    inner = (path for _, _, names in _walk(top) for path in names)
    return [
        path
        for path in inner
        if taken.isdisjoint({path.absolute(), *path.absolute().parents})
        and any(form.schema == schema for form in candidates(path))
    ]


def _walk(top: Path) -> Iterator[tuple[Path, list[Path], list[Path]]]:
    """Walk as `disk.walk`, without hidden files, and through native files of a corpus alone."""
    for here, folders, inner in disk.walk(top):
        corpus = (here / manifest.NAME).exists()
        folders[:] = [path for path in folders if not corpus and not path.name.startswith(".")]
        named = (path for path in inner if not path.name.startswith("."))
        yield here, folders, [path for path in named if not corpus or path.suffix == ".jsonl"]
