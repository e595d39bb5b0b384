"""Argos Translate's packages (.argosmodel), run by CTranslate2.

Argos cuts texts into sentences by a pipeline that it downloads; here a text goes as it is, cut only
where it is long, so that nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
import os
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corefmill.builders.translate.engines.protocol import translate_lines
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError, install_command

INSTALL = f"{install_command('it')} && argospm install translate-en_it"

_PIECE = 500
"""Code points that go at once; CTranslate2 cuts off what is longer than 1,024 tokens."""
_LARGEST = 4 << 30
_MOST_FILES = 10_000
_PACKAGE = "name a .argosmodel file, or the folder of a package"


def is_installed() -> bool:
    """Whether the argostranslate package is there; it is not loaded."""
    return importlib.util.find_spec("argostranslate") is not None


class Argos:
    """Translator by an Argos package: an installed one, a folder or a file.

    `model` is the folder of a package, or a .argosmodel file, which is unpacked into a folder below
    `cache` (or Argos's own cache) named by its digest. Raises `UsageError` if there is no package
    for the languages, `DataError` for a file that is not a package.
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
        self._package = _open_package(source, target, model, cache)
        folder = Path(self._package.package_path)
        if not (folder / "model" / "model.bin").is_file() or not hasattr(
            self._package, "tokenizer"
        ):
            raise DataError(
                "this Argos package lacks its model or its tokenizer",
                path=folder,
                remedy="download the package again",
            )
        self.source, self.target = source, target
        self.name = f"argos {folder.name}"
        self.fingerprint = f"argos {disk.hash_folder(folder)}"
        self._translator: Any = None

    def translate(self, texts: Sequence[str]) -> list[str | DataError]:
        """Translate as the protocol says; the search is Argos's, with its settings."""
        return translate_lines(self.name, texts, _PIECE, self._translate)

    def _translate(self, pieces: list[str]) -> list[str]:
        """Translate each piece of text alone, so that no other text can change the answer."""
        import ctranslate2

        settings = _load_settings()
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
                # Alone, since the padding of a batch and the sums over it change the translation.
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
                f"the model of this Argos package cannot translate: {error}",
                path=self._package.package_path,
                remedy="download it again, or name another translator by --translator",
            ) from error


def _load_settings() -> Any:
    """Import the settings of Argos, or raise `UsageError` if its folders cannot be made."""
    try:
        from argostranslate import settings
    except OSError as error:
        raise UsageError(
            f"argostranslate cannot create its folders: {error}",
            remedy="set XDG_DATA_HOME, XDG_CONFIG_HOME and XDG_CACHE_HOME to writable folders",
        ) from error
    return settings


def find(source: str, target: str) -> Path | None:
    """Find the folder of the newest installed Argos package for two languages.

    Raises `UsageError` where Argos cannot be loaded.
    """
    found = []
    for place in _load_settings().package_dirs:
        for folder in sorted(place.iterdir()) if place.is_dir() else []:
            # A package that another program left broken is skipped.
            try:
                package = _read_package(folder)
            except DataError:
                continue
            if (package.from_code, package.to_code) == (source, target):
                found.append((package.package_version, folder))
    return max(found)[1] if found else None


def _open_package(source: str, target: str, model: Path | None, cache: Path | None) -> Any:
    """Open the Argos package for two languages: the one in `model`, or the newest installed."""
    if model is None:
        folder = find(source, target)
        if folder is None:
            raise UsageError(
                f"no Argos package from {source!r} to {target!r} is installed",
                remedy=f"`argospm install translate-{source}_{target}` downloads it, "
                "or name a file by --model FILE.argosmodel",
            )
        return _read_package(folder)
    package = _read_package(model if model.is_dir() else _unpack(model, cache))
    if (package.from_code, package.to_code) != (source, target):
        raise UsageError(
            f"{model} translates from {package.from_code!r} to {package.to_code!r}",
            remedy=f"name a package from {source!r} to {target!r} by --model",
        )
    return package


def _read_package(folder: Path) -> Any:
    """Open a folder as an Argos package, or raise `DataError` if it is not a package."""
    _load_settings()
    from argostranslate.package import Package

    try:
        package: Any = Package(folder)
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise DataError(
            "is not an Argos package: its metadata.json cannot be read",
            path=folder,
            remedy=_PACKAGE,
        ) from error
    return package


def _unpack(model: Path, cache: Path | None) -> Path:
    """Unpack an .argosmodel file (a ZIP archive of one folder) into the cache, once."""
    try:
        with zipfile.ZipFile(model) as file:
            entries = file.infolist()
            tops = {entry.filename.split("/")[0] for entry in entries}
            # A small file may unpack to more than any disk holds.
            if len(entries) > _MOST_FILES or sum(one.file_size for one in entries) > _LARGEST:
                raise DataError(
                    "is not an Argos package: it would unpack to more than 4 GiB or 10,000 files",
                    path=model,
                )
            if len(tops) != 1 or tops & {"", ".", ".."}:
                raise DataError(
                    "is not an Argos package: it holds more than one folder",
                    path=model,
                    remedy=_PACKAGE,
                )
            digest_ = disk.hash_files([("", model)])
            place = (cache or Path(_load_settings().cache_dir)) / f"argos-{digest_}"
            if not place.is_dir():
                place.parent.mkdir(parents=True, exist_ok=True)
                # Other workers unpack it, too: whoever is first moves a whole folder in place.
                with TemporaryDirectory(dir=place.parent, prefix=".argos-") as scratch:
                    file.extractall(Path(scratch) / "package")
                    with suppress(OSError):
                        os.replace(Path(scratch) / "package", place)  # noqa: PTH105
    except (OSError, RuntimeError, NotImplementedError, zipfile.BadZipFile, ValueError) as error:
        raise DataError(f"is not an Argos package: {error}", path=model, remedy=_PACKAGE) from error
    return place / tops.pop()
