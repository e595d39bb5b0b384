"""The pipelines that ship, each loaded once a process: every stage and command loads its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from spacy.language import Language

import models
from builders.nlp.lean import spacy


@pytest.fixture(scope="session", autouse=True)
def kept_pipelines() -> Iterator[None]:
    shipped = {models.path(name) for name in models.names()}
    load = spacy.load
    kept = cache(load)

    def loaded(name: str | Path, **options: object) -> Language:
        return kept(name) if name in shipped and not options else load(name, **options)  # type: ignore[arg-type]

    with mock.patch.object(spacy, "load", loaded):
        yield
