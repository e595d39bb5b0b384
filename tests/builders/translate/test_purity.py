"""With the real Apertium, a corpus is the same however it is made."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path

import pytest

from corefmill.builders.translate.engines.apertium import Apertium
from corefmill.builders.translate.engines.cache import Cached
from corefmill.builders.translate.engines.protocol import Translator
from corefmill.corpora.files.errors import UsageError
from tests.builders.translate import running
from tests.builders.translate.conll import document, sentence
from tests.builders.translate.running import Deadly, build

CORPUS = "train.jsonl"
# Those who are late change what Apertium's tagger, were it left running, makes of the others.
SENTENCES = [
    ("These_DT areas_NNS of_IN interest_NN are_VBP called_VBN geofences_NNS ._.", 0, 3),
    ("The_DT men_NNS do_VBP not_RB want_VB to_TO mess_VB it_PRP up_RP ._.", 0, 1),
    ("The_DT men_NNS were_VBD so_RB late_RB that_IN nobody_NN saw_VBD the_DT house_NN ._.", 0, 1),
    ("The_DT men_NNS do_VBP not_RB want_VB to_TO mess_VB it_PRP up_RP ._.", 0, 1),
    ("These_DT areas_NNS of_IN interest_NN are_VBP called_VBN geofences_NNS ._.", 0, 3),
]


def source(folder: Path, order: list[int]) -> Path:
    """A document of each sentence that is named, which is a unit then."""
    path = folder / "train.conll"
    folder.mkdir()
    parts = []
    for number in order:
        words, start, end = SENTENCES[number]
        doc = f"nw/own/00/own_{number:04d}"
        parts.append(document(doc, 0, [sentence(doc, 0, words, {start: "(1", end: "1)"})]))
    path.write_text("".join(parts), "utf-8")
    return path


def over(cache: Path) -> Translator:
    return Cached(Apertium(), cache)


def by_document(folder: Path) -> dict[str, str]:
    lines = (folder / CORPUS).read_text("utf-8").splitlines()
    return {json.loads(line)["doc_id"]: line for line in lines}


def test_neither_workers_nor_kills_nor_anothers_cache_nor_order_change_a_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        Apertium()
    except UsageError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(running, "SHARD", 1)
    files = source(tmp_path / "source", [0, 1, 2, 3, 4])
    build(files, tmp_path / "whole", Apertium)
    whole = (tmp_path / "whole" / CORPUS).read_bytes()
    assert len(by_document(tmp_path / "whole")) == len(SENTENCES)

    # Another run, of fewer documents in another order, fills the cache that the next one uses.
    kept = partial(over, tmp_path / "cache")
    build(source(tmp_path / "other", [3, 2, 0]), tmp_path / "turned", kept)
    for name, line in by_document(tmp_path / "turned").items():
        assert line == by_document(tmp_path / "whole")[name]
    build(files, tmp_path / "cached", kept)
    assert (tmp_path / "cached" / CORPUS).read_bytes() == whole

    build(files, tmp_path / "two", Apertium, workers=2)
    assert (tmp_path / "two" / CORPUS).read_bytes() == whole

    for _ in range(2):
        child = os.fork()
        if child == 0:
            build(files, tmp_path / "killed", partial(Deadly, Apertium))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 9
    build(files, tmp_path / "killed", Apertium)
    assert (tmp_path / "killed" / CORPUS).read_bytes() == whole
