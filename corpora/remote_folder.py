"""A finished corpus in an object store: put there file by file, its manifest last.

    corpus/.corefmill/owner.json    first, made only if it is not there: whose the place is
    corpus/train.jsonl ...          each whole or not there, as a put is
    corpus/manifest.json            last; without it nothing there is a corpus

Stores have neither renames nor locks, and need none for this: who was killed puts all again, and of
two that put the same corpus both write the same bytes. The names are the corpus's own few, never
what a record or a manifest that is there already says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from corefmill.corpora import manifest
from corefmill.corpora.errors import UsageError
from corefmill.corpora.ownership import MARKER, PRIVATE
from corefmill.corpora.remote_errors import STORES, RemoteError, protocol_of, told
from corefmill.corpora.remote_file import bucket_of

T = TypeVar("T")

_COLLAPSED = re.compile(r"([a-z][a-z0-9]*):/+(.+)")
_MARK = f"{PRIVATE}/{MARKER}"
_SHOWN = 3
_MOST = 1 << 24
"""Bytes of a manifest."""


def url_of(out: Path | None) -> str | None:
    """The URL that was given for a folder, of which `Path` has made one slash of two; or None."""
    match = None if out is None else _COLLAPSED.fullmatch(str(out))
    return None if match is None or len(match[1]) < 2 else f"{match[1]}://{match[2]}"


class RemoteFolder:
    """The folder of a corpus in an object store."""

    def __init__(self, url: str) -> None:
        """Raises `UsageError` for what is no folder in an object store."""
        if protocol_of(url) not in STORES:
            raise UsageError(
                f"a corpus is put to {', '.join(f'{one}://' for one in STORES)} alone",
                path=url,
                remedy="`corefmill push` sends a finished one to the hub",
            )
        self.url = url.rstrip("/")
        self._store, self._path = bucket_of(self.url)
        if not self._path or not set(self._path.split("/")).isdisjoint(("", ".", "..")):
            raise UsageError(
                "no folder of a bucket", path=url, remedy="such as s3://bucket/corpora/wikicrem-en"
            )

    @property
    def local(self) -> Path:
        """Where on this machine the corpus is made, below the folder that all corpora lie in."""
        protocol, _, rest = self.url.partition("://")
        return Path("out") / protocol / rest

    def build_record(self) -> dict[str, Any] | None:
        """What the manifest of the corpus that is there says of its build; None where none is.

        Raises `RemoteError` where it cannot be reached, `UsageError` where the manifest is none.
        """
        content = self._content(manifest.NAME)
        if content is None:
            return None
        try:
            return dict(json.loads(content)["build"])
        except (ValueError, KeyError, TypeError):
            raise self._refusal("a manifest.json that no command made") from None

    def claim(self, fingerprint: str, *, overwrite: bool) -> None:
        """Makes the place that of a build, before the first of its files.

        With `overwrite` a corpus that is there ceases to be one. Without, it raises `UsageError`
        for one, for another build's files and for what no build put there; `RemoteError` in any
        case where the store cannot be reached.
        """
        import obstore
        from obstore.exceptions import AlreadyExistsError

        mark = json.dumps({"fingerprint": fingerprint}).encode()
        if overwrite:
            self._do(lambda: self._remove([manifest.NAME]))
            self._do(lambda: obstore.put(self._store, self._at(_MARK), mark))
            return
        if self._content(manifest.NAME) is not None:
            raise self._refusal("a finished corpus that was made otherwise")
        if self._content(_MARK) is None and (others := self._do(self._names)):
            shown = ", ".join(others[:_SHOWN]) + ("..." if len(others) > _SHOWN else "")
            raise self._refusal(f"files that this command did not put there: {shown}")
        try:
            obstore.put(self._store, self._at(_MARK), mark, mode="create")
        except AlreadyExistsError:
            if self._content(_MARK) != mark:
                raise self._refusal("the files of another build") from None
        except Exception as error:
            raise told(self.url, error) from error

    def put(self, folder: Path, names: Iterable[str]) -> None:
        """Puts the files of these names that `folder` has, the manifest last; those that it has not
        are removed there. Raises `RemoteError`; what was put by then stays, and is no corpus.
        """
        import obstore

        names = set(names) - {manifest.NAME}
        here = sorted(name for name in names if (folder / name).is_file())
        self._do(lambda: self._remove(sorted(names.difference(here))))
        for name in (*here, manifest.NAME):
            self._do(partial(obstore.put, self._store, self._at(name), folder / name))

    def _names(self) -> list[str]:
        """What lies in the folder, but for what is hidden; of more than some the first."""
        import obstore

        before = f"{self._path}/"
        found = next(iter(obstore.list(self._store, self._path)), [])
        names = (meta["path"].removeprefix(before) for meta in found)
        return [name for name in names if not name.startswith(".")]

    def _remove(self, names: Sequence[str]) -> None:
        import obstore

        for name in names:
            try:
                obstore.head(self._store, self._at(name))
            except FileNotFoundError:
                continue
            obstore.delete(self._store, self._at(name))

    def _content(self, name: str) -> bytes | None:
        import obstore

        def read() -> bytes | None:
            try:
                got = obstore.get(self._store, self._at(name))
            except FileNotFoundError:
                return None
            if got.meta["size"] > _MOST:
                raise RemoteError(f"{name} is larger than any", path=self.url)
            return bytes(got.bytes())

        return self._do(read)

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}"

    def _do(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except (RemoteError, ModuleNotFoundError):
            raise
        except Exception as error:
            raise told(self.url, error) from error

    def _refusal(self, what: str) -> UsageError:
        return UsageError(
            f"holds {what}",
            path=self.url,
            remedy="--overwrite replaces what has the names of a corpus, --out names another place",
        )
