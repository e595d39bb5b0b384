"""Which source a builder's options mean, and under what terms its text comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.sources.inputs import from_dump, from_text
from corefmill.builders.sources.text import read_text
from corefmill.builders.wiki.articles import ReadDump
from corefmill.builders.wiki.dump.locate import ShippedSample
from corefmill.corpora.find import SAMPLES
from tests.builders.wiki.dump.dump_writer import dump, page


def test_texts_come_under_their_own_terms_and_not_all_are_named(tmp_path: Path) -> None:
    for count, said, named in (
        (1, "reading 1 text file", "a.txt"),
        (7, "reading 7 text files", "a.txt, b.txt, c.txt, d.txt, e.txt and more"),
    ):
        for name in "abcdefg"[:count]:
            (tmp_path / f"{name}.txt").write_text("One.")
        texts = from_text([str(tmp_path)])
        assert (texts.says, texts.licence, texts.attribution) == (said, "that of the texts", named)
        assert texts.reader is read_text
    assert next(iter(texts.source.paths)) == tmp_path / "a.txt"


def test_the_sample_is_free_by_its_name_and_its_path(tmp_path: Path) -> None:
    sample = from_dump("sample", "en", data_dir=tmp_path)
    assert (sample.licence, sample.name) == ("CC0 1.0", "")
    assert sample.attribution == "the sample encyclopedia of corefmill"
    assert "the small sample that ships with the project" in sample.says
    assert sample.reader == ReadDump("en")
    assert next(iter(sample.source.units(()))).index == 0
    (path,) = sample.source.paths
    assert from_dump(str(path), "en", data_dir=tmp_path).licence == "CC0 1.0"


@pytest.mark.parametrize("lang", sorted(path.stem for path in SAMPLES.glob("??.xml")))
def test_each_language_of_the_samples_has_articles_and_tales(tmp_path: Path, lang: str) -> None:
    (path,) = from_dump("auto", lang, data_dir=tmp_path).source.paths
    assert path == SAMPLES / f"{lang}.xml"
    tales = from_dump("auto", lang, data_dir=tmp_path, sample=ShippedSample.tales)
    assert list(tales.source.paths) == [SAMPLES / "tales" / f"{lang}.txt"]
    assert tales.licence == "CC0 1.0"


@pytest.mark.parametrize("folder", ["dumps", "sample"])
def test_a_dump_is_wikipedias_even_in_a_folder_called_sample(tmp_path: Path, folder: str) -> None:
    """Its licence was given as that of our own sample, CC0."""
    path = tmp_path / folder / "enwiki-20200101-pages-articles.xml"
    path.parent.mkdir()
    path.write_bytes(dump([page("Ada")]))
    found = from_dump(str(path), "en", data_dir=tmp_path)
    assert found.licence == "CC BY-SA 4.0"
    assert found.attribution == f"Wikipedia (en), its authors; from {path.name}"
    assert found.says == f"reading {path}"


def test_texts_are_called_by_their_folder_or_file(tmp_path: Path) -> None:
    (tmp_path / "novels" / "old").mkdir(parents=True)
    for name in ("Emma.1815.txt", "old/Clarissa.txt"):
        (tmp_path / "novels" / name).write_text("One.")
    assert from_text([str(tmp_path / "novels")]).name == "novels"
    assert from_text([str(tmp_path / "novels" / "*.txt")]).name == "Emma"
    assert from_text([str(tmp_path / "novels" / "old" / "*")]).name == "Clarissa"
