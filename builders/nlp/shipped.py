"""The small language pipelines that ship with corefmill, found by name."""

from pathlib import Path

_HERE = Path(__file__).parent / "pipelines"


def names() -> list[str]:
    """The names of the pipelines that ship, in alphabetical order."""
    return sorted(meta.parent.name for meta in _HERE.glob("*/meta.json"))


def path(name: str) -> Path:
    """The folder of a shipped pipeline, fit for `spacy.load`; an unknown name raises ValueError."""
    if name not in names():
        legal = ", ".join(names()) or "none is built yet"
        raise ValueError(f"no pipeline named {name!r} ships with corefmill; legal names: {legal}")
    return _HERE / name
