"""spaCy without PyTorch, which spaCy loads wherever it is installed: seconds, and memory.

Every worker process would pay for it. The pipelines that do need it come with a package of their
own; where one is installed, or PyTorch is loaded already, spaCy finds it as ever. Whatever the
builders need of spaCy and thinc is imported from here, since the first import of either decides.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

_NEED_TORCH = ("spacy_transformers", "spacy_curated_transformers", "spacy_experimental")


def _hide_torch() -> None:
    """Has thinc, spaCy's library of networks, look for PyTorch in vain."""
    if "torch" in sys.modules or any(map(find_spec, _NEED_TORCH)):
        return
    sys.modules["torch"] = None  # type: ignore[assignment]  # what Python takes for "not there"
    try:
        import thinc.compat  # noqa: F401
    finally:
        del sys.modules["torch"]


_hide_torch()

import spacy  # noqa: E402
from spacy.lang.char_classes import ALPHA  # noqa: E402
from spacy.language import Language  # noqa: E402
from spacy.pipeline import Sentencizer  # noqa: E402
from spacy.tokens import Doc, Token  # noqa: E402
from spacy.util import compile_suffix_regex  # noqa: E402
from thinc.api import NumpyOps, get_current_ops, set_current_ops  # noqa: E402

__all__ = [
    "ALPHA",
    "Doc",
    "Language",
    "NumpyOps",
    "Sentencizer",
    "Token",
    "compile_suffix_regex",
    "get_current_ops",
    "set_current_ops",
    "spacy",
]
