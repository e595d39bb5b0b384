"""An index on disk gives what a search of all sentences gives, and survives a kill."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.overlap import index
from corefmill.builders.overlap.index import IndexCard, SentenceIndex
from corefmill.builders.overlap.search import BM25, search
from corefmill.corpora.errors import DataError
from tests.builders.overlap.made import InMemory, indexed, shards
from tests.builders.overlap.test_search import query
from tests.odd_names import ODD

pytest.importorskip("tantivy", reason="needs the extra overlap")


_TEXTS = [
    " ".join(random.Random(number).choices("abcd", k=1 + number % 14)) for number in range(60)
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SentenceIndex:
    return indexed(tmp_path_factory.mktemp("index"), _TEXTS)


@settings(deadline=None, max_examples=25)
@given(
    phrase=st.lists(st.sampled_from("abcde"), min_size=1, max_size=4).map(" ".join),
    slop=st.integers(1, 10),
    needs=st.booleans(),
)
def test_an_index_finds_what_a_search_of_all_finds(
    made: SentenceIndex, phrase: str, slop: int, needs: bool
) -> None:
    asked = query(phrase, "d f", slop, needs)
    assert search(made, asked, BM25(), 100) == search(InMemory(_TEXTS), asked, BM25(), 100)


FILES = [[["a b"], ["c", "d"]], [["a c"]], [["b c", "a"]]]
ABOUT = IndexCard("clean", sentences=6, words=9)


def _raises_at(limit: int) -> Callable[[int], None]:
    seen = 0

    def tell(number: int) -> None:
        nonlocal seen
        seen += number
        if seen >= limit:
            raise KeyboardInterrupt

    return tell


def test_an_index_goes_on_behind_the_last_shard_that_was_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_COMMIT", 1)
    made = shards(tmp_path, *FILES)
    with pytest.raises(KeyboardInterrupt):
        index.build(tmp_path, made, ABOUT, _raises_at(4))
    assert index.card(tmp_path) is None
    told: list[int] = []
    index.build(tmp_path, made, ABOUT, told.append)
    assert told == [3, 1, 2]  # the first file was committed before the kill
    assert search(SentenceIndex(tmp_path, made), query("a"), BM25(), 9).number == 3


def test_what_is_no_index_is_made_anew(tmp_path: Path) -> None:
    made = shards(tmp_path, *FILES)
    (tmp_path / "tantivy").mkdir()
    (tmp_path / "tantivy" / "meta.json").write_text("{")
    index.build(tmp_path, made, ABOUT, lambda number: None)
    assert SentenceIndex(tmp_path, made).sentences == 6


def test_a_shard_with_other_sentences_than_it_says_is_refused(tmp_path: Path) -> None:
    made = shards(tmp_path, *FILES)
    made[1].path.write_text("")
    with pytest.raises(DataError, match="0 sentences, and not 1"):
        index.build(tmp_path, made, ABOUT, lambda number: None)


def test_an_unfinished_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no finished index"):
        SentenceIndex(tmp_path, [])


def test_an_index_that_lost_its_files_is_refused(tmp_path: Path) -> None:
    indexed(tmp_path, ["a b"])
    shutil.rmtree(tmp_path / "tantivy")
    with pytest.raises(DataError, match="broken"):
        SentenceIndex(tmp_path, [])


def test_words_that_were_cut_off_are_refused(tmp_path: Path) -> None:
    indexed(tmp_path, ["a b"])
    (tmp_path / "words.u32").write_bytes(b"")
    with pytest.raises(DataError, match="not the 8 bytes"):
        SentenceIndex(tmp_path, [])


@pytest.mark.parametrize("ends", [(0, 3, 2, 4), (1, 2, 3, 4), (0, 2, 3, 5)])
def test_ends_of_sentences_that_cannot_be_are_refused(tmp_path: Path, ends: list[int]) -> None:
    indexed(tmp_path, ["a b", "c", "d"])
    (tmp_path / "ends.u64").write_bytes(b"".join(end.to_bytes(8, "little") for end in ends))
    with pytest.raises(DataError, match="not where sentences end"):
        SentenceIndex(tmp_path, [])


def test_a_text_that_has_gone_is_an_error(tmp_path: Path) -> None:
    made = indexed(tmp_path, ["a b"])
    (tmp_path / "00000.paragraphs.jsonl").write_text("")
    with pytest.raises(DataError, match="broken"):
        search(made, query("a"), BM25(), 1)


def test_what_was_written_without_being_committed_is_cut_off(tmp_path: Path) -> None:
    made = shards(tmp_path, *FILES)
    for name in ("words.u32", "ends.u64", "places.u64"):
        (tmp_path / name).write_bytes(bytes(999))
    index.build(tmp_path, made, ABOUT, lambda number: None)
    assert SentenceIndex(tmp_path, made).text(5) == ("book", "a")


@pytest.mark.parametrize("name", ODD, ids=repr)
def test_a_folder_of_any_name_holds_an_index(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert indexed(tmp_path / name, ["a b", "c"]).about.sentences == 2
