"""Measures how the code is laid out: rooms, imports, circles, sizes and repetitions.

    python -m tools.house [ROOT]

prints a Markdown table for the checkout at ROOT (this one by default), which may be an older one.
tests/test_architecture.py holds the tree to the same measures. Complexity needs radon, which is no
dependency: without it that row is left out.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

ROOMS = ("corpora", "rules", "models", "builders", "coref_model", "corefmill", "tools")
"""The folders with production code, and `models`, which older checkouts had."""
BESIDE = ("benchmarks",)
"""Counted for the lines in all, beside the rooms."""

LEVELS: Mapping[str, int] = {
    "corpora": 0,
    "models": 1,
    "rules": 1,
    "coref_model": 1,
    "builders": 2,
    "builders/.": 2,
    "builders/runner": 2,
    "builders/services": 2,
    "builders/wiki": 3,
    "builders/sources": 4,
    "builders/nlp": 5,
    "builders/translation": 6,
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
APART = {
    frozenset(pair)
    for pair in (("builders", "coref_model"), ("rules", "coref_model"), ("builders", "models"))
}
"""Rooms that never import each other, in either direction."""
PASSAGE_LINES = 6
"""A passage this long that stands twice is counted as a repetition."""


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module of the project: paths from the root of the checkout."""

    source: str
    target: str
    line: int


class House:
    """The production code of a checkout, parsed once."""

    def __init__(self, root: Path, rooms: Iterable[str] = (*ROOMS, *BESIDE)) -> None:
        self.root = root.resolve()
        self.floors = (self.root / "builders" / "runner").is_dir()
        self.trees: dict[str, ast.Module] = {}
        self.texts: dict[str, str] = {}
        for room in rooms:
            for path in sorted((self.root / room).rglob("*.py")):
                name = path.relative_to(self.root).as_posix()
                if path.resolve() == path and not name.startswith("benchmarks/attacks/"):
                    self.texts[name] = path.read_text(encoding="utf-8")
                    self.trees[name] = ast.parse(self.texts[name])

    @cached_property
    def imports(self) -> list[Import]:
        """All imports of the project's own modules, those inside functions too."""
        return [
            Import(source, target, line)
            for source, tree in self.trees.items()
            for name, line in imported_names(tree)
            if (target := self._file(name)) and target != source
        ]

    def _file(self, dotted: str) -> str:
        """The file that holds the module or the name `dotted`, "" where it is not the project's."""
        parts = dotted.split(".")
        for count in (len(parts), len(parts) - 1):
            path = self.root.joinpath(*parts[:count])
            for one in (path.with_suffix(".py"), path / "__init__.py"):
                if count and one.is_file():
                    name = one.resolve().relative_to(self.root).as_posix()
                    return name if name in self.trees else ""
        return ""

    def room(self, name: str) -> str:
        """The room of a file: its top folder; in builders/, where it has floors, the floor."""
        parts = PurePosixPath(name).parts
        if parts[0] != "builders" or not self.floors:
            return parts[0]
        return f"builders/{parts[1] if len(parts) > 2 else '.'}"

    def upward(self) -> list[Import]:
        """Imports that lead to a higher floor, to a neighbour's room, or between rooms apart."""
        return [
            one
            for one in self.imports
            if not _allowed(self.room(one.source), self.room(one.target))
        ]

    def circles(self, *, floors: bool = False) -> list[tuple[str, ...]]:
        """Groups of folders that import each other in a circle.

        The folders beside each other at one place in the tree are compared, each with all that it
        holds. The files that lie directly there count as a folder `.`; with `floors` as two, since
        those that lead to the folders beside them (a registry, a finder) stand above these.
        """
        above = self._above() if floors else set()
        edges: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for one in self.imports:
            source, target = _nodes(one.source, above), _nodes(one.target, above)
            if source == target:
                continue
            depth = next(i for i, (a, b) in enumerate(zip(source, target, strict=False)) if a != b)
            edges["/".join(source[:depth])][source[depth]].add(target[depth])
        return [
            tuple(f"{parent}/{name}".lstrip("/") for name in circle)
            for parent, graph in sorted(edges.items())
            for circle in _circles(graph)
        ]

    def _above(self) -> set[str]:
        """The files that import a folder beside them, or a file there that does."""
        above: set[str] = set()
        while True:
            more = set()
            for one in self.imports:
                here, there = PurePosixPath(one.source).parent, PurePosixPath(one.target).parent
                if here in there.parents or (here == there and one.target in above):
                    more.add(one.source)
            if more == above:
                return above
            above = more

    def file_circles(self) -> list[list[str]]:
        """Groups of files that import each other in a circle."""
        graph = defaultdict(set)
        for one in self.imports:
            graph[one.source].add(one.target)
        return _circles(graph)

    def long_files(self, limit: int = 400) -> dict[str, int]:
        """Files of more than `limit` lines."""
        return {
            name: lines for name, text in self.texts.items() if (lines := text.count("\n")) > limit
        }

    def lines(self) -> Counter[str]:
        """Lines of code by room."""
        counts: Counter[str] = Counter()
        for name, text in self.texts.items():
            counts[self.room(name)] += text.count("\n")
        return counts

    def largest(self) -> tuple[str, float]:
        """The largest of the rooms that are installed, and its share of their lines."""
        counts = self.lines()
        for name in ("tools", *BESIDE):
            counts.pop(name, None)
        name, lines = counts.most_common(1)[0]
        return name, lines / counts.total()

    def classes(self) -> dict[str, list[str]]:
        """The files of each public class of the installed rooms."""
        found = defaultdict(list)
        for name, tree in self.trees.items():
            if not name.startswith(("tools/", *(f"{one}/" for one in BESIDE))):
                for node in tree.body:
                    if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                        found[node.name].append(name)
        return dict(found)

    def doubled(self) -> dict[str, list[str]]:
        """Public class names that stand for two or more classes."""
        return {name: files for name, files in self.classes().items() if len(files) > 1}

    def long_functions(self, limit: int = 50) -> list[str]:
        """Functions of more than `limit` lines, as `file:name (lines)`."""
        return [
            f"{name}:{node.name} ({lines})"
            for name, tree in self.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef)
            and (lines := (node.end_lineno or 0) - node.lineno + 1) > limit
        ]

    def complex_functions(self, limit: int = 20) -> list[str] | None:
        """Functions of a cyclomatic complexity above `limit`; None where radon is missing."""
        try:
            from radon.complexity import cc_visit
        except ImportError:
            return None
        return sorted(
            {
                f"{name}:{one.name} ({one.complexity})"
                for name, text in self.texts.items()
                for block in cc_visit(text)
                for one in (block, *getattr(block, "methods", ()))
                if one.letter != "C" and one.complexity > limit
            }
        )

    def repeated(self) -> int:
        """Passages of PASSAGE_LINES or more lines that stand a second time, word for word.

        Compared are lines of code without their indent; blank lines, comments, imports and lines of
        brackets alone do not count.
        """
        places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
        for name, text in self.texts.items():
            code = _code_lines(text)
            for start in range(len(code) - PASSAGE_LINES + 1):
                places[tuple(code[start : start + PASSAGE_LINES])].append((name, start))
        pairs: set[tuple[tuple[str, int], tuple[str, int]]] = set()
        for found in places.values():
            first = found[0]
            pairs.update((first, other) for other in found[1:])
        return sum(
            ((one, at - 1), (other, there - 1)) not in pairs for (one, at), (other, there) in pairs
        )


def imported_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The dotted name and the line of each thing that a module imports, wherever it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def _allowed(source: str, target: str) -> bool:
    if source == target:
        return True
    if frozenset((source.split("/")[0], target.split("/")[0])) in APART:
        return False
    return LEVELS[target] < LEVELS[source]


def _nodes(name: str, above: Container[str]) -> tuple[str, ...]:
    return (*PurePosixPath(name).parts[:-1], "." if name not in above else ". above")


def _circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The groups of nodes of which each reaches each other."""
    reached = {}
    for start in graph:
        seen, left = set(), [start]
        while left:
            for node in sorted(graph.get(left.pop(), ())):
                if node not in seen:
                    seen.add(node)
                    left.append(node)
        reached[start] = seen
    groups = {
        tuple(sorted(b for b in reached if b in reached[a] and a in reached[b]))
        for a in reached
        if a in reached[a]
    }
    return [list(group) for group in sorted(groups) if len(group) > 1]


_IMPORT = re.compile(r"(?m)^ *from [\w.]+ import \([^()]*\)")
"""One of several lines."""


def _code_lines(text: str) -> list[str]:
    lines = (line.strip() for line in _IMPORT.sub("", text).splitlines())
    return [
        line
        for line in lines
        if line.strip("()[]{},:") and not line.startswith(("#", "import ", "from "))
    ]


def figures(root: Path) -> list[tuple[str, object]]:
    """The rows of the table, by name."""
    house = House(root)
    lines = house.lines()
    largest, share = house.largest()
    whole = sum(count for name, count in lines.items() if name.startswith("builders"))
    complex_ = house.complex_functions()
    upward = house.upward()
    rows: list[tuple[str, object]] = [
        (f"lines in {name}", count) for name, count in sorted(lines.items())
    ]
    rows += [
        ("lines in builders/, all floors", whole),
        ("lines in all", lines.total()),
        ("largest room", f"{largest}, {share:.1%}"),
        ("files of more than 400 lines", len(house.long_files())),
        ("imports upward (names)", len(upward)),
        ("files that import upward", len({one.source for one in upward})),
        ("circles of folders, a folder's own files as one", len(house.circles())),
        ("circles of folders, its own files on two floors", len(house.circles(floors=True))),
        ("public class names", len(house.classes())),
        ("of these doubled", len(house.doubled())),
        ("functions of more than 50 lines", len(house.long_functions())),
        ("passages of six or more lines twice", house.repeated()),
    ]
    if complex_ is not None:
        rows.append(("functions of a complexity above 20", len(complex_)))
    return rows


def main() -> None:
    """Prints the table, then what stands behind its shorter rows."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    print("| measure | here |\n|---|---|")
    for name, value in figures(root):
        print(f"| {name} | {value} |")
    house = House(root)
    for title, found in (
        ("Imports upward", [f"{one.source}:{one.line} -> {one.target}" for one in house.upward()]),
        ("Circles", [" ".join(circle) for circle in house.circles(floors=True)]),
        ("Doubled", [f"{name}: {' '.join(files)}" for name, files in house.doubled().items()]),
        ("Long", house.long_functions()),
        ("Complex", house.complex_functions() or []),
    ):
        print(f"\n{title}:", *sorted(found), sep="\n    ")


if __name__ == "__main__":
    main()
