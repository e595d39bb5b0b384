from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders.translation import tiny


@pytest.fixture(scope="session")
def marian_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("torch", "transformers", "sentencepiece"):
        pytest.importorskip(name)
    return tiny.marian(tmp_path_factory.mktemp("models") / "opus-mt-tiny")


@pytest.fixture(scope="session")
def argos_file(marian_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("argostranslate", "ctranslate2"):
        pytest.importorskip(name)
    return tiny.argosmodel(tmp_path_factory.mktemp("argos"), marian_folder)
