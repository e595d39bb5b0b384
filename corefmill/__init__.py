"""Build coreference corpora in many languages, train and score models on them.

    read, write, convert    records of any format of the field
    find, check             a corpus by its name, and what is wrong in it
    score                   a response against a key, by every metric
    build                   a corpus from a dump or text
    train, load, evaluate   a model on a corpus, the model again, and its scores

docs/python.md shows each in a few lines. A name is imported from its module at its first use, so
that scoring a file does not import the builders.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corefmill.api import build, find, train
    from corefmill.coref_model import evaluate, load
    from corefmill.corpora.api import check, convert, read, write
    from corefmill.corpora.scoring.score import score
else:  # a type checker would accept every name if it saw this

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'corefmill' has no attribute {name!r}")
        return getattr(import_module(f"corefmill.{_HOMES[name]}"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


__all__ = [
    "build",
    "check",
    "convert",
    "evaluate",
    "find",
    "load",
    "read",
    "score",
    "train",
    "write",
]

_HOMES = {
    "build": "api",
    "check": "corpora.api",
    "convert": "corpora.api",
    "evaluate": "coref_model",
    "find": "api",
    "load": "coref_model",
    "read": "corpora.api",
    "score": "corpora.scoring.score",
    "train": "api",
    "write": "corpora.api",
}
