"""Mentions of another annotation of the same documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks import more_mentions
from corefmill.corpora import convert, find, jsonl
from corefmill.corpora.formats import native, registry
from corefmill.corpora.records import Document, Mention, Sentence, Token

WORDS = "Ann met the mayor and she left ."
ANN, MAYOR, SHE = Mention(0, 0, 1), Mention(0, 2, 4), Mention(0, 5, 6)


def document(name: str, *clusters: tuple[Mention, ...], words: str = WORDS) -> Document:
    return Document(name, 0, "en", (Sentence(tuple(map(Token, words.split()))),), clusters)


def test_mentions_that_are_not_there_come_as_clusters_of_one() -> None:
    counts: Counter[str] = Counter()
    own = [document("a", (ANN, SHE)), document("b", (ANN, SHE)), document("c", (ANN, SHE))]
    zero = Mention(0, 1, 1, zero=True)
    others = {
        "a": document("a", (ANN,), (MAYOR, SHE), (MAYOR,), (zero,)),
        "b": document("b", (MAYOR,), words=WORDS.replace("Ann", "Eve")),
    }
    found = list(more_mentions.added(own, others, counts))
    assert found[0].clusters == ((ANN, SHE), (MAYOR,))
    assert found[1:] == own[1:]
    assert counts == {"documents with more": 1, "mentions added": 1, "documents without more": 2}


def test_the_train_split_alone_gets_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "other").mkdir()
    for split in ("train", "validation"):
        jsonl.write(tmp_path / "own" / f"{split}.jsonl", [document(split, (ANN, SHE))])
        whole = [document(split, (ANN, SHE), (MAYOR,))]
        form = native.BY_SCHEMA["document/1"]
        convert.write(
            tmp_path / "other" / f"{split}.conllu", whole, form, registry.named("corefud")
        )
    paths = [str(tmp_path / name) for name in ("out", "other", "own")]
    monkeypatch.setattr("sys.argv", ["", *paths[:2], "--corpus", paths[2]])
    more_mentions.main()
    assert capsys.readouterr().out == "1 documents with more, 1 mentions added\n"
    made = find.at(tmp_path / "out")
    sizes = {s: [len(one.clusters) for one in find.records(made, s)] for s in made.splits}  # type: ignore[union-attr]
    assert sizes == {"train": [2], "validation": [1]}
