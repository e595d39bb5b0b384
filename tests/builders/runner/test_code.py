"""What a change of code means for a build that is half done."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import corefmill
from corefmill.builders.runner.code import _reached, code_of

PACKAGE = {
    "__init__.py": "",
    "build.py": 'from mill.rooms import one\n\nLIMIT = 3\n"""Of what."""\n',
    "rooms/__init__.py": "",
    "rooms/one.py": 'def f(x):\n    """Says."""\n    from mill import late\n    return late.g(x)\n',
    "late.py": "def g(x):\n    return x  # as it is\n",
    "other.py": "A = 1\n",
    "rooms/tables/it.toml": "a = 1\n",
    "notes.md": "",
}


@pytest.fixture
def mill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PACKAGE.items():
        path = tmp_path / "mill" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path / "mill"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("build.py", 'from mill.rooms import one\nLIMIT = 3\n"""Of something else."""\n'),
        ("build.py", "from mill.rooms import (\n    one,\n)\n\n\nLIMIT = (3)  # three\n"),
        (
            "rooms/one.py",
            "def f(x):\n    from mill import late\n    return late.g(\n        x,\n    )\n",
        ),
        ("late.py", 'def g(x):\n    """Hands on."""\n    return x\n'),
        ("other.py", "A = 2\n"),
        ("new.py", "B = 1\n"),
        ("notes.md", "new"),
    ],
)
def test_what_changes_no_meaning_of_what_is_imported_keeps_it(
    mill: Path, name: str, text: str
) -> None:
    first = code_of("mill.build")
    (mill / name).write_text(text, "utf-8")
    assert code_of("mill.build") == first


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("build.py", "from mill.rooms import one\n\nLIMIT = 4\n"),
        ("build.py", "from mill.rooms import one, late\n\nLIMIT = 3\n"),
        ("rooms/__init__.py", "import sys\n"),
        ("late.py", "def g(x):\n    return -x\n"),
        ("rooms/tables/it.toml", "a = 2\n"),
        ("rooms/tables/es.toml", "a = 1\n"),
    ],
)
def test_another_meaning_is_another_build(mill: Path, name: str, text: str) -> None:
    first = code_of("mill.build")
    (mill / name).write_text(text, "utf-8")
    assert code_of("mill.build")["source"] != first["source"]


def test_a_module_that_is_not_there_is_named(mill: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"mill\.bulid"):
        code_of("mill.bulid")
    with pytest.raises(ModuleNotFoundError, match="no package 'mull'"):
        code_of("mull.build")


def test_one_builder_does_not_depend_on_another_or_on_the_command_line() -> None:
    reached = _reached("corefmill.builders.wikicrem.build", Path(corefmill.__file__).parent)
    assert "corefmill.corpora.jsonl" in reached
    assert "corefmill.builders.nlp.stanza_backend" in reached
    others = ("wec", "knowref", "wikirand", "translate", "overlap", "translation")
    assert not [
        n for n in reached if n.startswith(tuple(f"corefmill.builders.{o}" for o in others))
    ]
    assert not [n for n in reached if n.startswith(("corefmill.cli", "corefmill.coref_model"))]
