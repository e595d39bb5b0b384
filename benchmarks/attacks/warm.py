"""Imports once what commands import, and keeps pipelines that ship, for forks to start from."""

from __future__ import annotations

import gc
import importlib
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

_HEAVY = (
    *("corefmill.main", "corefmill.build", "corefmill.train", "torch", "transformers"),
    *("safetensors.torch", "accelerate", "duckdb", "lxml.etree", "matplotlib.pyplot", "tantivy"),
    *("scipy.stats", "scipy.optimize", "pydantic", "coref_model.training.run", "stanza", "pyarrow"),
    *("coref_model.evaluation.run", "coref_model.prediction.predictor", "builders.overlap.run"),
    *("coref_model.masked.task", "coref_model.events.task", "coref_model.documents.task"),
    *("coref_model.mlm.run", "builders.wec.build", "builders.wikicrem.build", "re2", "wtpsplit"),
    *("transformers.models.bert.modeling_bert", "torch._dynamo", "builders.knowref.build"),
    *("corefmill.predict", "corefmill.evaluate", "rules.it"),
)


def warm() -> None:
    """Loads them all; what is not installed is left out, as commands do without it."""
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    for name in _HEAVY:
        with suppress(ImportError):
            importlib.import_module(name)
    from corefmill import main

    main.load()
    with suppress(ImportError):
        import torch

        torch.set_num_threads(1)
    _keep_pipelines()
    from builders.wiki.download import download

    (download.__kwdefaults__ or {})["wait_seconds"] = 0.02  # before it asks a server again
    gc.collect()
    gc.freeze()


def _keep_pipelines() -> None:
    import models
    from builders.nlp.lean import spacy

    shipped = {models.path(name) for name in models.names()}
    load = spacy.load
    kept = cache(load)

    def loaded(name: str | Path, **options: object) -> object:
        return kept(name) if name in shipped and not options else load(name, **options)  # type: ignore[arg-type]

    spacy.load = loaded  # type: ignore[assignment]
    for path in sorted(shipped):
        kept(path)
