"""The rules of docs/architecture.md hold: who may import whom, and how large things may grow."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tools.house import House, imported_names

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.usefixtures("uncollected")

MOST_DOUBLED, MOST_LINES = 8, 600


@pytest.fixture(scope="module")
def house() -> House:
    return House(ROOT)


def test_no_import_leads_upward(house: House) -> None:
    assert not house.upward()


def test_no_circle_of_folders(house: House) -> None:
    assert not house.circles(floors=True)
    # Records, lines and errors lie below the formats, find and convert above them, and the list of
    # languages above the languages: users import all of them from the room itself.
    own = [name for circle in house.circles() for name in circle if name.endswith("/.")]
    assert set(own) <= {"corpora/.", "rules/."}


def test_no_circle_of_files(house: House) -> None:
    assert not house.file_circles()


def test_rooms_are_imported_below_corefmill() -> None:
    rooms = {"builders", "corpora", "rules", "coref_model", "models"}
    folders = [path for path in ROOT.glob("[!.]*/") if (path / "__init__.py").exists()]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        if path.resolve() == path:
            names = imported_names(ast.parse(path.read_text(encoding="utf-8")))
            assert not [name for name, _ in names if name.split(".")[0] in rooms], path
    assert not (ROOT / "models").exists()


def test_no_room_holds_more_than_a_quarter_of_the_code(house: House) -> None:
    assert house.largest()[1] <= 0.25


def test_a_class_name_stands_for_one_thing_unless_the_glossary_says_why(house: House) -> None:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    _, _, table = text.partition("## Names that stand for two classes")
    named = re.findall(r"(?m)^\| `(\w+)` \|", table)
    assert set(house.doubled()) == set(named)
    assert len(named) <= MOST_DOUBLED


def test_no_file_is_too_long(house: House) -> None:
    assert not house.long_files(MOST_LINES)


QUESTIONS = 10
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "rules/README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    made = "reference/"  # pages of the site that are made of the code
    missing = [path for path in linked if not (page.parent / path).exists()]
    assert all(path.startswith(made) for path in missing), missing
    rooms = "builders|corpora|rules|coref_model|corefmill|tools|benchmarks|tests"
    named = re.findall(rf"`((?:{rooms})/[\w./-]*\w/?)`", text)
    assert not [
        path for path in named if not re.search("LANG|NAME", path) and not (ROOT / path).exists()
    ]


def test_a_newcomers_questions_are_answered() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    asked = re.findall(r"^\| ([^|]+\?) \| (`.+`) \|$", text, re.MULTILINE)
    assert len(asked) >= QUESTIONS
    for question, answers in asked:
        assert all((ROOT / path).exists() for path in re.findall(r"`([^`]+)`", answers)), question


def test_a_long_import_is_no_passage_that_stands_twice(tmp_path: Path) -> None:
    names = "\n".join(f"    name{number}," for number in range(8))
    for name in ("a", "b"):
        (tmp_path / "corpora").mkdir(exist_ok=True)
        (tmp_path / f"corpora/{name}.py").write_text(f"from x.{name} import (\n{names}\n)\n")
    assert House(tmp_path).repeated() == 0
    for name in ("a", "b"):
        (tmp_path / f"corpora/{name}.py").write_text(f"{name} = (\n{names}\n)\n")
    assert House(tmp_path).repeated() == 1


def test_an_import_inside_a_function_counts(tmp_path: Path) -> None:
    for name, text in {
        "corpora/a.py": "def f():\n    from corefmill.builders.runner.b import c\n",
        "builders/runner/b.py": "import corefmill.corpora.a\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "corefmill").mkdir()
    for room in ("builders", "corpora"):
        (tmp_path / "corefmill" / room).symlink_to(f"../{room}")
    house = House(tmp_path)
    assert [(one.source, one.line) for one in house.upward()] == [("corpora/a.py", 2)]
    assert house.circles() == [("builders", "corpora")]
    assert house.file_circles() == [["builders/runner/b.py", "corpora/a.py"]]
