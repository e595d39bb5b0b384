"""13-grams and near-duplicates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from corefmill.builders.overlap.run import Shards, Signatures, copy_query, copy_words, scan
from corefmill.builders.run.stages import Context

LONG = "Ann called Eve at noon because she had not heard from her for a whole week."


def found(tmp_path: Path, item: str, *paragraphs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What a file of these paragraphs has of one item, by kind."""
    path = tmp_path / "00000.paragraphs.jsonl"
    records = [{"title": "book", "sentences": list(one)} for one in paragraphs]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    outs = scan(copy_query([item]), iter([path]), Context(0, 0))
    return {str(out.record["kind"]): dict(out.record) for out in outs}


def test_negation_is_one_word_however_it_is_spelt() -> None:
    assert copy_words("couldn't") == copy_words("could n’t") == copy_words("could not")


def test_words_of_copies_have_no_signs_of_emphasis_and_an_end() -> None:
    assert copy_words("_Ann_ said: “l'été” 彼は " + "b" * 200) == [
        *("ann", "said", "l", "été", "彼", "は"),
        "b" * 128,
    ]


def test_thirteen_words_in_a_row_are_a_copy(tmp_path: Path) -> None:
    told = found(tmp_path, LONG, ["No.", f"He said: {LONG[:-12]} month."])
    assert told["gram"]["value"] == 13
    assert told["gram"]["sentence"].startswith("He said")


def test_twelve_are_not(tmp_path: Path) -> None:
    words = LONG.split()
    assert "gram" not in found(tmp_path, LONG, [" ".join(words[:12]), " ".join(words[13:])])


def test_a_run_may_cross_sentences_but_no_paragraphs(tmp_path: Path) -> None:
    first, second = LONG[:30], LONG[31:]
    assert "gram" in found(tmp_path, LONG, [first, second])
    assert "gram" not in found(tmp_path, LONG, [first], [second])


def test_of_an_item_of_eight_to_twelve_words_all_must_be_there(tmp_path: Path) -> None:
    eight = "Ann called Eve because she was so ill"
    assert found(tmp_path, eight, [f"Then {eight.lower()}, they say."])["gram"]["value"] == 8
    assert "gram" not in found(tmp_path, eight, [eight.replace("so", "very")])


def test_a_shorter_item_is_not_judged_by_runs(tmp_path: Path) -> None:
    assert "gram" not in found(tmp_path, "Ann saw Eve", ["Ann saw Eve"])


def test_a_near_duplicate_is_told_with_its_similarity(tmp_path: Path) -> None:
    near = found(tmp_path, LONG, ["Nothing of it."], [LONG.replace("Ann", "Anna")])["near"]
    # 70 of 72 shingles of one are among the other's 73.
    assert 0.9 < near["value"] < 1
    assert near["sentence"].startswith("Anna")


def test_a_sentence_less_similar_is_no_duplicate(tmp_path: Path) -> None:
    other = LONG.replace("at noon", "in the evening")
    assert "near" not in found(tmp_path, LONG, [other])


def test_a_file_without_paragraphs_has_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, LONG) == {}


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text("abc ", max_size=12), min_size=1, max_size=5))
def test_a_text_has_the_same_signature_among_others(texts: list[str]) -> None:
    together = Signatures(texts)
    for number, text in enumerate(texts):
        alone = Signatures([text])
        assert (alone.bands[0] == together.bands[number]).all()
        assert alone.shingles(0) == together.shingles(number)


def test_shingles_are_those_of_the_text_alone() -> None:
    one, other = Signatures(["abcdef", "abcdefg"]), Signatures(["abcdefg"])
    # bcdef, cdefg ... and what ends in padding: all but those that begin with the first letters.
    assert len(one.shingles(0)) == 6
    assert len(one.shingles(0) & other.shingles(0)) == 2  # abcde, bcdef


def test_files_are_units(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    source = Shards([path])
    assert [unit.payload for unit in source.units(())] == [path]
    assert [unit.payload for unit in source.units((0,))] == [None]
    assert source.progress().total == 1
