from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from corefmill.builders.translate.engines import argos
from corefmill.builders.translate.engines.argos import Argos
from corefmill.corpora.files.errors import DataError, UsageError


@pytest.fixture(autouse=True)
def own_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Argos's folder of packages, empty, in place of the user's."""
    settings = pytest.importorskip("argostranslate.settings")
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setattr(settings, "package_data_dir", folder)
    monkeypatch.setattr(settings, "package_dirs", [folder])
    return folder


def test_a_file_is_unpacked_and_translates(
    argos_file: Path, tmp_path: Path, own_packages: Path
) -> None:
    cache = tmp_path / "cache"
    translator = Argos(model=argos_file, cache=cache)
    texts = ["Marco was here", "", "the house is red and Gabriella has arrived"]
    found = translator.translate(texts)
    assert found == [translator.translate([text])[0] for text in texts]
    assert found[1] == ""
    assert found[0] != found[2]
    assert translator.name == "argos translate-en_it-1_0"
    assert not list(own_packages.iterdir())
    # The second time it is there.
    (told,) = cache.glob("*/translate-en_it-1_0/metadata.json")
    before = told.stat().st_mtime_ns
    again = Argos(model=argos_file, cache=cache)
    assert told.stat().st_mtime_ns == before
    assert again.fingerprint == translator.fingerprint


def test_an_installed_package_is_found(
    argos_file: Path, own_packages: Path, tmp_path: Path
) -> None:
    (own_packages / "broken").mkdir()
    assert argos.find("en", "it") is None
    with zipfile.ZipFile(argos_file) as file:
        file.extractall(own_packages)
    assert argos.find("en", "it") == own_packages / "translate-en_it-1_0"
    found = Argos().translate(["Marco was here"])
    assert found == Argos(model=argos_file, cache=tmp_path / "c").translate(["Marco was here"])
    assert Argos(model=own_packages / "translate-en_it-1_0").translate(["Marco was here"]) == found


def test_what_is_not_installed_comes_with_a_command(
    argos_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="translates from 'en' to 'it'"):
        Argos("en", "es", model=argos_file, cache=tmp_path)
    with pytest.raises(UsageError, match=r"no package from 'en' to 'it'.*argospm install"):
        Argos()
    monkeypatch.setattr(argos, "is_installed", lambda: False)
    with pytest.raises(UsageError, match=r"argostranslate is not installed.*pip install"):
        Argos()


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (None, "is not an Argos package.*No such file"),
        ({}, "is not an Argos package"),
        ({"one/metadata.json": "{}", "two/metadata.json": "{}"}, "more than one folder"),
        ({"../metadata.json": "{}"}, "more than one folder"),
        ({"one/model/model.bin": "x"}, r"its metadata\.json cannot be read"),
        ({"one/metadata.json": "[1]"}, r"its metadata\.json cannot be read"),
    ],
)
def test_a_file_that_is_no_package(
    tmp_path: Path, held: dict[str, str] | None, message: str
) -> None:
    path = tmp_path / "x.argosmodel"
    if held:
        with zipfile.ZipFile(path, "w") as file:
            for name, content in held.items():
                file.writestr(name, content)
    elif held is not None:
        path.write_bytes(b"no zip")
    with pytest.raises(DataError, match=message):
        Argos(model=path, cache=tmp_path / "cache")


def test_a_package_that_would_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.argosmodel"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("one/model/model.bin", b"\0" * 100_000)
    monkeypatch.setattr(argos, "_LARGEST", 50_000)
    with pytest.raises(DataError, match="would unpack to more than"):
        Argos(model=path, cache=tmp_path / "cache")
