"""The catalogue is whole, and finds what lies in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora import manifest
from corefmill.corpora.catalogue import DataDir, entries, entry
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats.registry import FORMATS
from tests.corpora.test_manifest import MANIFEST

NAMES = (
    "gap dpr wsc273 pdp wnli winogender winobias winogrande knowref knowref60k wikicrem wec-eng"
    " wec-zh ecbplus meantime ontonotes ontogum litbank ontonotes-it ontocorefit"
)
KINDS = {"masked": "masked-example/1", "events": "event-mention/1", "documents": "document/1"}


def test_the_corpora_of_the_field_are_in_it() -> None:
    assert set(NAMES.split()) == set(entries())


@pytest.mark.parametrize("name", NAMES.split())
def test_every_entry_is_whole(name: str) -> None:
    one = entry(name)
    assert FORMATS[one.format].schema == KINDS[one.kind]
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


def test_files_are_found_at_any_depth(tmp_path: Path) -> None:
    here = touch(tmp_path, "gap-development.tsv", "a/b/gap-test.tsv", ".hidden/gap-validation.tsv")
    assert found(here, "gap") == {"train": ["gap-development.tsv"], "test": ["a/b/gap-test.tsv"]}
    assert found(here, "dpr") == {}


def test_of_several_patterns_the_first_that_is_there_counts(tmp_path: Path) -> None:
    here = touch(tmp_path, "winogrande/train_s.tsv", "winogrande/train_m.tsv")
    assert found(here, "winogrande") == {"train": ["winogrande/train_m.tsv"]}


def test_corpora_that_builders_made_are_found(tmp_path: Path) -> None:
    (tmp_path / "out" / "wikicrem-en").mkdir(parents=True)
    manifest.write(tmp_path / "out" / "wikicrem-en", MANIFEST)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{}")
    assert DataDir(tmp_path).list_built() == [(tmp_path / "out" / "wikicrem-en", MANIFEST)]
