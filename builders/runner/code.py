"""Fingerprint of a builder's code: of what it says, not of how it is written.

It covers the modules that a builder imports, directly or through others, within its own top-level
package, and the tables beside them. So a change of a comment, of a docstring or of another builder
leaves a half-done build resumable, and any other change does not. Imports are read from the
source, those inside functions too; one made from a computed name is not seen.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from corefmill.corpora.cycles import no_search_for_cycles

_TABLES = (".toml", ".txt", ".tsv", ".csv", ".json")


@no_search_for_cycles()
def code_of(module: str) -> dict[str, str]:
    """The installed version of corefmill, and a digest over the code that `module` runs.

    `module` is its full name, mostly `__name__`. Raises ModuleNotFoundError where it is none.
    """
    top = module.partition(".")[0]
    found = find_spec(top)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"no package {top!r}")
    root = Path(next(iter(found.submodule_search_locations)))
    total = hashlib.blake2b(digest_size=8)
    files = _reached(module, root)
    for name, path in sorted(files.items()):
        total.update(f"{name}\0".encode() + _read(path)[0])
    for path in _tables({path.parent for path in files.values()}):
        total.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    try:
        version = importlib.metadata.version("corefmill")
    except importlib.metadata.PackageNotFoundError:
        version = "not installed"
    return {"version": version, "source": total.hexdigest()}


def _reached(module: str, root: Path) -> dict[str, Path]:
    """The module and all that it reaches, with their files.

    Not the package at the top: what it offers to users is no part of what a builder does.
    """
    first = _file(module, root)
    if first is None:
        raise ModuleNotFoundError(f"no module {module!r}")
    files = {module: first}
    left = [module]
    while left:
        name = left.pop()
        # A module runs after the packages that it lies in; "from A import b" may mean a module.
        packages = (name.rsplit(".", count)[0] for count in range(1, name.count(".")))
        for other in (*packages, *_read(files[name])[1]):  # order: the files are sorted later
            if other not in files and (path := _file(other, root)) is not None:
                files[other] = path
                left.append(other)
    return files


def _file(module: str, root: Path) -> Path | None:
    top, _, below = module.partition(".")
    if top != root.name or not below:
        return None
    path = root.joinpath(*below.split("."))
    files = (path / "__init__.py", path.with_name(f"{path.name}.py"))
    return next((file for file in files if file.is_file()), None)


def _tables(folders: set[Path]) -> list[Path]:
    """The tables of packages, those in folders that are no packages themselves included."""
    found: list[Path] = []
    while folders:
        folder = folders.pop()  # order: sorted below
        for path in folder.iterdir():  # order: sorted below
            if path.suffix in _TABLES:
                found.append(path)
            elif path.is_dir() and not any(path.glob("*.py")) and path.name != "__pycache__":
                folders.add(path)
    return sorted(found)


def _read(path: Path) -> tuple[bytes, frozenset[str]]:
    """Digest of a module's syntax tree, and the names that it imports."""
    stat = path.stat()
    return _parsed(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=1 << 12)
def _parsed(path: Path, size: int, changed: int) -> tuple[bytes, frozenset[str]]:
    said: list[str] = []
    imports: set[str] = set()
    _say(ast.parse(path.read_bytes()), said, imports)
    return hashlib.blake2b("\0".join(said).encode()).digest(), frozenset(imports)


def _say(node: ast.AST, said: list[str], imports: set[str]) -> None:
    """Lists a tree without positions and without strings that are statements (docstrings)."""
    if isinstance(node, ast.Import):
        imports.update(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        imports.add(node.module)
        imports.update(f"{node.module}.{alias.name}" for alias in node.names)
    said.append(type(node).__name__)
    for field in node._fields:
        if field == "ctx":  # whether a name is read or written, which its parent says too
            continue
        value = getattr(node, field, None)
        if isinstance(value, list):
            said.append("[")
            for item in value:
                if not isinstance(item, ast.AST):
                    said.append(repr(item))
                elif not (isinstance(item, ast.Expr) and _is_text(item.value)):
                    _say(item, said, imports)
            said.append("]")
        elif isinstance(value, ast.AST):
            _say(value, said, imports)
        else:
            said.append(repr(value))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
