"""Which split the names of a path say, and that every command has the same answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.builders.translate.source_side.source import find_files
from corefmill.corpora import find
from corefmill.corpora.check.checker import Checker
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Document, Sentence, Token
from corefmill.corpora.splits import group_by_split, make_relative, split_of


def documents(path: Path, *words: str) -> Path:
    """A file of one document for each word."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "the quick brown fox jumps over the lazy dog near the river bank and sees a"
    rows = [
        Document(f"x/{word}", 0, "en", (Sentence(tuple(map(Token, [*text.split(), word]))),), ())
        for word in words
    ]
    conll2012.FORMAT.write(path, rows)  # type: ignore[misc]
    return path


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("ontogum.dev.conll", "validation"),
        ("development/data/english/annotations/nw/wsj/00/a.gold_conll", "validation"),
        ("en_gum-corefud-train.conllu", "train"),
        ("training2/a.conll", "train"),
        ("x/test/latest.conll", "test"),
        ("x.val.conll", "validation"),
        ("x.eval.conll", "test"),
        ("dev/x.conll", "validation"),
        ("test/test.conll", "test"),
        ("novel.conll", None),
        ("trained/validated.conll", None),
    ],
)
def test_words_of_names_say_the_split(name: str, split: str | None) -> None:
    assert split_of(Path(name)) == split


@pytest.mark.parametrize("name", ["test/train-station.conll", "train/dev/a.conll"])
def test_names_that_differ_are_refused(name: str) -> None:
    with pytest.raises(
        UsageError, match=r"the path names two splits: .* says .*, the folder .* says "
    ):
        split_of(Path(name))


def test_what_stands_above_the_corpus_says_nothing(tmp_path: Path) -> None:
    top = tmp_path / "test" / "corpus"
    files = [documents(top / split / "a.conll", "a") for split in ("train", "dev")]
    assert make_relative(files[0], [top]) == Path("train/a.conll")
    assert [make_relative(file, files) for file in files] == [
        Path("train/a.conll"),
        Path("dev/a.conll"),
    ]
    assert group_by_split(files, top) == {"train": files[:1], "validation": files[1:]}
    assert make_relative(files[0], files[:1]) == Path("a.conll")
    assert make_relative(top, [top]) == Path("corpus")  # a folder that a format reads whole


@pytest.mark.parametrize(
    "names",
    [
        ("train/a.conll", "dev/a.conll", "test/a.conll"),
        ("x.train.conll", "x.val.conll", "x.eval.conll"),
        ("train/nw/0/a.conll", "valid/bc/b.conll"),
    ],
)
def test_training_checking_and_building_agree(names: tuple[str, ...], tmp_path: Path) -> None:
    files = [documents(tmp_path / name, name) for name in names]
    expected = dict(zip(files, ("train", "validation", "test"), strict=False))
    corpus = find.open_corpus(tmp_path)
    assert list(corpus.splits) == list(expected.values())
    assert {file: split for split, own in corpus.splits.items() for file in own} == expected
    assert {file.path: file.split for file in find_files(tmp_path, "en")} == expected
    checker = Checker()
    list(checker.check([tmp_path]))
    assert checker.splits == expected


def test_no_test_document_is_trained_on(tmp_path: Path) -> None:
    """Where folders are called train, dev and test, a split is not drawn from all of them."""
    for split in ("train", "dev", "test"):
        documents(tmp_path / split / "a.conll", *(f"{split}{number}" for number in range(4)))
    corpus = find.hold_out_validation(find.open_corpus(tmp_path), 0.1, 0)
    assert corpus.held_out is None
    names = {s: [one.doc_id for one in find.records(corpus, s)] for s in ("train", "validation")}  # type: ignore[union-attr]
    assert names["train"] == [f"x/train{number}" for number in range(4)]
    assert names["validation"] == [f"x/dev{number}" for number in range(4)]


def test_check_sees_a_document_in_two_folders(tmp_path: Path) -> None:
    for name in ("train/a.conll", "dev/a.conll"):
        documents(tmp_path / name, "whale")
    found = Checker().check([tmp_path])
    assert sorted(one.code for one in found if one.code[1] == "6") == ["E601", "W602"]
