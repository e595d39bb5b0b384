"""Pipelines that anyone may have made are loaded guarded; words and sentences come by rules too."""

from __future__ import annotations

import io
import os
import pickle
import sys
from pathlib import Path

import pytest

from corefmill.builders.nlp import load_pipeline, load_wiki_pipeline
from corefmill.builders.nlp.backend import guard_loading
from corefmill.corpora.files.errors import UsageError


class Evil:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


def test_torch_reads_no_pickle_even_where_it_is_asked_to(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra train")
    torch.save({"vocab": Evil(tmp_path / "ran")}, tmp_path / "vectors.pt")
    with guard_loading(), pytest.raises(pickle.UnpicklingError):
        torch.load(tmp_path / "vectors.pt", weights_only=False)
    assert not (tmp_path / "ran").exists()


def test_a_question_has_no_answer_and_all_is_as_before_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    before = dict(os.environ)
    with pytest.raises(EOFError), guard_loading():
        input()
    assert dict(os.environ) == before
    assert input() == "y"


@pytest.mark.parametrize(
    ("lang", "text", "count"),
    [
        ("ro", "A venit ieri. Apoi a plecat.", 2),
        ("ro", "I. L. Vesk a venit pe 3. Mai. Apoi a plecat!", 2),
        ("he", "הוא בא. אחר כך הלך.", 2),
        ("hi", "वह आया। फिर वह गया।", 2),
        ("xx-none", "Vesk. Dorn.", 2),
    ],
)
def test_sentences(lang: str, text: str, count: int) -> None:
    (found,) = load_wiki_pipeline("wiki", lang).full([text])
    assert len(found.sentences) == count
    assert not (found.entities or found.upos or found.head)
    assert "".join(text[a:b] for a, b in found.tokens) == text.replace(" ", "")


def test_it_says_what_it_cannot_do() -> None:
    backend = load_wiki_pipeline("wiki", "ro")
    assert backend.does == ("sentences",)
    assert "without a model" in backend.version


def test_a_text_without_a_wiki_is_refused() -> None:
    with pytest.raises(UsageError, match="reads no other text") as caught:
        load_pipeline("wiki", "ro")
    assert "build wikicrem" in str(caught.value)
