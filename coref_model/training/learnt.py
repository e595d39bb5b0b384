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


def files_of(corpus: FoundCorpus) -> dict[str, Any]:
    """What model.toml says of the files of a corpus that is trained on.

    `files` are those learnt from, with what is held out of them. Where the corpus has a development
    split of its own, `validation_files` are that, and `split_source` is there if the records say
    their split, so that the two may be the same files.
    """
    if corpus.held_out:
        return {"files": checksums(corpus, "train", "validation")}
    files = {split: checksums(corpus, split) for split in ("train", "validation")}
    said: dict[str, Any] = {"files": files["train"], "validation_files": files["validation"]}
    return said if corpus.split_source == "files" else said | {"split_source": "records"}


def as_trained(checkpoint: Checkpoint, corpus: FoundCorpus, split: str | None) -> FoundCorpus:
    """The corpus as the model knew it: what was held out of its training is held out again.

    A corpus is that of the training if its files are, whatever it is called; the training of a
    model that this one began with counts, too. `split` is the one to be judged; a warning says
    where it was learnt from. Raises `DataError` where some of the files alone were learnt from, so
    that what was held out of them is not known.
    """
    described = [*checkpoint.model.learnt_from()]
    held = [(name, said) for name, said in described if "held_out" in said]
    for name, said in held:
        if "validation" not in corpus.splits:
            drawn = _drawn(checkpoint.path, name, said, corpus)
            if drawn is not None:
                return drawn
    judged = find.judged_split(corpus, split)
    # Read only where there is something to compare them with.
    own = set(checksums(corpus, judged)) if any("files" in said for _, said in described) else set()
    for name, said in held:
        if shared := own & _listed(said, "files"):
            raise DataError(
                f"{len(shared):,} of {len(own):,} files of {corpus.name} are of what the model was"
                f" trained on as {name}, so that what was held out of them is not known",
                remedy="name the files that it was not trained on",
            )
    if any(name == corpus.name and "files" not in said for name, said in held):
        _log.warning(
            "%s: the model was trained on a corpus of that name, and does not say by which files;"
            " these are others, taken together",
            corpus.name,
        )
    for name, said in described:
        if "held_out" not in said:
            _tell(name, said, corpus, judged, own)
    return corpus


def _tell(
    name: str, said: Mapping[str, Any], corpus: FoundCorpus, judged: str, own: set[str]
) -> None:
    """Says where files to be judged, of the digests `own`, were of a training with a development
    split of its own."""
    by_record = corpus.split_source == said.get("split_source") == "records"
    learnt = own & _listed(said, "files")
    chosen = own & _listed(said, "validation_files")
    if learnt and (judged == "train" or not by_record):
        _log.warning(
            "%s: the model learnt from %s of these %s files, as %s; its score on them says nothing"
            " of new text",
            corpus.name,
            f"{len(learnt):,}",
            f"{len(own):,}",
            name,
        )
    elif chosen and (judged == "validation" or not by_record):
        _log.info("%s: its best step was chosen by this development split", corpus.name)


def _listed(said: Mapping[str, Any], key: str) -> set[str]:
    listed = said.get(key)
    return set(map(str, listed)) if isinstance(listed, list) else set()


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
