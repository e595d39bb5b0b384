"""Which files are read as which split, and what a source of documents refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.translate.source_side.source import (
    DocumentSource,
    File,
    find_all,
    find_files,
    list_unread,
)
from corefmill.corpora import catalogue
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats import conll2012
from tests.builders.translate.conll import NEWS, TALK


def source(*texts: tuple[str, str], folder: Path) -> DocumentSource:
    files = []
    for number, (split, text) in enumerate(texts):
        path = folder / f"{number}.conll"
        path.write_text(text, encoding="utf-8")
        files.append(File(path, split, conll2012.FORMAT))
    return DocumentSource(files, "en")


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train.english.conll", "train"), ("x.val.conll", "validation"),
        ("x.eval.conll", "test"), ("novel.conll", "train"),
    ],
)  # fmt: skip
def test_the_name_of_a_single_file_says_its_split(name: str, split: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(NEWS)
    assert [file.split for file in find_files(tmp_path / name, "en")] == [split]


def test_files_of_no_split_are_training_data_unless_others_are_called_test(tmp_path: Path) -> None:
    for name in ("a.conll", "b.conll"):
        (tmp_path / name).write_text(NEWS)
    assert [file.split for file in find_files(tmp_path, "en")] == ["train", "train"]
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "c.conll").write_text(NEWS)
    with pytest.raises(UsageError, match=r"a\.conll is of no split \(2 of 3 files\).*called test"):
        find_files(tmp_path, "en")


def test_ontonotes_tree_is_read_by_the_catalogue_gold_files_alone(tmp_path: Path) -> None:
    for split in ("train", "development"):
        folder = tmp_path / split / "data" / "english" / "annotations" / "nw"
        folder.mkdir(parents=True)
        (folder / "a.v4_gold_conll").write_text(NEWS)
        (folder / "a.v4_auto_conll").write_text(NEWS)
    found = find_files(tmp_path, "en")
    names = [(file.path.name, file.split) for file in found]
    assert names == [("a.v4_gold_conll", "train"), ("a.v4_gold_conll", "validation")]
    assert "ontonotes" in catalogue.entries()
    others = list_unread([str(tmp_path)], found)
    assert [path.name for path in others] == ["a.v4_auto_conll"] * 2


def test_beside_a_known_corpus_others_are_left_out_and_named(tmp_path: Path) -> None:
    for name in ("ontogum.train.conll", "ontogum.dev.conll", "1_x_brat.conll"):
        (tmp_path / name).write_text(NEWS)
    (tmp_path / "notes.txt").write_text("none")
    names = [str(tmp_path)]
    found = find_files(tmp_path, "en")
    assert [file.path.name for file in found] == ["ontogum.train.conll", "ontogum.dev.conll"]
    assert list_unread(names, found) == [tmp_path / "1_x_brat.conll"]
    # Patterns and paths together take all of them, each once.
    names = [f"{tmp_path}/*_brat.conll", str(tmp_path), f"{tmp_path}/ontogum*"]
    every = find_all(names, "en")
    assert [file.path.name for file in every] == [
        *("1_x_brat.conll", "ontogum.train.conll", "ontogum.dev.conll")
    ]
    assert [file.split for file in every] == ["train", "train", "validation"]
    assert list_unread(names, every) == []


def test_units_hold_whole_documents_in_the_order_of_the_splits(tmp_path: Path) -> None:
    given = source(("validation", NEWS), ("train", TALK), folder=tmp_path)
    (unit,) = given.units(skip=())
    assert [(split, d.doc_id, d.part) for split, d in unit.payload] == [
        ("train", "bc/own/00/own_0002", 0),
        ("train", "bc/own/00/own_0002", 1),
        ("validation", "nw/own/00/own_0001", 0),
    ]
    (skipped,) = given.units(skip={0})
    assert skipped.payload is None
    assert skipped.digest == unit.digest
    progress = given.progress()
    assert progress.done == progress.total


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([NEWS, NEWS], "part 0 of nw/own/00/own_0001 occurs twice"),
        ([NEWS + TALK + NEWS.replace("part 000", "part 001")],
         "the parts of nw/own/00/own_0001 do not stand together"),
        ([NEWS.replace("(7", "(7(", 1)], "0.conll:5"),
        ([NEWS[:-20]], "cut off within a document"),
        ([NEWS.replace("Lora", "Lor\0a")], "0.conll:2"),
    ],
)  # fmt: skip
def test_what_is_refused_names_file_and_line(
    texts: list[str], message: str, tmp_path: Path
) -> None:
    given = source(*(("train", text) for text in texts), folder=tmp_path)
    with pytest.raises(DataError, match=r"\.conll:\d+: ") as caught:
        list(given.units(skip=()))
    assert message in str(caught.value)


def test_another_language_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"doc_id":"d","part":0,"lang":"it","sentences":[],"clusters":[]}\n')
    with pytest.raises(DataError, match="language 'it', not 'en'"):
        list(DocumentSource(find_files(path, "en"), "en").units(skip=()))


def test_what_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        find_files(tmp_path / "nothing", "en")
    with pytest.raises(DataError, match="no file in this folder is of a known format"):
        find_files(tmp_path, "en")
    masked = tmp_path / "a.tsv"
    masked.write_text(
        "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    )
    with pytest.raises(UsageError, match=r"holds masked-example/1 \(gap\)"):
        find_files(masked, "en")
