"""What a model learnt from, known by the files themselves and not by a corpus's name."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corefmill.coref_model.training.checkpoint import MODEL, Checkpoint
from corefmill.corpora import disk, find, manifest
from corefmill.corpora.errors import DataError
from corefmill.corpora.find import FoundCorpus

_log = logging.getLogger(__name__)


def checksums(corpus: FoundCorpus, *splits: str) -> list[str]:
    """SHA-256 of the files of these splits, each once, sorted."""
    paths = {path for split in splits for path in corpus.splits.get(split, ())}
    return sorted({manifest.sha256(file) for file in disk.files_of(paths)})


def as_trained(checkpoint: Checkpoint, corpus: FoundCorpus, split: str | None) -> FoundCorpus:
    """The corpus as the model knew it: what was held out of its training is held out again.

    A corpus is that of the training if its files are, whatever it is called. `split` is the one to
    be judged. Raises `DataError` where some of its files alone were learnt from, so that what was
    held out of them is not known.
    """
    described = checkpoint.model.corpora
    for name, said in described.items():
        if "held_out" in said and "validation" not in corpus.splits:
            drawn = _drawn(checkpoint.path, name, said, corpus)
            if drawn is not None:
                return drawn
    held = {name: said for name, said in described.items() if "held_out" in said}
    listed = {name: said["files"] for name, said in held.items() if "files" in said}
    # Read only where there is something to compare them with.
    own = checksums(corpus, find.judged_split(corpus, split)) if listed else []
    for name, learnt in listed.items():
        shared = set(own).intersection(map(str, learnt) if isinstance(learnt, list) else ())
        if shared:
            raise DataError(
                f"{len(shared):,} of {len(own):,} files of {corpus.name} are of what the model was"
                f" trained on as {name}, so that what was held out of them is not known",
                remedy="name the files that it was not trained on",
            )
    if "files" not in held.get(corpus.name, {"files": ()}):
        _log.warning(
            "%s: the model was trained on a corpus of that name, and does not say by which files;"
            " these are others, taken together",
            corpus.name,
        )
    return corpus


def _drawn(
    path: Path, name: str, said: Mapping[str, Any], corpus: FoundCorpus
) -> FoundCorpus | None:
    """The corpus with what was held out, if it is the one described."""
    share, seed = said["held_out"], said.get("held_out_seed")
    if not isinstance(share, float) or not isinstance(seed, int):
        raise DataError(
            f"corpora.{name}: no share and seed of what was held out",
            path=path / MODEL,
            remedy="copy the whole folder again, or train the model again",
        )
    try:
        drawn = find.with_dev(corpus, share, seed)
    except DataError:  # none can be held out of it, so it is another
        return None
    return drawn if find.fingerprint(drawn) == said.get("fingerprint") else None
