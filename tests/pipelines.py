"""The pipelines that ship, each loaded once a process, and its files read once: every stage and
command does it anew."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from spacy.language import Language

from corefmill.builders.nlp.backend import shipped_names, shipped_path
from corefmill.builders.nlp.lean import spacy
from corefmill.corpora.files import disk


@pytest.fixture(scope="session", autouse=True)
def kept_pipelines() -> Iterator[None]:
    folders = {shipped_path(name) for name in shipped_names()}
    load, of_folder = spacy.load, disk.hash_folder
    kept_load, kept_of_folder = cache(load), cache(of_folder)

    def loaded(name: str | Path, **options: object) -> Language:
        return kept_load(name) if name in folders and not options else load(name, **options)  # type: ignore[arg-type]

    def digested(folder: Path) -> str:
        return kept_of_folder(folder) if folder in folders else of_folder(folder)

    with (
        mock.patch.object(spacy, "load", loaded),
        mock.patch.object(disk, "hash_folder", digested),
    ):
        yield
