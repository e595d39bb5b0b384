from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from corefmill.builders.translation.marian import Marian
from corefmill.builders.translation.pieces import cut
from corefmill.corpora.errors import DataError, UsageError


def test_translates_in_order(marian_folder: Path) -> None:
    translator = Marian(marian_folder)
    texts = ["Marco was here", "", "the house is red and Gabriella has arrived", "la casa"]
    together = translator.translate(texts)
    assert together == [translator.translate([text])[0] for text in texts]
    assert together[1] == ""
    assert len({*together}) == 4
    assert translator.name == "marian opus-mt-tiny"


def test_a_long_text_goes_in_pieces(marian_folder: Path) -> None:
    translator = Marian(marian_folder)
    text = " ".join(["la casa era qui."] * 60)
    pieces = cut(text, 500)
    assert len(pieces) == 3
    assert translator.translate([text]) == [" ".join(translator.translate(pieces))]


def test_the_fingerprint_is_the_weights(marian_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(marian_folder, other)
    assert Marian(other).fingerprint == Marian(marian_folder).fingerprint
    with (other / "model.safetensors").open("ab") as file:
        file.write(b"\0")
    assert Marian(other).fingerprint != Marian(marian_folder).fingerprint


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        Marian(tmp_path / "absent")
    with pytest.raises(DataError, match=r"no config\.json in this folder"):
        Marian(tmp_path)


def test_pickled_weights_are_refused(marian_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pickled"
    shutil.copytree(marian_folder, folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(DataError, match="pickled"):
        Marian(folder)
    (folder / "pytorch_model.bin").unlink()
    with pytest.raises(DataError, match=r"no model\.safetensors"):
        Marian(folder)


def test_broken_weights_are_one_line(marian_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(marian_folder, folder)
    (folder / "model.safetensors").write_bytes(b"\xff" * 40)
    with pytest.raises(DataError, match="its model cannot be read"):
        Marian(folder).translate(["text"])


def test_a_missing_package_is_named(marian_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="marian needs torch"):
        Marian(marian_folder)


def test_code_of_a_folder_is_refused_before_any_library_reads_it(tmp_path: Path) -> None:
    for name in ("config.json", "vocab.json", "source.spm", "target.spm"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "config.json").write_text('{"auto_map": {"AutoConfig": "evil.Config"}}')
    with pytest.raises(DataError, match="auto_map asks for code"):
        Marian(tmp_path)
