"""A finished run becomes a corpus directory, the manifest last."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.corpus import masked
from corefmill.builders.corpus.builder import Assembly
from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.corpus.masked import MaskedContents
from corefmill.builders.run.job import RunResult
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example, finished, mill


@dataclass
class Wanted:
    """Splits and rejects as a test wants them."""

    splits: Mapping[str, Sequence[MaskedExample]]
    rejects: Mapping[str, Counter[str]] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    dropped: Sequence[dict[str, Any]] = ()
    error: DataError | None = None


class GivenContents(MaskedContents):
    """What a test wants."""

    rejects: Mapping[str, Counter[str]] = {}
    warnings: Sequence[str] = ()

    def __init__(self, corpus: Corpus, result: RunResult, wanted: Wanted) -> None:
        super().__init__(corpus, result)
        self._wanted, self.rejects, self.warnings = wanted, wanted.rejects, wanted.warnings

    def split(self, name: str) -> Iterator[MaskedExample]:
        return iter(self._wanted.splits[name])

    def read_rejects(self) -> Iterator[dict[str, Any]]:
        return iter(self._wanted.dropped)


THREE = replace(example(2), candidates=("Ann", "Bob", "Cyd"))
SPLITS = {"train": [example(1), THREE], "validation": [example(3)]}


def assembly(out: Path, wanted: Wanted, **more: Any) -> Assembly:
    corpus = mill(out, **more)

    @contextmanager
    def choose(corpus: Corpus, result: RunResult) -> Iterator[GivenContents]:
        if wanted.error is not None:
            raise wanted.error
        yield GivenContents(corpus, result, wanted)

    return Assembly(
        corpus=corpus,
        schema=masked.SCHEMA,
        choose=choose,
        data_files=masked.list_data_files(GivenContents.forms("clean")),
    )


def names(out: Path) -> list[str]:
    return sorted(path.name for path in out.glob("[!.]*"))


FORMS = [
    f"{split}.{form}" for split in ("train", "validation") for form in ("conll", "jsonl", "txt")
]


OTHERS = sorted(
    ["README.md", "croissant.json", "lengths.png", "shares.png", "rejects.json", *FORMS]
)


def test_a_corpus_has_all_its_files_and_the_shards_are_gone(tmp_path: Path) -> None:
    result = finished(tmp_path)
    assembly(tmp_path, Wanted(SPLITS))(result)
    assert names(tmp_path) == sorted(["manifest.json", *OTHERS])
    assert not result.folder.exists()
    for split, examples in SPLITS.items():
        assert list(jsonl.read(tmp_path / f"{split}.jsonl", MaskedExample)) == examples


def test_the_manifest_describes_the_corpus(tmp_path: Path) -> None:
    rejects = {"draft": Counter(quoted=2), "corpus": Counter(quoted=1, over_limit=3)}
    result = finished(tmp_path, counts={"pages": 9})
    assembly(tmp_path, Wanted(SPLITS, rejects, ["Few."]))(result)
    made = manifest.read(tmp_path)
    assert (made.name, made.lang, made.mode, made.seed) == ("mill-en", "en", "clean", 5)
    assert made.splits == {"train": 2, "validation": 1}
    assert made.counts["read"] == {"pages": 9}
    assert made.counts["rejected"] == {"over_limit": 3, "quoted": 3}
    assert made.counts["candidates"] == {"2": 2, "3": 1}
    assert made.versions["pipeline"] == "tiny 1"
    assert made.build["fingerprint"] == result.job.fingerprint.digest
    assert made.warnings == ["Few."]
    assert sorted(made.files) == OTHERS
    for name, digest in made.files.items():
        assert manifest.sha256(tmp_path / name) == digest


def test_rejects_are_written_by_stage_and_kept_when_asked_for(tmp_path: Path) -> None:
    rejects = {"input": Counter[str](), "draft": Counter(styled=1, quoted=2)}
    kept = {"reason": "quoted", "record": {"text": "Élise"}}
    dropped = {"reason": "over_limit", "record": {"id": "e9"}}
    result = finished(tmp_path, kept=[kept], keep_rejects=True)
    assembly(tmp_path, Wanted(SPLITS, rejects, dropped=[dropped]))(result)
    text = (tmp_path / "rejects.json").read_text("utf-8")
    assert json.loads(text) == {"input": {}, "draft": {"quoted": 2, "styled": 1}}
    assert text.index("quoted") < text.index("styled")
    lines = (tmp_path / "rejects.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [kept, dropped]
    assert "Élise" in lines[0]
    assert "rejects.jsonl" in manifest.read(tmp_path).files


def test_an_empty_corpus_is_an_error_and_leaves_no_manifest(tmp_path: Path) -> None:
    result = finished(tmp_path)
    with pytest.raises(DataError, match="no example"):
        assembly(tmp_path, Wanted(SPLITS, error=DataError("no example")))(result)
    assert names(tmp_path) == []
    assert result.folder.is_dir()


def test_the_manifest_comes_last_and_until_then_the_shards_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(out: Path, made: manifest.Manifest) -> None:
        assert names(out) == OTHERS
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("corefmill.builders.corpus.builder.manifest.write", full)
    result = finished(tmp_path)
    with pytest.raises(OSError, match="No space"):
        assembly(tmp_path, Wanted(SPLITS))(result)
    assert result.folder.is_dir()
    assert "manifest.json" not in names(tmp_path)


def blocks(path: Path) -> list[list[str]]:
    lines = path.read_text("utf-8").splitlines()
    return [lines[start : start + 5] for start in range(0, len(lines), 5)]


def test_the_published_form_of_clean_mode_trains_on_pairs(tmp_path: Path) -> None:
    assembly(tmp_path, Wanted({"train": [THREE], "validation": [THREE]}))(finished(tmp_path))
    assert [block[2] for block in blocks(tmp_path / "train.txt")] == ["Ann,Bob", "Ann,Cyd"]
    assert [block[2] for block in blocks(tmp_path / "validation.txt")] == ["Ann,Bob,Cyd"]


@pytest.mark.parametrize(("mode", "word"), [("clean", "Rénald"), ("paper", "Rnald")])
def test_the_published_form_of_paper_mode_is_ascii(tmp_path: Path, mode: str, word: str) -> None:
    record = example(text="Ann met Bob. Ann left Rénald.")
    wanted = Wanted({"train": [record], "validation": []})
    assembly(tmp_path, wanted, mode=mode)(finished(tmp_path))
    ((passage, *_),) = blocks(tmp_path / "train.txt")
    assert passage == f"Ann met Bob. [MASK] left {word}."
    assert next(jsonl.read(tmp_path / "train.jsonl", MaskedExample)).text == record.text
