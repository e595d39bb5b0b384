"""The catalogue is whole, and finds what lies in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import manifest
from corefmill.corpora.catalogue import DataDir, entries, entry
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats.registry import FORMATS
from corefmill.corpora.records import KINDS
from tests.corpora.test_manifest import MANIFEST


@pytest.mark.parametrize("name", entries())
def test_every_entry_is_whole(name: str) -> None:
    one = entry(name)
    assert FORMATS[one.format].schema == KINDS[one.kind].schema
    assert one.url.startswith("https://") and one.get.endswith(".") and one.licence
    assert one.files and all(paths for way in one.files for paths in way.values())


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"did you mean wec-eng.*litbank"):
        entry("wec_eng")


def touch(top: Path, *paths: str) -> DataDir:
    for path in paths:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).touch()
    return DataDir(top)


def found(here: DataDir, name: str) -> dict[str, list[str]]:
    return {
        split: [path.relative_to(here.top).as_posix() for path in paths]
        for split, paths in here.find(entry(name)).items()
    }


def test_files_are_found_at_any_depth_by_the_first_pattern_that_is_there(tmp_path: Path) -> None:
    grande = ("winogrande/train_s.tsv", "winogrande/train_m.tsv")
    gap = ("gap-development.tsv", "a/b/gap-test.tsv", ".hidden/gap-validation.tsv")
    here = touch(tmp_path, *gap, *grande)
    assert found(here, "gap") == {"train": ["gap-development.tsv"], "test": ["a/b/gap-test.tsv"]}
    assert found(here, "dpr") == {}
    assert found(here, "winogrande") == {"train": ["winogrande/train_m.tsv"]}


def test_corpora_that_builders_made_are_found(tmp_path: Path) -> None:
    (tmp_path / "out" / "wikicrem-en").mkdir(parents=True)
    manifest.write(tmp_path / "out" / "wikicrem-en", MANIFEST)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{}")
    assert DataDir(tmp_path).list_built() == [(tmp_path / "out" / "wikicrem-en", MANIFEST)]
