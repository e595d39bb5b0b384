from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corefmill.builders.translate.engines.apertium import Apertium
from corefmill.corpora.files.errors import UsageError
from tests.builders.translate.engines import tiny


@pytest.fixture(scope="session")
def marian_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made("marian", tmp_path_factory, "opus-mt-tiny")


@pytest.fixture(scope="session")
def nllb_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made("nllb", tmp_path_factory)


@pytest.fixture(scope="session")
def madlad_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _made("madlad", tmp_path_factory)


def _made(kind: str, factory: pytest.TempPathFactory, name: str = "") -> Path:
    """A tiny model of a kind; skips where a package is missing that it needs."""
    for package in ("torch", "transformers", "sentencepiece"):
        pytest.importorskip(package)
    made: Path = getattr(tiny, kind)(factory.mktemp("models") / (name or f"{kind}-tiny"))
    return made


@pytest.fixture(scope="session")
def apertium() -> Iterator[Apertium]:
    """Apertium as it is installed; skips where it is not."""
    try:
        translator = Apertium()
    except UsageError as error:
        pytest.skip(str(error))
    yield translator
    translator.close()


@pytest.fixture(scope="session")
def argos_file(marian_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("argostranslate", "ctranslate2"):
        pytest.importorskip(name)
    return tiny.argosmodel(tmp_path_factory.mktemp("argos"), marian_folder)
