"""No result depends on the order of a set, which differs with the hash seed, or of a folder.

What is a set is told by literals, calls, and annotations of this source: of names in their
function, of fields and of what functions return by their names alone. Where the order is of no
matter, `# order: why` on that line, or above it, says so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.conftest import LONG

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.usefixtures("uncollected")
PACKAGES = ("builders", "corpora", "coref_model", "corefmill", "rules", "tools", "benchmarks")

SETS = {"set", "frozenset", "Set", "AbstractSet", "MutableSet", "FrozenSet"}
SET = ast.Name("set")
OF_SETS = {"union", "intersection", "difference", "symmetric_difference", "copy"}
LISTINGS = {"glob", "rglob", "iterdir", "listdir", "scandir"}
FREE = {
    "sorted",
    "set",
    "frozenset",
    "any",
    "all",
    "sum",
    "len",
    "min",
    "max",
    "bool",
    "isinstance",
}
FREE |= OF_SETS | {"update", "intersection_update", "difference_update", "isdisjoint"}
"""What takes elements in any order; `min` and `max` only without a key, which may tie."""
ORDERED = {"list", "tuple", "iter", "next", "enumerate", "zip", "map", "filter", "dict", "chain"}
ORDERED |= {"join", "extend", "fromkeys", "from_iterable", "choice", "choices", "min", "max"}

Kind = ast.expr
"""An annotation, as far as it is known."""


def named(node: ast.expr | None) -> str:
    """The last name of a name, an attribute or an annotation with arguments."""
    node = node.value if isinstance(node, ast.Subscript) else node
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def is_set(kind: Kind | None) -> bool:
    if isinstance(kind, ast.BinOp):  # set[str] | None
        return is_set(kind.left) or is_set(kind.right)
    return named(kind) in SETS


def inner(kind: Kind | None, place: int = -1) -> Kind | None:
    """What a container holds: the values of a mapping, the elements of anything else."""
    if not isinstance(kind, ast.Subscript):
        return None
    parts = kind.slice.elts if isinstance(kind.slice, ast.Tuple) else [kind.slice]
    if named(kind) == "tuple" and isinstance(parts[-1], ast.Constant):  # tuple[X, ...]
        return parts[0]
    return parts[place]


class Kinds:
    """The annotations of all sources by name, where all that have the name agree on sets."""

    def __init__(self, trees: list[ast.Module]) -> None:
        self.known: dict[str, Kind] = {}
        clashing = set()
        for node in chain.from_iterable(map(ast.walk, trees)):
            if isinstance(node, ast.FunctionDef) and node.returns is not None:
                name, kind = node.name, node.returns
            elif isinstance(node, ast.ClassDef):
                continue
            elif isinstance(node, ast.AnnAssign) and node.col_offset:
                name, kind = named(node.target), node.annotation
            else:
                continue
            if is_set(self.known.setdefault(name, kind)) != is_set(kind):
                clashing.add(name)
        for name in clashing:
            del self.known[name]

    def of(self, node: ast.expr, local: dict[str, Kind]) -> Kind | None:
        match node:
            case ast.Set() | ast.SetComp():
                return SET
            case ast.Name(id=name):
                return local.get(name)
            case ast.Attribute(attr=name):
                return self.known.get(name)
            case ast.NamedExpr(value=value):
                return self.of(value, local)
            case ast.IfExp(body=one, orelse=other):
                return self.of(one, local) or self.of(other, local)
            case ast.BoolOp(values=values):
                return next(filter(None, (self.of(value, local) for value in values)), None)
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub()):
                sides = (left,) if isinstance(node.op, ast.Sub) else (left, node.right)
                keys = any(
                    isinstance(s, ast.Call) and named(s.func) in ("keys", "items") for s in sides
                )
                return SET if keys or any(is_set(self.of(s, local)) for s in sides) else None
            case ast.Subscript(value=value):
                return inner(self.of(value, local))
            case ast.Call(func=ast.Name(id=name)):
                return SET if name in SETS else self.known.get(name)
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                kind = self.of(value, local)
                if is_set(kind):
                    return SET if name in OF_SETS else None
                if name in ("get", "setdefault", "pop"):
                    return inner(kind)
                return None if kind is not None or name == "values" else self.known.get(name)
        return None

    def elements(self, node: ast.expr, local: dict[str, Kind]) -> Kind | None:
        """What a loop over an expression gives."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            kind = self.of(node.func.value, local)
            if node.func.attr == "values":
                return inner(kind)
            if node.func.attr == "items" and isinstance(kind, ast.Subscript):
                return ast.Subscript(ast.Name("tuple"), kind.slice)
        return inner(self.of(node, local), 0)

    def locals_of(self, nodes: list[ast.AST], outer: dict[str, Kind]) -> dict[str, Kind]:
        """The kinds of a function's, or module's, own names."""
        local = dict(outer)
        for _ in range(2):  # a name may be made of another that is bound further down
            for node in nodes:
                if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
                    name = node.arg if isinstance(node, ast.arg) else named(node.target)
                    local[name] = node.annotation
                elif isinstance(node, ast.Assign):
                    bind(local, node.targets[0], self.of(node.value, local))
                elif isinstance(node, ast.NamedExpr):
                    bind(local, node.target, self.of(node.value, local))
                elif isinstance(node, ast.For | ast.comprehension):
                    bind(local, node.target, self.elements(node.iter, local))
        return local


def bind(local: dict[str, Kind], target: ast.expr, kind: Kind | None) -> None:
    if isinstance(target, ast.Name) and kind is not None:
        local[target.id] = kind
    elif isinstance(target, ast.Tuple) and isinstance(kind, ast.Subscript):
        for place, one in enumerate(target.elts):
            if isinstance(kind.slice, ast.Tuple) and place < len(kind.slice.elts):
                bind(local, one, kind.slice.elts[place])


def takes(up: ast.AST, node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether `up`, which takes what the expression gives, has no use for the order."""
    if isinstance(up, ast.comprehension):
        whole = parents[up]
        some = isinstance(whole, ast.GeneratorExp | ast.ListComp)
        return isinstance(whole, ast.SetComp) or (some and takes(parents[whole], whole, parents))
    if isinstance(up, ast.Starred | ast.keyword):
        return takes(parents[up], up, parents)
    if isinstance(up, ast.Call) and up.func is not node:
        return named(up.func) in FREE and not any(word.arg == "key" for word in up.keywords)
    return isinstance(up, ast.Set | ast.Compare)


def orderly(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> str:
    """What takes the expression's elements one by one; "" for what does not."""
    up = parents[node]
    if isinstance(up, ast.For | ast.comprehension) and up.iter is not node:
        return ""  # a target or a condition
    if isinstance(up, ast.For | ast.comprehension | ast.Starred):
        return "" if takes(up, node, parents) else "the elements of a set"
    if isinstance(up, ast.Call) and node in up.args and named(up.func) in ORDERED:
        free = takes(up, node, parents) or takes(parents[up], up, parents)
        return "" if free else f"{named(up.func)} of a set"
    if isinstance(up, ast.Attribute) and up.attr == "pop":
        return "any one of a set"
    apart = isinstance(up, ast.Assign) and up.targets[0]
    return "a set taken apart" if isinstance(apart, ast.Tuple) and len(apart.elts) > 1 else ""


def listing(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> str:
    """What a call gives that another run or machine gives otherwise; "" for none."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name) and node.func.id == "hash":
        return "a hash"
    walk = isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "os.walk"
    if (walk or named(node.func) in LISTINGS) and not takes(parents[node], node, parents):
        return "the files of a folder"
    return ""


def complaints(source: str, tree: ast.Module, kinds: Kinds) -> Iterator[str]:
    """Where results may depend on the order of a set or a folder."""
    lines = source.splitlines()
    children = {node: list(ast.iter_child_nodes(node)) for node in ast.walk(tree)}
    parents = {child: node for node, inside in children.items() for child in inside}

    def nodes_of(scope: ast.AST) -> list[ast.AST]:
        """What stands in a function, or in a module outside of functions and classes."""
        found = [scope]
        for node in found:
            inside = isinstance(scope, ast.FunctionDef)
            found += [
                child
                for child in children[node]
                if inside or not isinstance(child, ast.FunctionDef | ast.ClassDef)
            ]
        return found

    module = kinds.locals_of(nodes_of(tree), {})
    within = (ast.Module, ast.ClassDef)
    functions = (node for node in parents if isinstance(node, ast.FunctionDef))
    for scope in (tree, *(node for node in functions if isinstance(parents[node], within))):
        nodes = nodes_of(scope)
        local = module if scope is tree else kinds.locals_of(nodes, module)
        for node in nodes:
            if not isinstance(node, ast.expr):
                continue
            what = listing(node, parents)
            if not what and (taken := orderly(node, parents)) and is_set(kinds.of(node, local)):
                what = taken
            said = lines[statement(node, parents).lineno - 2 : node.end_lineno]
            if what and not any("# order: " in line for line in said):
                yield f"{node.lineno}: {what}: {lines[node.lineno - 1].strip()}"


def statement(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.stmt:
    while not isinstance(node, ast.stmt):
        node = parents[node]
    return node


def test_nothing_depends_on_the_order_of_a_set_or_a_folder() -> None:
    paths = [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]
    sources = {path.relative_to(ROOT): path.read_text("utf-8") for path in paths}
    trees = {path: ast.parse(source) for path, source in sources.items()}
    kinds = Kinds(list(trees.values()))
    found = [
        f"{path}:{one}"
        for path, source in sources.items()
        for one in complaints(source, trees[path], kinds)
    ]
    assert not found, "sort it, or say `# order: why` it is of no matter:\n" + "\n".join(found)


CASES = [
    ("for x in {1, 2}: print(x)", "the elements of a set"),
    ("def f(a: frozenset[str]): return max(a, key=len)", "max of a set"),
    ("def f(a: dict[str, set[int]]): return [y for x in a.values() for y in x]", "the elements"),
    ("def f(a: dict): return next(iter(a.keys() & {1}))", "iter of a set"),
    ("def f(a): b = set(a) | {1}; return ' '.join(b)", "join of a set"),
    ("def f(a): b = {*a}; return b.pop()", "any one of a set"),
    ("class A:\n  b: set[int]\ndef f(a): return [*a.b]", "the elements of a set"),
    ("def g() -> set[int]: ...\ndef f(): return list(g())", "list of a set"),
    ("def f(a): return list(a.glob('*'))", "the files of a folder"),
    ("def f(a): return hash(a) % 7", "a hash"),
    ("def f(a: set[int]): return sorted(a), max(a), any(x for x in a), {*a}, 1 in a, len(a)", ""),
    ("def f(a: dict): return [x for x in a if {x} & {1}]", ""),
    ("def f(a): return sorted(a.glob('*')), any(a.iterdir()), {x.name for x in a.rglob('*')}", ""),
    ("# order: why\nfor x in {1, 2}: print(x)", ""),
]


@pytest.mark.parametrize(("source", "what"), CASES)
def test_what_depends_on_it_is_told(source: str, what: str) -> None:
    tree = ast.parse(source)
    found = list(complaints(source, tree, Kinds([tree])))
    assert len(found) == bool(what) and all(what in one for one in found), found


def test_the_files_that_are_begun_first_are_there() -> None:
    names = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    assert not [start for start in LONG if not any(name.startswith(start) for name in names)]
