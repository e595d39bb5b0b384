"""Only what a training wrote is ever removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.coref_model.training import owned
from corefmill.corpora.errors import UsageError


def test_foreign_files_stay_even_below_the_names_of_a_training(tmp_path: Path) -> None:
    mine = [
        *("encoder/mine.py", "encoder/sub/config.json", "resume/cv.pdf", "resume/000000001/notes"),
        *("resume/12/state.safetensors", ".draft.tmp"),
    ]
    theirs = [
        *("encoder/config.json", "resume/identity.json", "resume/000000001/state.safetensors"),
        *("resume/000000002/progress.json", "resume/000000002/.state.safetensors.7.tmp"),
        *("model.toml", "log.csv", ".model.safetensors.7.tmp"),
    ]
    for name in (*mine, *theirs):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    owned.remove(tmp_path, owned.COREF)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(mine)
    assert not (tmp_path / "resume" / "000000002").exists()


def test_what_lies_behind_a_link_stays(tmp_path: Path) -> None:
    theirs, out = tmp_path / "theirs", tmp_path / "out"
    for folder in (theirs, out):
        folder.mkdir()
    (theirs / "config.json").touch()
    (out / "encoder").symlink_to(theirs)
    owned.remove(out, owned.COREF)
    assert (theirs / "config.json").exists()


def test_a_folder_with_anything_else_is_refused(tmp_path: Path) -> None:
    written = owned.COREF
    assert owned.check(tmp_path / "none", written) == []
    (tmp_path / ".lock").touch()
    assert owned.check(tmp_path, written) == []
    (tmp_path / "text").mkdir()
    with pytest.raises(UsageError, match="something else is here: text"):
        owned.check(tmp_path, written)
    with pytest.raises(UsageError, match="this is a file"):
        owned.check(tmp_path / ".lock", written)
