"""Imports once what commands import, and keeps pipelines that ship, for forks to start from."""

from __future__ import annotations

import gc
import importlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

_HEAVY = """
    corefmill.cli.main corefmill.cli.build corefmill.cli.train torch transformers safetensors.torch
    accelerate duckdb lxml.etree matplotlib.pyplot tantivy scipy.stats scipy.optimize pydantic
    corefmill.coref_model.training.run stanza pyarrow corefmill.coref_model.evaluation.run
    corefmill.coref_model.prediction.predictor corefmill.builders.overlap.run
    corefmill.coref_model.masked.task corefmill.coref_model.events.task
    corefmill.coref_model.documents.task corefmill.builders.wec.build
    corefmill.builders.wikicrem.build re2 wtpsplit transformers.models.bert.modeling_bert
    torch._dynamo corefmill.builders.knowref.build corefmill.cli.predict corefmill.cli.evaluate
    corefmill.rules.it xml.etree.ElementTree http.cookies encodings.unicode_escape
"""


def warm() -> None:
    """Loads them all; what is not installed is left out, as commands do without it."""
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    for name in _HEAVY.split():
        with suppress(ImportError):
            importlib.import_module(name)
    from corefmill.cli.main import COREFMILL

    COREFMILL.load_all()
    with suppress(ImportError):
        import torch

        torch.set_num_threads(1)
    _keep_pipelines()
    from corefmill.builders.services import download

    download._WAIT = 0.02  # seconds before it asks a server again
    gc.collect()
    gc.freeze()


def _keep_pipelines() -> None:
    from corefmill.builders.nlp.backend import shipped_names, shipped_path
    from corefmill.builders.nlp.lean import spacy

    paths = {shipped_path(name) for name in shipped_names()}
    load = spacy.load
    kept = cache(load)

    def loaded(name: str | Path, **options: object) -> object:
        return kept(name) if name in paths and not options else load(name, **options)  # type: ignore[arg-type]

    spacy.load = loaded  # type: ignore[assignment]
    for path in sorted(paths):
        kept(path)
