"""Dumps of several languages as one input."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wec.stages import DumpsInTurn, StagesByLanguage, WikiChunk
from corefmill.builders.wiki.articles import DumpSource
from corefmill.builders.wiki.dump.chunks import Chunk
from corefmill.corpora.errors import DataError
from tests.builders.wiki.dump.dump_writer import dump, some_pages

LOADED: list[str] = []


def sources(folder: Path) -> dict[str, DumpSource]:
    made = {}
    for lang in ("en", "it"):
        path = folder / f"{lang}.xml.gz"  # which has no windows: it is cut where this test wants
        content = dump(some_pages(6)).replace(b'lang="en"', f'lang="{lang}"'.encode())
        path.write_bytes(gzip.compress(content))
        made[lang] = DumpSource([path], lang).cut_at(700)
    return made


def test_small_dumps_are_worth_one_worker_together(tmp_path: Path) -> None:
    paths = {lang: tmp_path / f"{lang}.xml" for lang in ("en", "it")}
    for path in paths.values():
        path.write_bytes(dump(some_pages(6)))
    small = {lang: DumpSource([path], lang) for lang, path in paths.items()}
    assert DumpsInTurn(small).most_workers == 1
    assert DumpsInTurn(sources(tmp_path)).most_workers > 4  # nobody knows how large they are


def test_units_are_numbered_through(tmp_path: Path) -> None:
    made = sources(tmp_path)
    several = DumpsInTurn(made, [tmp_path / "links.tsv"])
    units = list(several.units(()))
    assert [unit.index for unit in units] == list(range(len(units)))
    assert [unit.payload.lang for unit in units] == ["en"] * 3 + ["it"] * 3
    assert several.paths == [tmp_path / name for name in ("en.xml.gz", "it.xml.gz", "links.tsv")]
    progress = several.progress()
    assert progress is not None and progress.done == progress.total


def test_what_is_skipped_keeps_its_number(tmp_path: Path) -> None:
    units = list(DumpsInTurn(sources(tmp_path)).units({1, 4}))
    assert [unit.index for unit in units if unit.payload is None] == [1, 4]
    assert units[4].digest == list(DumpsInTurn(sources(tmp_path)).units(()))[4].digest


def test_a_dump_that_is_cut_off_does_not_keep_others_from_being_read(tmp_path: Path) -> None:
    made = sources(tmp_path)
    whole = gzip.decompress((tmp_path / "en.xml.gz").read_bytes())
    (tmp_path / "en.xml.gz").write_bytes(gzip.compress(whole[:-300]))
    read = []
    with pytest.raises(DataError, match=r"en\.xml\.gz"):
        for unit in DumpsInTurn(made).units(()):
            read.append(unit.payload.lang)  # noqa: PERF401 - up to the error
    assert read.count("it") == 3 and "en" in read


def stages_of(lang: str) -> list[Stage]:
    LOADED.append(lang)

    def counted(payloads: Iterator[Chunk], context: Context) -> Iterator[Out]:
        for chunk in payloads:
            yield Out("pages", {"lang": lang, "pages": chunk.pages})

    return [counted]


def test_a_worker_holds_the_stages_of_one_language(tmp_path: Path) -> None:
    LOADED.clear()
    stage = StagesByLanguage({lang: partial(stages_of, lang) for lang in ("en", "it")})
    assert not LOADED
    found = []
    for unit in DumpsInTurn(sources(tmp_path)).units(()):
        assert isinstance(unit.payload, WikiChunk)
        found += stage(iter([unit.payload]), Context(unit.index, 0))
    assert [out.record["lang"] for out in found] == ["en"] * 3 + ["it"] * 3
    assert LOADED == ["en", "it"]
