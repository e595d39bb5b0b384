"""The small language pipelines that ship, with corefmill or apart from it, found by name."""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

MORE = "corefmill_pipelines"
"""The package, `corefmill-pipelines`, of those that ship apart."""

_HERE = Path(__file__).parent / "pipelines"


@cache
def _folders() -> dict[str, Path]:
    """Each pipeline's folder, by name; what ships with corefmill comes first."""
    found: dict[str, Path] = {}
    for home in _homes():
        for meta in sorted(home.glob("*/meta.json")):
            found.setdefault(meta.parent.name, meta.parent)
    return dict(sorted(found.items()))


def _homes() -> Iterator[Path]:
    yield _HERE
    more = find_spec(MORE)
    yield from map(Path, (more.submodule_search_locations or ()) if more else ())


def names() -> list[str]:
    """The names of the pipelines that ship and are here, in alphabetical order."""
    return list(_folders())


def path(name: str) -> Path:
    """The folder of a shipped pipeline, fit for `spacy.load`; an unknown name raises ValueError."""
    if name not in _folders():
        legal = ", ".join(_folders()) or "none is built yet"
        raise ValueError(f"no pipeline named {name!r} ships with corefmill; legal names: {legal}")
    return _folders()[name]
