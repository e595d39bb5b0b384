from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from builders.translation.cache import FILE, cached
from corpora.errors import DataError


class Upper:
    """Counts what it is asked, and dies at `bad`."""

    name, source, target = "upper", "en", "it"

    def __init__(self, fingerprint: str = "upper 1") -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def translate(self, texts: Sequence[str]) -> list[str]:
        if "bad" in texts:
            raise DataError("dead")
        self.asked += texts
        return [text.upper() for text in texts]


def test_what_is_known_is_not_asked_again(tmp_path: Path) -> None:
    first = Upper()
    translator = cached(first, tmp_path / "cache")
    assert translator.translate(["a", "b", "a", ""]) == ["A", "B", "A", ""]
    assert first.asked == ["a", "b", ""]
    second = Upper()
    again = cached(second, tmp_path / "cache")
    assert again.translate(["b", "c", "a\ud800"]) == ["B", "C", "A"]
    assert second.asked == ["c"]
    assert (again.name, again.fingerprint) == ("upper", "upper 1")
    assert translator.translate([]) == []


def test_what_was_done_before_a_failure_is_kept(tmp_path: Path) -> None:
    texts = [str(number) for number in range(200)]
    first = Upper()
    with pytest.raises(DataError, match="dead"):
        cached(first, tmp_path).translate([*texts, "bad"])
    second = Upper()
    cached(second, tmp_path).translate(texts)
    assert 0 < len(first.asked) < 200
    assert second.asked == texts[len(first.asked) :]


def test_more_texts_than_one_question_holds(tmp_path: Path) -> None:
    texts = [str(number) for number in range(1200)]
    cached(Upper(), tmp_path).translate(texts)
    second = Upper()
    assert cached(second, tmp_path).translate(texts) == texts
    assert second.asked == []


def test_another_translator_has_its_own_entries(tmp_path: Path) -> None:
    cached(Upper(), tmp_path).translate(["a"])
    other = Upper("upper 2")
    cached(other, tmp_path).translate(["a"])
    assert other.asked == ["a"]


def test_a_fork_opens_the_file_anew(tmp_path: Path) -> None:
    translator = cached(Upper(), tmp_path)
    translator.translate(["a"])
    child = os.fork()
    if child == 0:
        os._exit(0 if translator.translate(["b"]) == ["B"] else 1)
    assert os.waitpid(child, 0)[1] == 0
    other = Upper()
    assert cached(other, tmp_path).translate(["a", "b"]) == ["A", "B"]
    assert other.asked == []


def test_a_broken_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 500)
    with pytest.raises(DataError, match=r"translations\.sqlite3.*delete it"):
        cached(Upper(), tmp_path).translate(["a"])


def test_a_translator_that_answers_less_keeps_nothing(tmp_path: Path) -> None:
    class Short(Upper):
        def translate(self, texts: Sequence[str]) -> list[str]:
            return super().translate(texts)[:-1]

    with pytest.raises(DataError, match="upper gave 1 translations of 2 texts"):
        cached(Short(), tmp_path).translate(["a", "b"])
    other = Upper()
    cached(other, tmp_path).translate(["a", "b"])
    assert other.asked == ["a", "b"]
