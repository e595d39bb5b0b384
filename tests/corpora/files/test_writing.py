"""A file that is being replaced is the old one or the new one, never half of either."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.writing import (
    ensure_folder,
    make_way,
    refuse_taken,
    replacing,
)


def test_the_old_file_stands_until_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as out:
        out.write(b"new")
        out.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="halfway"), replacing(path) as out:
        out.write(b"new")
        raise RuntimeError("halfway")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_new_folders_outlast_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("corefmill.corpora.files.writing.sync_folder", synced.append)
    ensure_folder(tmp_path / "a" / "b")
    assert sorted(synced) == [tmp_path, tmp_path / "a"]
    ensure_folder(tmp_path / "a" / "b")
    assert len(synced) == 2


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    make_way(tmp_path / "new" / "file")
    assert list((tmp_path / "new").iterdir()) == []
    with pytest.raises(UsageError, match="this is a folder"):
        make_way(tmp_path / "new")


def test_what_is_there_is_replaced_on_demand_alone(tmp_path: Path) -> None:
    free, taken, dangling = tmp_path / "free", tmp_path / "taken", tmp_path / "dangling"
    taken.write_text("mine")
    dangling.symlink_to(tmp_path / "nowhere")
    refuse_taken(free, overwrite=False)
    for path in (taken, dangling):
        with pytest.raises(UsageError, match=r"is there already \(--overwrite replaces it\)"):
            make_way(free, path)
        refuse_taken(free, path, overwrite=True)


def test_a_folder_or_device_is_never_replaced(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for path, message in (
        (tmp_path, "this is a folder"),
        (fifo, "not a file and cannot be replaced"),
    ):
        with pytest.raises(UsageError, match=message):
            refuse_taken(path, overwrite=True)
