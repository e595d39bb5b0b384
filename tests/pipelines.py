"""The pipelines that ship, each loaded once a process: every stage and command loads its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from spacy.language import Language

from corefmill.builders.nlp import shipped
from corefmill.builders.nlp.lean import spacy


@pytest.fixture(scope="session", autouse=True)
def kept_pipelines() -> Iterator[None]:
    folders = {shipped.path(name) for name in shipped.names()}
    load = spacy.load
    kept = cache(load)

    def loaded(name: str | Path, **options: object) -> Language:
        return kept(name) if name in folders and not options else load(name, **options)  # type: ignore[arg-type]

    with mock.patch.object(spacy, "load", loaded):
        yield
