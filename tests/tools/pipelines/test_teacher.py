"""What the teacher gives: how a word is printed, what stays when labels meet, files of it."""

import importlib
from pathlib import Path

import pytest

from tools.pipelines import taught, teacher
from tools.pipelines.sources import Sample


def test_ways_to_print_a_word() -> None:
    words = ("12", "cat", "Cat", "CAT", "McCat")
    assert [teacher.print_of(word) for word in words] == [0, 1, 2, 3, 4]


def test_without_torch_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ImportError(name=name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(teacher.TeacherMissing, match=r"needs torch.*pip install torch"):
        teacher.weights()


def test_labels_that_were_given_overrule_the_teachers() -> None:
    text = "Ann Lee met Bo."
    given = Sample(text, ((0, 7, "PER"),), ((12, 14),), ())
    said = Sample(text, ((0, 3, "ORG"), (12, 14, "PER")), ((4, 7),), (0,))
    both = taught.with_given(said, given)
    assert both == Sample(text, ((0, 7, "PER"), (12, 14, "PER")), (), (0,))


def test_what_was_saved_is_read_back(tmp_path: Path) -> None:
    sample = Sample("Ann left.", ((0, 3, "PER"),), ((4, 8),), (0,))
    taught.save({"dump": [sample], "gum": []}, tmp_path / "labelled")
    assert taught.load(tmp_path / "labelled") == {"dump": [sample], "gum": []}
    assert [path.name for path in tmp_path.iterdir()] == ["labelled"]
