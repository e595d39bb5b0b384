"""The usual names of a corpus's splits: in files, folders, manifests and records.

Every command that asks which split a file is of asks here, so that what is trained on, checked,
counted and built is split in one way. A wrong answer would be test data in training, so names that
leave it open are refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from corefmill.corpora.files.errors import UsageError

SPLITS = ("train", "validation", "test")

NAMES = {
    "train": "train",
    "training": "train",
    "dev": "validation",
    "devel": "validation",
    "development": "validation",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
    "testing": "test",
    "eval": "test",
    "evaluation": "test",
}
"""What a split is called, by the words for it."""


def split_of(path: PurePath) -> str | None:
    """Read the split in the words of a path: `train`, `validation` or `test`, or None.

    The path is relative to the corpus's folder (see `make_relative`). In each name the
    first word counts. Raises `UsageError` where two names of the path differ, as
    in train/a.test.conll.
    """
    said: dict[str, str] = {}
    for name in reversed(path.parts):
        words = re.split(r"[^a-z]+", name.lower())
        if split := next((NAMES[word] for word in words if word in NAMES), None):
            said.setdefault(split, name)
    if len(said) > 1:
        (first, one), (second, other) = list(said.items())[:2]
        raise UsageError(
            f"the path names two splits: {one} says {first}, the folder {other} says {second}",
            path=path,
            remedy="rename one of them, or give the folder that holds the files",
        )
    return next(iter(said), None)


def make_relative(path: Path, given: Sequence[Path]) -> PurePath:
    """Make a path relative to its corpus, so that no folder above it tells a split.

    `given` are the files and folders that a user named: the part is below the folder among them,
    and of files that were named one by one below the folder that holds them all. So with a folder
    that is read as one, as ECB+ is.
    """
    for folder in given:
        if folder != path and path.is_relative_to(folder):
            return path.relative_to(folder)
    above = os.path.commonpath(
        [one.absolute().parent for one in given if one == path or one.is_file()]
    )
    return path.absolute().relative_to(above)


def group_by_split(paths: Iterable[Path], top: Path) -> dict[str, list[Path]]:
    """Group the files of a corpus by their splits, all as `all` without split names.

    Raises `UsageError` where the names of some files below `top` say a split and others none.
    """
    found: dict[str | None, list[Path]] = {}
    for path in paths:
        found.setdefault(split_of(path.relative_to(top)), []).append(path)
    rest = found.pop(None, [])
    splits = {split: found[split] for split in SPLITS if split in found}
    if rest and splits:
        count = len(rest) + sum(map(len, splits.values()))
        raise UsageError(
            f"{rest[0].relative_to(top)} is of no split ({len(rest):,} of {count:,} files),"
            f" while others are called {' and '.join(splits)}",
            path=top,
            remedy="put train, dev or test in the names of all files or their folders, or of none",
        )
    return splits or {"all": rest}


LARGEST_SEED = 2**63 - 1
"""The largest seed that all random generators in use take."""
