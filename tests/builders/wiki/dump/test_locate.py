"""Which dump a run reads: named, found, shipped or downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.wiki.dump import locate as module
from corefmill.builders.wiki.dump.locate import locate
from corefmill.corpora.files.errors import DataError


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def names(dump: str, folder: Path, lang: str = "en") -> list[str]:
    return [Path(path).name for path in locate(dump, lang, data_dir=folder).paths]


def test_a_path(tmp_path: Path) -> None:
    make(tmp_path, "a.xml")
    found = locate(str(tmp_path / "a.xml"), "en", data_dir=tmp_path)
    assert found.paths == (tmp_path / "a.xml",) and str(tmp_path / "a.xml") in found.sentence


def test_parts_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    parts = [f"enwiki-20240101-pages-articles{n}.xml-p{n}p{n}.bz2" for n in (1, 2, 10)]
    make(tmp_path, *reversed(parts))
    assert names(str(tmp_path / "enwiki-*.bz2"), tmp_path) == parts
    assert names(str(tmp_path), tmp_path) == parts
    assert names("auto", tmp_path) == parts


def test_auto_takes_the_newest_of_the_language(tmp_path: Path) -> None:
    make(
        tmp_path,
        "enwiki-20230101-pages-articles-multistream.xml.bz2",
        "dumps/enwiki-20240101-pages-articles.xml.bz2",
        "dumps/enwiki-20240101-stub-articles.xml.gz",
        "dumps/enwiki-20240101-pages-meta-history1.xml-p1p2.bz2",
        "itwiki-20250101-pages-articles.xml.bz2",
        "enwikinews-20250101-pages-articles.xml.bz2",
    )
    assert names("auto", tmp_path) == ["enwiki-20240101-pages-articles.xml.bz2"]


def test_auto_prefers_one_file_to_its_parts(tmp_path: Path) -> None:
    whole = "enwiki-20240101-pages-articles-multistream.xml.bz2"
    make(tmp_path, whole, "enwiki-20240101-pages-articles-multistream1.xml-p1p9.bz2")
    assert names("auto", tmp_path) == [whole]


def test_auto_falls_back_to_the_sample_and_says_so(tmp_path: Path) -> None:
    found = locate("auto", "en", data_dir=tmp_path)
    assert [Path(path).name for path in found.paths] == ["en.xml"]
    assert f"no dump of en below {tmp_path}" in found.sentence and "sample" in found.sentence
    assert names("sample", tmp_path) == ["en.xml"]


def test_a_language_without_a_sample_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no sample of qya .*--dump latest"):
        locate("auto", "qya", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("dump", "date", "asked"),
    [
        ("latest", None, "latest"),
        ("latest", "20240101", "20240101"),
        ("auto", "20240101", "20240101"),
    ],
)
def test_only_latest_or_a_date_downloads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dump: str, date: str | None, asked: str
) -> None:
    calls: list[tuple[str, str]] = []

    def fake(lang: str, data_dir: Path, *, date: str, base_url: str, quiet: bool) -> Path:
        calls.append((date, base_url))
        return data_dir / "fetched.xml.bz2"

    monkeypatch.setattr(module, "download", fake)
    found = locate(dump, "en", data_dir=tmp_path, date=date, base_url="http://mirror")
    assert found.paths == (tmp_path / "fetched.xml.bz2",)
    assert calls == [(asked, "http://mirror")]
