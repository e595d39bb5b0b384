"""Downloads corpora of the catalogue whose files and sums are known (corpus_files.toml)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corefmill.builders.services.download import Remote, fetch, session
from corefmill.corpora import catalogue
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError


def read_table() -> Mapping[str, Any]:
    """What the table says of each corpus, by its name in the catalogue."""
    return disk.read_package_table(__file__, "corpus_files")


def sizes(name: str) -> dict[str, int]:
    """The bytes of each file of a corpus; raises `UsageError` for one that is not in the table."""
    one = catalogue.entry(name)
    if name not in read_table():
        raise UsageError(
            f"{name} cannot be downloaded by corefmill: {one.get}",
            remedy=f"see {one.url}; there are files of {', '.join(read_table())}",
        )
    return {path: size for path, (size, _) in read_table()[name]["files"].items()}


def download(name: str, data_dir: Path, *, base: str | None = None, quiet: bool = False) -> Path:
    """Fetches the files of a corpus into its folder below `data_dir`, and returns that.

    What is there already is not fetched again. `base` is where they are, if not at the address of
    the table. Raises `UsageError` for a corpus that is not in the table, `DataError` as `fetch`.
    """
    folder = data_dir / name
    wanted = sizes(name)
    base = (base or read_table()[name]["base"]).rstrip("/")
    with session() as asking:
        for path, size in wanted.items():
            digest = read_table()[name]["files"][path][1]
            below = folder / path
            remote = Remote(f"{base}/{path}", below.name, "sha256", digest, size)
            fetch(asking, remote, below.parent, quiet=quiet)
    return folder
