"""Argos Translate's packages (.argosmodel), run by CTranslate2.

Argos cuts texts into sentences by a pipeline that it downloads; here a text goes as it is, cut only
where it is long, so that nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corefmill.builders.nlp import digest
from corefmill.builders.translate.engines.protocol import as_many, by_pieces
from corefmill.corpora.files.errors import DataError, UsageError, install_command
from corefmill.corpora.files.terminal import one_line

INSTALL = f"{install_command('it')} && argospm install translate-en_it"

_PIECE = 500
"""Code points that go at once; CTranslate2 cuts off what is longer than 1,024 tokens."""
_LARGEST = 4 << 30
_MOST_FILES = 10_000


def is_installed() -> bool:
    """Whether the argostranslate package is there; it is not loaded."""
    return importlib.util.find_spec("argostranslate") is not None


class Argos:
    """Translate by an installed package, or by one in a file.

    `model` is a .argosmodel file, which Argos's own installer unpacks into a folder below `cache`
    (or Argos's own cache) named by its digest, or the folder of a package. Raises `UsageError`
    where there is no package for the languages, `DataError` for a file that is none.
    """

    def __init__(
        self,
        source: str = "en",
        target: str = "it",
        *,
        model: Path | None = None,
        cache: Path | None = None,
    ) -> None:
        if not is_installed():
            raise UsageError("argostranslate is not installed", remedy=f"install it: {INSTALL}")
        self._package = (
            _find_installed(source, target)
            if model is None
            else _open(model, source, target, cache)
        )
        folder = Path(self._package.package_path)
        if not (folder / "model" / "model.bin").is_file() or not hasattr(
            self._package, "tokenizer"
        ):
            raise DataError(
                "this Argos package lacks its model or its tokenizer",
                path=folder,
                remedy="get it anew",
            )
        self.source, self.target = source, target
        self.name = f"argos {folder.name}"
        self.fingerprint = f"argos {digest.of_folder(folder)}"
        self._translator: Any = None

    def translate(self, texts: Sequence[str]) -> list[str]:
        """As the protocol has it; the search is Argos's, with its settings."""
        lines = [one_line(text) for text in texts]
        found = by_pieces(lines, _PIECE, self._pieces)
        return as_many(self.name, lines, [one_line(line) for line in found])

    def _pieces(self, pieces: list[str]) -> list[str]:
        import ctranslate2

        settings = _settings()
        try:
            if self._translator is None:
                self._translator = ctranslate2.Translator(
                    str(self._package.package_path / "model"),
                    device=settings.device,
                    inter_threads=settings.inter_threads,
                    intra_threads=settings.intra_threads,
                    compute_type=settings.compute_type,
                )
            prefix = self._package.target_prefix
            results = self._translator.translate_batch(
                [self._package.tokenizer.encode(piece) for piece in pieces],
                target_prefix=[[prefix]] * len(pieces) if prefix else None,
                replace_unknowns=True,
                # Alone, since the padding of a batch, and the sums over one, change what is found.
                max_batch_size=1,
                beam_size=settings.beam_size,
                length_penalty=0.2,
            )
            return [
                self._package.tokenizer.decode(result.hypotheses[0]).removeprefix(prefix)
                for result in results
            ]
        except (RuntimeError, OSError, ValueError, LookupError) as error:
            raise DataError(
                f"the model of this Argos package fails: {error}",
                path=self._package.package_path,
                remedy="get it anew, or translate with another (--translator)",
            ) from error


def _settings() -> Any:
    try:
        from argostranslate import settings
    except OSError as error:
        raise UsageError(
            f"Argos cannot make its folders: {error}",
            remedy="set XDG_DATA_HOME, XDG_CONFIG_HOME and XDG_CACHE_HOME to where one can write",
        ) from error
    return settings


def find(source: str, target: str) -> Path | None:
    """Find the folder of the newest package for the languages.

    Raises `UsageError` where Argos cannot be loaded.
    """
    found = []
    for place in _settings().package_dirs:
        for folder in sorted(place.iterdir()) if place.is_dir() else []:
            # One that another program left broken is not what is looked for.
            try:
                package = _read(folder)
            except DataError:
                continue
            if (package.from_code, package.to_code) == (source, target):
                found.append((package.package_version, folder))
    return max(found)[1] if found else None


def _find_installed(source: str, target: str) -> Any:
    folder = find(source, target)
    if folder is None:
        raise UsageError(
            f"Argos has no package from {source!r} to {target!r}",
            remedy=f"`argospm install translate-{source}_{target}` downloads it, "
            "or name a file by --model FILE.argosmodel",
        )
    return _read(folder)


def _open(model: Path, source: str, target: str, cache: Path | None) -> Any:
    package = _read(model if model.is_dir() else _unpack(model, cache))
    if (package.from_code, package.to_code) != (source, target):
        raise UsageError(
            f"{model} translates from {package.from_code!r} to {package.to_code!r}",
            remedy=f"name a package from {source!r} to {target!r} by --model",
        )
    return package


def _read(folder: Path) -> Any:
    _settings()
    from argostranslate.package import Package

    try:
        package: Any = Package(folder)
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise DataError(
            "is no Argos package: its metadata.json cannot be read",
            path=folder,
            remedy="name a .argosmodel file, or the folder of a package",
        ) from error
    return package


def _unpack(model: Path, cache: Path | None) -> Path:
    """The package's folder; what was unpacked once is taken again."""
    top = _only_folder(model)
    settings = _settings()
    from argostranslate.package import install_from_path

    place = (cache or Path(settings.cache_dir)) / f"argos-{digest.of_files([('', model)])}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=place.parent, prefix=".argos-") as scratch:
            usual = settings.package_data_dir
            settings.package_data_dir = Path(scratch) / "package"
            try:
                install_from_path(model)
            except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
                raise DataError(
                    f"cannot be unpacked: {error}", path=model, remedy="get it anew"
                ) from error
            finally:
                settings.package_data_dir = usual
            try:
                os.replace(Path(scratch) / "package", place)  # noqa: PTH105 - a race is no error
            except OSError:
                if not place.is_dir():
                    raise
    return place / top


def _only_folder(model: Path) -> str:
    """Find the single top folder of an .argosmodel."""
    try:
        with zipfile.ZipFile(model) as file:
            entries = file.infolist()
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        raise DataError(
            f"is no Argos package: {error}", path=model, remedy="name a .argosmodel file by --model"
        ) from error
    if len(entries) > _MOST_FILES or sum(entry.file_size for entry in entries) > _LARGEST:
        raise DataError(
            "is no Argos package: it would unpack to more than 4 GiB or 10,000 files", path=model
        )
    tops = {entry.filename.split("/")[0] for entry in entries}
    if len(tops) != 1 or tops & {"", ".", ".."} or not any("/" in e.filename for e in entries):
        raise DataError(
            "is no Argos package: it has not all of it in one folder",
            path=model,
            remedy="name a .argosmodel file by --model",
        )
    (top,) = tops
    return top
