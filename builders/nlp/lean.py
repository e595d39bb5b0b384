"""Import spaCy without PyTorch and without spaCy's commands, to save each worker time and memory.

Pipelines that need PyTorch come with a package of their own; if such a package is installed, or
PyTorch is loaded already, spaCy finds PyTorch as usual. spaCy's commands, and the web clients that
they load, can still be imported by `import spacy.cli`. Builders import spaCy and thinc from this
module only, since the first import of either decides.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

_NEED_TORCH = ("spacy_transformers", "spacy_curated_transformers", "spacy_experimental")


def _hide_torch() -> None:
    """Hide PyTorch from thinc, spaCy's library of networks."""
    if "torch" in sys.modules or any(map(find_spec, _NEED_TORCH)):
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # Python's mark for a missing module
    try:
        import thinc.compat  # noqa: F401
    finally:
        del sys.modules["torch"]


@contextmanager
def _without_commands() -> Iterator[None]:
    """Import spaCy without its commands."""
    if "spacy" in sys.modules:
        yield
        return
    hidden = {name: ModuleType(name) for name in ("spacy.cli", "spacy.cli.info")}
    hidden["spacy.cli.info"].info = None  # type: ignore[attr-defined]
    sys.modules |= hidden
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


_hide_torch()
with _without_commands():
    import spacy
from spacy.lang.char_classes import ALPHA  # noqa: E402
from spacy.lang.norm_exceptions import BASE_NORMS  # noqa: E402
from spacy.language import Language  # noqa: E402
from spacy.pipeline import Sentencizer  # noqa: E402
from spacy.tokens import Doc, Span, Token  # noqa: E402
from spacy.util import compile_suffix_regex  # noqa: E402
from thinc.api import NumpyOps, get_current_ops, set_current_ops  # noqa: E402

__all__ = [
    "ALPHA",
    "BASE_NORMS",
    "Doc",
    "Language",
    "NumpyOps",
    "Sentencizer",
    "Span",
    "Token",
    "compile_suffix_regex",
    "get_current_ops",
    "set_current_ops",
    "spacy",
]
