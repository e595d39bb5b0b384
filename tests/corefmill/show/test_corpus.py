"""Which records are shown, and which of them are drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats.registry import get_format
from corefmill.show.corpus import (
    RecordFilter,
    ShownCorpus,
    count_rejects,
    open_corpus,
    read_rejects,
)
from corefmill.show.marks import RecordView
from corefmill.show.views import view_reject
from tests.corefmill.show.shown import ITALIAN, built
from tests.corpora.test_records import EVENT, EXAMPLE


def kept(corpus: ShownCorpus, **wanted: Any) -> list[str]:
    one = RecordFilter(**wanted)
    one.check(corpus)
    return [
        getattr(placed.record, "id", "") or placed.split
        for placed in corpus.records()
        if one.keeps(placed)
    ]


def test_a_corpus_that_was_built_is_read_by_its_manifest(tmp_path: Path) -> None:
    corpus = open_corpus(str(built(tmp_path / "out")), None, None, tmp_path)
    assert (corpus.name, corpus.schema, corpus.splits) == (
        "out",
        "masked-example/1",
        ["train", "validation"],
    )
    assert corpus.built_folder() == tmp_path / "out"
    assert kept(corpus) == ["e1", "e2", "e3", "e0"]
    assert kept(corpus, split="dev") == ["e0"]
    assert kept(corpus, ids=("e2", "e0")) == ["e2", "e0"]
    assert kept(corpus, source="ARTICLE 3") == ["e3"]
    assert kept(corpus, search="LEFT 2") == ["e2"]
    assert kept(corpus, cluster="bob", source="3", split="train") == ["e3"]
    assert kept(corpus, cluster="bo") == []
    with pytest.raises(UsageError, match=r"no test split \(there are train, validation\)"):
        kept(corpus, split="test")


def test_a_folder_and_a_file_of_any_format(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    jsonl.write(folder / "dev.jsonl", [EVENT])
    jsonl.write(folder / "test.jsonl", [replace(EVENT, id="2", cluster="8")])
    corpus = open_corpus(str(folder), None, None, tmp_path)
    assert kept(corpus, split="test") == kept(corpus, cluster="8") == ["2"]
    own = replace(EVENT, meta={"split": "dev"})
    jsonl.write(folder / "all.jsonl", [own, EVENT])
    corpus = open_corpus(str(folder / "all.jsonl"), get_format("native-events"), None, tmp_path)
    assert [one.split for one in corpus.records()] == ["validation", ""]
    with pytest.raises(UsageError, match="has no manifest of a build"):
        corpus.built_folder()


def test_documents_are_found_by_their_words(tmp_path: Path) -> None:
    jsonl.write(tmp_path / "train.jsonl", [ITALIAN])
    corpus = open_corpus(str(tmp_path), None, None, tmp_path)
    for wanted in (
        {"cluster": "LA CASA"},
        {"search": "dalla casa"},
        {"search": "from the house"},
        {"ids": ("tale",)},
        {"source": "tal"},
    ):
        assert kept(corpus, **wanted) == ["train"]
    assert kept(corpus, search="da la") == []


def test_what_cannot_be_shown(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file or folder"):
        open_corpus(str(tmp_path / "a" / "b"), None, None, tmp_path)
    jsonl.write(tmp_path / "a.jsonl", [EVENT])
    jsonl.write(tmp_path / "b.jsonl", [EXAMPLE])
    with pytest.raises(UsageError, match="several kinds: event-mention/1, masked-example/1"):
        _ = open_corpus(str(tmp_path), None, None, tmp_path).schema
    broken = replace(ITALIAN, meta={"ontocorefit": {"utterances": 3}})
    jsonl.write(tmp_path / "c.jsonl", [ITALIAN, broken])
    *_, last = open_corpus(str(tmp_path / "c.jsonl"), None, None, tmp_path).records()
    with pytest.raises(DataError, match=r"c\.jsonl:2: document tale"):
        last.view(99)


def test_options_that_rejects_do_not_have() -> None:
    for wanted in ({"split": "x"}, {"ids": ("x",)}, {"cluster": "x"}):
        with pytest.raises(UsageError, match="does not work with --reason"):
            RecordFilter(**wanted).check_rejects()  # type: ignore[arg-type]
    both = RecordFilter(source="wall", search="ANN")
    both.check_rejects()
    assert both.keeps_rejected({"title": "A Wall", "text": "Ann"})
    assert not both.keeps_rejected({"title": "A Wall", "text": "Bob"})
    assert not both.keeps_rejected({"title": 3, "text": "Ann"})
    assert not both.keeps_rejected(None)


def shown_reject(record: Any) -> RecordView:
    return view_reject("why", record, "masked-example/1")


def marked_words(view: RecordView) -> list[str]:
    text = view.rows[0].text
    return [text.text[start:end] for mark in text.marks for start, end in mark.parts]


def test_counts_are_by_reason_and_those_of_a_translation_by_dataset(tmp_path: Path) -> None:
    (tmp_path / "rejects.json").write_text(
        '{"draft": {"a": 1, "b": 2}, "corpus": {"a": 3}, "beta2 mentions": {"verb": 5}}'
    )
    counts = count_rejects(tmp_path)
    assert list(counts.items()) == [("beta2.mentions.verb", 5), ("a", 4), ("b", 2)]
    assert count_rejects(tmp_path / "nowhere") == {}


def test_what_was_kept_is_read_by_reason(tmp_path: Path) -> None:
    folder = built(tmp_path / "out")
    assert [record["title"] for _, record in read_rejects(folder, "quoted")] == ["A wall", "B"]
    with pytest.raises(UsageError, match=r"the build rejected no record for 'qoted' .*quoted 2"):
        next(read_rejects(folder, "qoted"))
    (folder / "rejects.jsonl").write_text('{"reason": 1, "record": {}}\n')
    with pytest.raises(DataError, match=r"rejects\.jsonl:1: the line has no reason and record"):
        next(read_rejects(folder, "quoted"))
    (folder / "rejects.jsonl").unlink()
    with pytest.raises(UsageError, match="build the corpus with --keep-rejects"):
        next(read_rejects(folder, "quoted"))


def test_what_a_builder_kept_of_it_is_shown_with_its_mention() -> None:
    view = shown_reject(
        {"title": "T", "text": "Ann left.", "start": 0, "answer": "Ann", "others": ["Bo"]}
    )
    assert (view.source, marked_words(view)) == ("T", ["Ann"])
    assert view.facts == (("answer", "Ann"), ("others", "Bo"))
    assert marked_words(shown_reject({"text": "It is.", "pronoun": [0, 2]})) == ["It"]
    assert marked_words(shown_reject({"text": "a flood", "start": 2, "end": 7})) == ["flood"]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (None, ""),
        ([1], "[1]"),
        ({"text": 7}, '{"text": 7}'),
        ({"words": ["a", "b"], "part": "p"}, "a b"),
        ({"text": "ab", "start": 1, "end": 9, "pronoun": ["a", None]}, "ab"),
        ({"lang": "en", "text": "ab"}, "ab"),
    ],
)
def test_anything_else_is_shown_as_it_is(record: Any, text: str) -> None:
    view = shown_reject(record)
    assert (view.rows[0].text.text, marked_words(view)) == (text, [])
