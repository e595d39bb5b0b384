"""The rules of docs/architecture.md hold: who may import whom, and how large things may grow."""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path, PurePosixPath
from types import CodeType, FrameType

import pytest

from tests.commands import command, one_core

ROOT = Path(__file__).parents[1]
ROOMS = ("corpora", "rules", "builders", "coref_model", "corefmill")
BESIDE = ("tools", "benchmarks")
MOST_LINES = 800
GROUND = ("corpora/files",)
"""Folders that lie below the files beside them."""
MOST_SINGLE_IMPORTERS = 47
MOST_FILES_OF_A_BUILD = 77

LEVELS: Mapping[str, int] = {
    "corpora": 0,
    "rules": 1,
    "coref_model": 1,
    "builders/.": 2,
    "builders/run": 2,
    "builders/services": 2,
    "builders/wiki": 3,
    "builders/sources": 4,
    "builders/nlp": 5,
    "builders/persons": 7,
    "builders/corpus": 8,
    **dict.fromkeys((f"builders/{one}" for one in ("wikicrem", "wikirand", "knowref")), 9),
    **dict.fromkeys((f"builders/{one}" for one in ("wec", "translate", "chains")), 9),
    "builders/overlap": 10,
    "corefmill": 11,
    "tools": 12,
    "benchmarks": 13,
}
"""The floor of each room; a room imports itself and lower floors only."""
APART = {frozenset(pair) for pair in (("builders", "coref_model"), ("rules", "coref_model"))}
"""Rooms that never import each other, in either direction."""


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module of the project: paths from the root of the checkout."""

    source: str
    target: str
    line: int


class House:
    """The code of this checkout, parsed once."""

    def __init__(self) -> None:
        self.trees: dict[str, ast.Module] = {}
        self.lines: dict[str, int] = {}
        for path in (path for room in (*ROOMS, *BESIDE) for path in (ROOT / room).rglob("*.py")):
            if path.resolve() == path:
                name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
                self.trees[name], self.lines[name] = ast.parse(text), text.count("\n")

    @cached_property
    def imports(self) -> list[Import]:
        """All imports of the project's own modules, those inside functions too."""
        return [
            Import(source, target, line)
            for source, tree in self.trees.items()
            for name, line in imported_names(tree)
            if (target := file_of(name)) in self.trees and target != source
        ]

    def graphs(self, *, floors: bool) -> dict[str, dict[str, set[str]]]:
        """The imports between the folders beside each other, by the folder above them.

        Each folder counts with all that it holds. The files that lie directly there count as a
        folder `.`; with `floors` as two, since those that lead to the folders beside them (a
        registry, a finder) stand above these.
        """
        above = self._above() if floors else set()
        edges: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for one in self.imports:
            source, target = _nodes(one.source, above), _nodes(one.target, above)
            if source == target:
                continue
            depth = next(i for i, (a, b) in enumerate(zip(source, target, strict=False)) if a != b)
            edges["/".join(source[:depth])][source[depth]].add(target[depth])
        return edges

    def _above(self) -> set[str]:
        """The files that import a folder beside them, or a file there that does."""
        above: set[str] = set()
        while True:
            more = set()
            for one in self.imports:
                here, there = PurePosixPath(one.source).parent, PurePosixPath(one.target).parent
                leads = here in there.parents and not str(there).startswith(GROUND)
                if leads or (here == there and one.target in above):
                    more.add(one.source)
            if more == above:
                return above
            above = more


@cache
def file_of(dotted: str) -> str:
    """The file that holds the module or the name `dotted`, "" where it is not the project's."""
    parts = dotted.split(".")
    for count in (len(parts), len(parts) - 1):
        path = ROOT.joinpath(*parts[:count])
        for one in (path.with_suffix(".py"), path / "__init__.py"):
            if count and one.is_file():
                return one.resolve().relative_to(ROOT).as_posix()
    return ""


def imported_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The dotted name and the line of each thing that a module imports, wherever it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def room(name: str) -> str:
    """The room of a file: its top folder; in builders/ the folder below."""
    parts = PurePosixPath(name).parts
    return f"builders/{parts[1] if len(parts) > 2 else '.'}" if parts[0] == "builders" else parts[0]


def _nodes(name: str, above: Container[str]) -> tuple[str, ...]:
    return (*PurePosixPath(name).parts[:-1], "." if name not in above else ". above")


@pytest.fixture(scope="module")
def house() -> House:
    return House()


def test_no_import_leads_upward(house: House) -> None:
    def allowed(source: str, target: str) -> bool:
        apart = frozenset((source.split("/")[0], target.split("/")[0])) in APART
        return source == target or (not apart and LEVELS[target] < LEVELS[source])

    found = [one for one in house.imports if not allowed(room(one.source), room(one.target))]
    assert not found


def test_no_circle_of_folders(house: House) -> None:
    for graph in house.graphs(floors=True).values():
        TopologicalSorter(graph).prepare()
    # Records, lines and errors lie below the formats, find and convert above them, and the list of
    # languages above the languages: users import all of them from the room itself.
    for parent, graph in house.graphs(floors=False).items():
        if parent not in ("corpora", "rules"):
            TopologicalSorter(graph).prepare()


def test_no_circle_of_files(house: House) -> None:
    graph = defaultdict(set)
    for one in house.imports:
        graph[one.source].add(one.target)
    TopologicalSorter(graph).prepare()


def test_rooms_are_imported_below_corefmill() -> None:
    rooms = {"builders", "corpora", "rules", "coref_model"}
    # Few files have such a line, and only those are parsed.
    names = "|".join(rooms)
    suspect = re.compile(rf"^\s*(?:from\s+(?:{names})\b|import\s.*(?<![\w.])(?:{names})\b)", re.M)
    folders = [path for path in ROOT.glob("[!.]*/") if (path / "__init__.py").exists()]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        if path.resolve() == path:
            text = path.read_text(encoding="utf-8")
            imports = imported_names(ast.parse(text)) if suspect.search(text) else ()
            assert not [name for name, _ in imports if name.split(".")[0] in rooms], path


def test_no_room_holds_more_than_a_quarter_of_the_code(house: House) -> None:
    counts: Counter[str] = Counter()
    for name, lines in house.lines.items():
        if not name.startswith(BESIDE):
            counts[room(name)] += lines
    assert max(counts.values()) <= 0.25 * counts.total()


def test_a_class_name_stands_for_one_thing(house: House) -> None:
    classes = Counter(
        node.name
        for name, tree in house.trees.items()
        if not name.startswith(BESIDE)
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not {name for name, count in classes.items() if count > 1}


def test_no_file_is_too_long(house: House) -> None:
    assert not {name: lines for name, lines in house.lines.items() if lines > MOST_LINES}


def test_few_modules_have_a_single_importer(house: House) -> None:
    """A module with one importer belongs into it, unless it is a subject such as a format."""
    importers: dict[str, set[str]] = defaultdict(set)
    for one in house.imports:
        if one.source.startswith(ROOMS) and one.target.startswith(ROOMS):
            importers[one.target].add(one.source)
    modules = {name: own for name, own in importers.items() if not name.endswith("__init__.py")}
    modules = {name: own for name, own in modules.items() if own != {"corpora/formats/registry.py"}}
    assert sum(len(own) == 1 for own in modules.values()) <= MOST_SINGLE_IMPORTERS


def test_a_build_runs_through_few_files(tmp_path: Path) -> None:
    """Counts the files in which a function runs, the workers' too: they are in this process."""
    pytest.importorskip("spacy")
    seen: set[CodeType] = set()

    def hook(frame: FrameType, event: str, arg: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    before = sys.getprofile()
    with one_core():
        threading.setprofile(hook)
        sys.setprofile(hook)
        try:
            done = command("build", "wikicrem", "--dump", "sample", "--out", "out", cwd=tmp_path)
        finally:
            sys.setprofile(before)
            threading.setprofile(None)
    assert done.returncode == 0, done.stderr
    # A module's body is no function: its code has no fast locals.
    names = {code.co_filename for code in seen if code.co_flags & inspect.CO_OPTIMIZED}
    files = {os.path.relpath(os.path.realpath(name), ROOT) for name in names}
    own = {name for name in files if name.startswith(ROOMS)}
    assert len(own) <= MOST_FILES_OF_A_BUILD, sorted(own)
