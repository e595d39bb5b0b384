"""How a pipeline that anyone may have made is loaded: nothing is unpickled, and nobody is asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TENSORS_ALONE = {"TORCH_FORCE_WEIGHTS_ONLY_LOAD": "1", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "0"}


@contextmanager
def guarded() -> Iterator[None]:
    """While it lasts, torch reads tensors alone and standard input is at its end.

    Stanza 1.10 falls back to reading any pickle, which can run any program. Transformers, which
    other pipelines bring along, asks whether to run code of a model's: here no question is heard.
    """
    stdin, before = sys.stdin, {name: os.environ.get(name) for name in _TENSORS_ALONE}
    with Path(os.devnull).open() as nothing:
        sys.stdin = nothing
        os.environ.update(_TENSORS_ALONE)
        try:
            yield
        finally:
            sys.stdin = stdin
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
