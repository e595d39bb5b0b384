"""Records that a build left out, of whatever shape its builder kept of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corefmill.corpora.errors import DataError, UsageError
from corefmill.show.corpus import count_rejects, read_rejects, strings
from corefmill.show.views import RecordView, view_reject
from tests.corefmill.show.shown import built


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


@pytest.mark.parametrize("text", ["[]", '{"a": 1}', '{"a": {"b": "c"}}', '{"a": {"b": -1}}', "{"])
def test_counts_that_are_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "rejects.json").write_text(text)
    with pytest.raises(DataError, match=r"rejects\.json"):
        count_rejects(tmp_path)


def test_what_was_kept_is_read_by_reason(tmp_path: Path) -> None:
    folder = built(tmp_path / "out")
    assert [name for name, _ in read_rejects(folder)] == [
        "quoted",
        "quoted",
        "too_long",
        "uncounted",
    ]
    assert [record["title"] for _, record in read_rejects(folder, "quoted")] == ["A wall", "B"]
    with pytest.raises(UsageError, match=r"nothing was left out for 'qoted' .*quoted 2"):
        next(read_rejects(folder, "qoted"))
    (folder / "rejects.jsonl").write_text('{"reason": 1, "record": {}}\n')
    with pytest.raises(DataError, match=r"rejects\.jsonl:1: no reason and record"):
        next(read_rejects(folder))
    (folder / "rejects.jsonl").unlink()
    with pytest.raises(UsageError, match="build the corpus with --keep-rejects"):
        next(read_rejects(folder))


def test_a_record_of_the_corpus_is_shown_as_one(tmp_path: Path) -> None:
    folder = built(tmp_path / "out")
    ((_, record),) = read_rejects(folder, "too_long")
    view = shown_reject(record)
    assert (view.id, view.reason, marked_words(view)) == ("e0", "why", ["Ann", "Ann", "Bob"])


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
        ("x", '"x"'),
        ([1], "[1]"),
        ({"text": 7}, '{"text": 7}'),
        ({"words": ["a", "b"], "part": "p"}, "a b"),
        ({"text": "ab", "start": -1, "end": 1}, "ab"),
        ({"text": "ab", "start": 1, "end": 9, "pronoun": ["a", None]}, "ab"),
        ({"lang": "en", "text": "ab"}, "ab"),
    ],
)
def test_anything_else_is_shown_as_it_is(record: Any, text: str) -> None:
    view = shown_reject(record)
    assert (view.rows[0].text.text, marked_words(view)) == (text, [])


def test_all_strings_are_searched() -> None:
    assert sorted(strings({"a": ["b", {"c": "d"}], "e": 1})) == ["b", "d"]
